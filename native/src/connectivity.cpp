#include "connectivity.hpp"

#include <utility>

#include "check.hpp"

namespace kakehashi {

Connectivity::Connectivity(const Encoding& encoding, const Assignment& assignment)
    : encoding_(encoding),
      assignment_(assignment),
      faces_(encoding),
      parent_(faces_.count(), -1),
      size_(faces_.count(), 1),
      dual_(faces_.count(), -1),
      removed_(encoding.graph().m, 0),
      odd_(encoding.graph().m, 0),
      face_stamp_(faces_.count(), 0),
      island_stamp_(encoding.graph().n, 0) {}

bool Connectivity::remove(int e, int position) {
  const std::size_t before = unions_.size();
  for (int k = faces_.first(e); k < faces_.first(e + 1); ++k) {
    // Where the crossing channel is gone there is no vertex any more: this segment has the faces of the one before.
    if (k > faces_.first(e) && removed_[faces_.crossing_after(k - 1)]) continue;
    const int a = find(faces_.face(2 * k));
    const int b = find(faces_.face(2 * k + 1));
    if (a == b) {
      find_ring(k);
      undo_unions(before);
      return true;
    }
    unite(k, a, b);
  }
  removed_[e] = 1;
  removals_.push_back({e, position, static_cast<int>(before)});
  return false;
}

void Connectivity::undo_from(int position) {
  while (!removals_.empty() && removals_.back().position >= position) {
    undo_unions(removals_.back().unions);
    removed_[removals_.back().channel] = 0;
    removals_.pop_back();
  }
}

// The classes a and b become one, by segment k, whose half-edge 2k lies in class a. The tree of the smaller class is
// rerooted at its face of k and hung below the other.
void Connectivity::unite(int segment, int a, int b) {
  int here = 2 * segment;  // the half-edge in the smaller class
  if (size_[a] < size_[b]) {
    std::swap(a, b);
  } else {
    here ^= 1;
  }
  parent_[b] = a;
  size_[a] += size_[b];
  const int face = faces_.face(here);
  unions_.push_back({b, face, reroot(face)});
  dual_[face] = here ^ 1;
}

void Connectivity::undo_unions(std::size_t kept) {
  while (unions_.size() > kept) {
    const Union last = unions_.back();
    unions_.pop_back();
    dual_[last.moved] = -1;
    reroot(last.old_root);
    size_[parent_[last.child]] -= size_[last.child];
    parent_[last.child] = -1;
  }
}

// Turns the path from a face to the root of its dual tree around; returns the old root.
int Connectivity::reroot(int face) {
  int up = dual_[face];
  dual_[face] = -1;
  while (up >= 0) {
    const int above = faces_.face(up);
    const int further = dual_[above];
    dual_[above] = up ^ 1;
    face = above;
    up = further;
  }
  return face;
}

void Connectivity::toggle(int e) {
  odd_[e] ^= 1;
  if (odd_[e]) cut_.push_back(e);
}

// The closed curve through a segment, whose faces are in one class, and the path between them in the dual forest. A
// channel has one end inside and one outside exactly when the curve crosses it an odd number of times.
void Connectivity::find_ring(int segment) {
  cut_.clear();
  toggle(faces_.channel(segment));
  const int x = faces_.face(2 * segment);
  const int y = faces_.face(2 * segment + 1);
  if (x != y) {
    // Both sides climb in turns, so the work is in proportion to the ring and not to the depth of the tree.
    const int mark_x = ++stamp_;
    const int mark_y = ++stamp_;
    int u = x;
    int v = y;
    face_stamp_[u] = mark_x;
    face_stamp_[v] = mark_y;
    int meeting = -1;
    const auto climb = [&](int& face, int own, int others) {
      if (face < 0) return false;
      if (dual_[face] < 0) {
        face = -1;
        return false;
      }
      face = faces_.face(dual_[face]);
      if (face_stamp_[face] == others) {
        meeting = face;
        return true;
      }
      face_stamp_[face] = own;
      return false;
    };
    while (!climb(u, mark_x, mark_y) && !climb(v, mark_y, mark_x)) KAKEHASHI_CHECK(u >= 0 || v >= 0);
    for (int face : {x, y}) {
      for (; face != meeting; face = faces_.face(dual_[face])) toggle(faces_.channel(dual_[face] / 2));
    }
  }
  std::size_t kept = 0;
  for (const int e : cut_) {
    if (!odd_[e]) continue;
    odd_[e] = 0;
    cut_[kept++] = e;
  }
  cut_.resize(kept);
}

bool Connectivity::find_group() {
  const Graph& graph = encoding_.graph();
  const int first_stamp = stamp_ + 1;
  int smallest_stamp = 0;
  smallest_.clear();
  for (int start = 0; start < graph.n; ++start) {
    if (island_stamp_[start] >= first_stamp) continue;
    ++stamp_;
    group_.assign(1, start);
    island_stamp_[start] = stamp_;
    for (std::size_t k = 0; k < group_.size(); ++k) {
      const int i = group_[k];
      for (const int* e = encoding_.live_begin(i); e != encoding_.live_end(i); ++e) {
        if (!can_carry(*e)) continue;
        const int j = graph.other_end(*e, i);
        if (island_stamp_[j] == stamp_) continue;
        island_stamp_[j] = stamp_;
        group_.push_back(j);
      }
    }
    if (static_cast<int>(group_.size()) == graph.n) return false;
    if (smallest_.empty() || group_.size() < smallest_.size()) {
      smallest_.swap(group_);
      smallest_stamp = stamp_;
    }
  }
  cut_.clear();
  for (const int i : smallest_) {
    for (const int* e = encoding_.live_begin(i); e != encoding_.live_end(i); ++e) {
      if (island_stamp_[graph.other_end(*e, i)] != smallest_stamp) cut_.push_back(*e);
    }
  }
  return true;
}

}  // namespace kakehashi
