// Connectivity as a propagator: sees the moment in which empty channels cut a group of islands off.
#pragma once

#include <cstddef>
#include <vector>

#include "assignment.hpp"
#include "encoding.hpp"
#include "faces.hpp"
#include "rollback_forest.hpp"

namespace kakehashi {

// In a planar drawing a group is cut off exactly when the empty channels close a ring around it (duality of cuts and
// cycles; Whitney, "Non-separable and planar graphs", 1932). So there is a union-find over the faces: a channel that
// becomes empty unites the faces on its two sides; if they are one class already, the ring is closed, and it is found
// in a dual forest, which has an edge for every union. Both go back with the search.
//
// Groups that hang together only by two crossing channels, neither of them empty, are connected in the drawing but not
// on the board: `find_group` sees those, and carries completeness.
class Connectivity {
 public:
  Connectivity(const Encoding& encoding, const Assignment& assignment);

  // Channel e has become empty, by the literal at `position` of the trail. True: a group is cut off, `cut` says by
  // which channels (all of them empty, one of any solution is not), and the removal of e is not noted.
  bool remove(int e, int position);

  // Forget the removals by literals at `position` and after.
  void undo_from(int position);

  // A full search of what is not empty. True: the islands are not connected, and `cut` is around the smallest group.
  bool find_group();

  const std::vector<int>& cut() const { return cut_; }

 private:
  struct Removal {
    int channel;
    int position;
    std::size_t unions;  // before it
  };

  void find_ring(int segment);
  void toggle(int e);
  bool can_carry(int e) const {
    return encoding_.lo(e) > 0 || !assignment_.is_false(positive(encoding_.first(e)));
  }

  const Encoding& encoding_;
  const Assignment& assignment_;
  Faces faces_;
  // The labels of the dual forest, whose trees are the classes, are segments.
  RollbackForest classes_;
  std::vector<char> removed_;  // by channel
  std::vector<Removal> removals_;
  std::vector<int> cut_;
  std::vector<char> odd_;  // by channel: crossed an odd number of times
  std::vector<int> island_stamp_;
  std::vector<int> group_, smallest_;
  int stamp_ = 0;
};

}  // namespace kakehashi
