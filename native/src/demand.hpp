// Demand as a propagator: a group whose bridges are all placed is closed for ever, so it must not be closed too early.
#pragma once

#include <cstdint>
#include <vector>

#include "assignment.hpp"
#include "encoding.hpp"

namespace kakehashi {

// A rollback union-find over the islands: the groups that placed bridges connect, each with the demand r that is left
// in it, the sum of i r_i and the sum of i^2 r_i over its islands i. Those three numbers say at which one or two
// islands the rest is, so a channel that would use it up is found without a walk over the group. Such a bridge is
// forbidden while islands outside remain: the one between two groups that want it both and nothing else, and the one
// that takes the rest of both its own ends.
class Demand {
 public:
  Demand(const Encoding& encoding, const Assignment& assignment);

  // The literal at `position` of the trail, "at least ..." of variable v, places one more bridge.
  void place(Var v, int position);
  void undo_from(int position);

  // Every literal that must be false now is handed to `forbid`.
  template <class Forbid>
  void propagate(Forbid forbid) {
    while (!queue_.empty()) {
      const int root = queue_.back();
      queue_.pop_back();
      if (parent_[root] >= 0 || left_[root] < 1 || left_[root] > most_) continue;
      propagate_group(root, forbid);
    }
  }
  bool has_work() const { return !queue_.empty(); }

  // Why v is false: fills `clause` with the negation of v, then with literals that were all false before it.
  void explain(Var v, std::vector<Lit>& clause);
  // The channels out of the islands that the last explanation was about: it follows from this cut and the degrees.
  void explained_cut(std::vector<Lit>& cut) const;

 private:
  struct Placed {
    int position;
    int channel;
    int child;  // the group that was joined to another by it, or -1
  };

  int find(int i) const {
    while (parent_[i] >= 0) i = parent_[i];
    return i;
  }
  void use(int root, int e, int bridges);
  int join(int x, int y);
  void watch(int root) {
    if (left_[root] >= 1 && left_[root] <= most_ && size_[root] < graph_.n) queue_.push_back(root);
  }
  int placed(int e) const;
  bool was_placed_before(Lit l, int position) const {
    return assignment_.is_true(l) && assignment_.position(l) < position;
  }
  template <class Forbid>
  void propagate_group(int root, Forbid& forbid) {
    int u = 0;
    int w = 0;
    const auto rest = static_cast<int>(left_[root]);
    if (!find_rest(root, u, w)) return;
    if (u != w) {
      for (const int* e = encoding_.live_begin(u); e != encoding_.live_end(u); ++e) {
        if (graph_.other_end(*e, u) != w) continue;
        const int value = placed(*e) + rest / 2;
        if (value <= encoding_.hi(*e)) forbid(encoding_.at_least(*e, value));
      }
      return;
    }
    for (const int* e = encoding_.live_begin(u); e != encoding_.live_end(u); ++e) {
      const int other = graph_.other_end(*e, u);
      const int group = find(other);
      if (group == root || left_[group] != rest || own_[other] != rest) continue;
      if (size_[group] + size_[root] == graph_.n || rest > encoding_.hi(*e)) continue;
      forbid(encoding_.at_least(*e, rest));
    }
  }
  // Whether the rest of a group is at one island (then u = w) or in two equal halves at u and w.
  bool find_rest(int root, int& u, int& w) const;

  const Encoding& encoding_;
  const Graph& graph_;
  const Assignment& assignment_;
  int most_;  // a larger rest cannot be used up by one channel between two groups
  std::vector<int> parent_;
  std::vector<int> size_;
  std::vector<int> own_;            // by island: what it wants still
  std::vector<std::int64_t> left_;  // by group, as the next two
  std::vector<std::int64_t> first_moment_;
  std::vector<std::int64_t> second_moment_;
  std::vector<Placed> history_;
  std::vector<int> queue_;
  std::vector<int> stamps_;
  std::vector<int> group_;
  int stamp_ = 0;
};

}  // namespace kakehashi
