// The rule "no loops" as a propagator: the channels that carry bridges form a forest.
#pragma once

#include <cstddef>
#include <vector>

#include "assignment.hpp"
#include "encoding.hpp"
#include "rollback_forest.hpp"

namespace kakehashi {

// A rollback forest over the islands, with an edge for each channel that carries bridges for sure. A channel within one
// of its trees would close a loop: it stays empty, because of the path between its ends. A path in a tree is the same
// however the tree grows, so that reason is looked for only when analysis asks.
class Loops {
 public:
  Loops(const Encoding& encoding, const Assignment& assignment);

  // The channels that carry bridges whatever is decided. False: they close a loop, `loop` says which.
  bool place_fixed();

  // The literal at `position` of the trail says that channel e carries bridges. False: it closes a loop, and is not
  // noted.
  bool place(int e, int position);
  void undo_from(int position);

  // Every channel that has to stay empty, and is not known to be, is handed to `forbid`.
  template <class Forbid>
  void propagate(Forbid forbid) {
    while (!closing_.empty()) {
      const int e = closing_.back();
      closing_.pop_back();
      // What was queued may have been taken back.
      if (is_open(e) && is_closing(e)) forbid(positive(encoding_.first(e)));
    }
  }

  // The clause "one channel of the loop through e is empty", e first. The ends of e are in one tree.
  void explain(int e, std::vector<Lit>& clause);

 private:
  struct Placed {
    int position;
    RollbackForest::Union groups;
  };

  bool is_open(int e) const {
    return encoding_.lo(e) == 0 && encoding_.width(e) > 0 && assignment_.is_open(positive(encoding_.first(e)));
  }
  bool is_closing(int e) const {
    return forest_.find(graph_.channel_a[e]) == forest_.find(graph_.channel_b[e]);
  }

  const Encoding& encoding_;
  const Graph& graph_;
  const Assignment& assignment_;
  RollbackForest forest_;
  std::vector<int> next_;  // the islands of each tree as a ring, so that the smaller of two can be walked
  std::vector<Placed> history_;
  std::vector<int> closing_;
};

}  // namespace kakehashi
