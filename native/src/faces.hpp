// The faces of the planar drawing of all live channels.
#pragma once

#include <vector>

#include "encoding.hpp"

namespace kakehashi {

// Channels are drawn as straight lines; where two of them cross, the drawing has a vertex. So a channel is a row of
// segments, and each segment has a face on either side.
//
// Segment k has the half-edges 2k (from the channel's end a to its end b) and 2k + 1 (back). A half-edge belongs to the
// face on its left hand.
class Faces {
 public:
  explicit Faces(const Encoding& encoding);

  int count() const { return count_; }
  int segments() const { return static_cast<int>(channel_.size()); }

  // The segments of channel e are first(e) .. first(e + 1) - 1, from a to b; none when it is not live.
  int first(int e) const { return first_[e]; }
  int channel(int segment) const { return channel_[segment]; }
  // The channel that crosses at the end of a segment; not for the last one of a channel.
  int crossing_after(int segment) const { return crossing_after_[segment]; }
  int face(int half_edge) const { return face_[half_edge]; }

 private:
  int place_crossings(const Encoding& encoding, std::vector<int>& vertex_after);
  void walk_faces(const Graph& graph, const std::vector<int>& vertex_after, int vertices);

  std::vector<int> first_;
  std::vector<int> channel_;
  std::vector<int> crossing_after_;
  std::vector<int> face_;
  int count_ = 0;
};

}  // namespace kakehashi
