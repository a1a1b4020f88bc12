#include "connectivity.hpp"

namespace kakehashi {

Connectivity::Connectivity(const Encoding& encoding, const Assignment& assignment)
    : encoding_(encoding),
      assignment_(assignment),
      faces_(encoding),
      classes_(faces_.count()),
      removed_(encoding.graph().m, 0),
      odd_(encoding.graph().m, 0),
      island_stamp_(encoding.graph().n, 0) {}

bool Connectivity::remove(int e, int position) {
  const std::size_t before = classes_.unions();
  for (int k = faces_.first(e); k < faces_.first(e + 1); ++k) {
    // Where the crossing channel is gone there is no vertex any more: this segment has the faces of the one before.
    if (k > faces_.first(e) && removed_[faces_.crossing_after(k - 1)]) continue;
    const int x = faces_.face(2 * k);
    const int y = faces_.face(2 * k + 1);
    const int a = classes_.find(x);
    const int b = classes_.find(y);
    if (a == b) {
      find_ring(k);
      classes_.undo(before);
      return true;
    }
    classes_.unite(a, b, x, y, k);
  }
  removed_[e] = 1;
  removals_.push_back({e, position, before});
  return false;
}

void Connectivity::undo_from(int position) {
  while (!removals_.empty() && removals_.back().position >= position) {
    classes_.undo(removals_.back().unions);
    removed_[removals_.back().channel] = 0;
    removals_.pop_back();
  }
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
  classes_.path(faces_.face(2 * segment), faces_.face(2 * segment + 1),
                [this](int crossed) { toggle(faces_.channel(crossed)); });
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
