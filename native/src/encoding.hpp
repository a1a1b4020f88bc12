// From bounds to variables and clauses: order encoding, degrees, crossings.
#pragma once

#include <cstdint>
#include <vector>

#include "level0.hpp"
#include "literal.hpp"
#include "problem.hpp"
#include "watchdog.hpp"

namespace kakehashi {

// A channel with the bounds lo..hi has a ladder of hi - lo variables: the k-th (from 1) says "at least lo + k bridges".
// With the bounds 0..2 these are the recipe's a and b. A decided channel has none.
class Encoding {
 public:
  Encoding(const Problem& problem, Bounds bounds);

  const Problem& problem() const { return problem_; }
  const Graph& graph() const { return problem_.graph; }

  int lo(int e) const { return bounds_.lo[e]; }
  int hi(int e) const { return bounds_.hi[e]; }
  int width(int e) const { return bounds_.hi[e] - bounds_.lo[e]; }
  bool is_live(int e) const { return bounds_.hi[e] > 0; }

  Var variables() const { return static_cast<Var>(channel_.size()); }
  Var first(int e) const { return first_[e]; }
  int channel(Var v) const { return channel_[v]; }
  // The variable v says: at least this many bridges.
  int threshold(Var v) const { return bounds_.lo[channel_[v]] + (v - first_[channel_[v]]) + 1; }
  // "At least `bridges`", where lo < bridges <= hi.
  Lit at_least(int e, int bridges) const { return positive(first_[e] + bridges - bounds_.lo[e] - 1); }
  // Whether v tells a channel that carries bridges from one that carries none.
  bool decides_use(Var v) const { return bounds_.lo[channel_[v]] == 0 && v == first_[channel_[v]]; }

  // The live channels around each island, as a compressed list: what all walks over the graph use.
  const int* live_begin(int i) const { return live_.data() + live_start_[i]; }
  const int* live_end(int i) const { return live_.data() + live_start_[i + 1]; }

  // Hands every clause to `add` (begin, size; it may reorder and change the literals); stops when `add` says false: the
  // clauses contradict each other. False too when an island's channels cannot give what it asks for, which the clauses
  // alone do not say.
  template <class Add>
  bool add_clauses(Add add, Watchdog& watchdog) const {
    for (int e = 0; e < graph().m; ++e) {
      watchdog.tick();
      for (int k = 1; k < width(e); ++k) {
        Lit ladder[] = {negative(first_[e] + k), positive(first_[e] + k - 1)};
        if (!add(ladder, 2)) return false;
      }
    }
    for (int i = 0; i < graph().n; ++i) {
      watchdog.tick();
      if (!add_degree(i, add)) return false;
    }
    for (int e = 0; e < graph().m; ++e) {
      watchdog.tick();
      if (bounds_.hi[e] == 0) continue;
      for (int t = graph().crossing_start[e]; t < graph().crossing_start[e + 1]; ++t) {
        const int f = graph().crossing[t];
        if (f < e || bounds_.hi[f] == 0) continue;
        Lit exclusion[] = {0, 0};
        int size = 0;
        for (const int c : {e, f}) {
          if (bounds_.lo[c] == 0) exclusion[size++] = negative(first_[c]);
        }
        if (!add(exclusion, size)) return false;
      }
    }
    return true;
  }

 private:
  // The prime implicates of least <= x_1 + ... + x_k <= most over the ladders. A clause over order literals forbids a
  // box (a range for each channel); the largest boxes whose sums are all too small reach from zero to a point with the
  // sum least - 1, those whose sums are all too large from a point with most + 1 to the top. Each of them alone holds
  // its point, so none can be left out.
  template <class Add>
  bool add_degree(int i, Add& add) const {
    int channels[kSides];
    int widths[kSides] = {0, 0, 0, 0};
    int k = 0;
    int fixed = 0;
    int capacity = 0;
    for (const int* it = live_begin(i); it != live_end(i); ++it) {
      fixed += lo(*it);
      if (width(*it) == 0) continue;
      channels[k] = *it;
      widths[k] = width(*it);
      capacity += widths[k++];
    }
    const int least = problem_.clue_least[i] - fixed;
    const int most = problem_.clue_most[i] - fixed;
    if (most < 0 || least > capacity) return false;
    int x[kSides];
    Lit clause[kSides];
    for (x[0] = 0; x[0] <= widths[0]; ++x[0]) {
      for (x[1] = 0; x[1] <= widths[1]; ++x[1]) {
        for (x[2] = 0; x[2] <= widths[2]; ++x[2]) {
          const int sum = x[0] + x[1] + x[2];
          x[3] = most + 1 - sum;
          if (x[3] >= 0 && x[3] <= widths[3]) {
            int size = 0;
            for (int j = 0; j < k; ++j) {
              if (x[j] > 0) clause[size++] = negative(first_[channels[j]] + x[j] - 1);
            }
            if (!add(clause, size)) return false;
          }
          x[3] = least - 1 - sum;
          if (x[3] >= 0 && x[3] <= widths[3]) {
            int size = 0;
            for (int j = 0; j < k; ++j) {
              if (x[j] < widths[j]) clause[size++] = positive(first_[channels[j]] + x[j]);
            }
            if (!add(clause, size)) return false;
          }
        }
      }
    }
    return true;
  }

  const Problem& problem_;
  Bounds bounds_;
  std::vector<Var> first_;
  std::vector<int> channel_;
  std::vector<int> live_start_;
  std::vector<int> live_;
};

}  // namespace kakehashi
