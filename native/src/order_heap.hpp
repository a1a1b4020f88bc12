// The open variables by activity: VSIDS (Moskewicz et al., "Chaff", 2001) as MiniSat has it, in a binary heap.
#pragma once

#include <utility>
#include <vector>

#include "literal.hpp"

namespace kakehashi {

class OrderHeap {
 public:
  void grow(Var variables) {
    activity_.resize(variables, 0.0);
    place_.resize(variables, -1);
  }

  bool empty() const { return heap_.empty(); }

  void insert(Var v) {
    if (place_[v] >= 0) return;
    place_[v] = static_cast<int>(heap_.size());
    heap_.push_back(v);
    up(place_[v]);
  }

  Var pop() {
    const Var top = heap_.front();
    place_[top] = -1;
    const Var last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      heap_[0] = last;
      place_[last] = 0;
      down(0);
    }
    return top;
  }

  void clear() {
    for (const Var v : heap_) place_[v] = -1;
    heap_.clear();
  }

  // Holds exactly the variables of `candidates` that are `open`: linear, by Floyd's method.
  template <class Open>
  void rebuild(const std::vector<Var>& candidates, Open open) {
    clear();
    for (const Var v : candidates) {
      if (!open(v)) continue;
      place_[v] = static_cast<int>(heap_.size());
      heap_.push_back(v);
    }
    for (int k = static_cast<int>(heap_.size()) / 2 - 1; k >= 0; --k) down(k);
  }

  // The variable took part in a conflict. `decay` makes every later bump weigh more, instead of all activities less.
  void bump(Var v) {
    activity_[v] += increment_;
    if (activity_[v] > kLargest) {
      for (double& activity : activity_) activity /= kLargest;
      increment_ /= kLargest;
    }
    if (place_[v] >= 0) up(place_[v]);
  }
  void decay() { increment_ /= kDecay; }

 private:
  static constexpr double kDecay = 0.9;
  static constexpr double kLargest = 1e100;

  bool before(Var u, Var v) const { return activity_[u] > activity_[v]; }

  void up(int k) {
    const Var v = heap_[k];
    while (k > 0) {
      const int parent = (k - 1) / 2;
      if (!before(v, heap_[parent])) break;
      heap_[k] = heap_[parent];
      place_[heap_[k]] = k;
      k = parent;
    }
    heap_[k] = v;
    place_[v] = k;
  }

  void down(int k) {
    const Var v = heap_[k];
    const int size = static_cast<int>(heap_.size());
    while (true) {
      int child = 2 * k + 1;
      if (child >= size) break;
      if (child + 1 < size && before(heap_[child + 1], heap_[child])) ++child;
      if (!before(heap_[child], v)) break;
      heap_[k] = heap_[child];
      place_[heap_[k]] = k;
      k = child;
    }
    heap_[k] = v;
    place_[v] = k;
  }

  std::vector<double> activity_;
  std::vector<Var> heap_;
  std::vector<int> place_;  // in the heap, or -1
  double increment_ = 1.0;
};

}  // namespace kakehashi
