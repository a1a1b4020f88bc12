#include "loops.hpp"

#include <numeric>
#include <utility>

#include "check.hpp"

namespace kakehashi {

Loops::Loops(const Encoding& encoding, const Assignment& assignment)
    : encoding_(encoding), graph_(encoding.graph()), assignment_(assignment), forest_(graph_.n), next_(graph_.n) {
  std::iota(next_.begin(), next_.end(), 0);
}

bool Loops::place_fixed() {
  for (int e = 0; e < graph_.m; ++e) {
    if (encoding_.lo(e) > 0 && !place(e, -1)) return false;
  }
  return true;
}

bool Loops::place(int e, int position) {
  const int a = graph_.channel_a[e];
  const int b = graph_.channel_b[e];
  const int x = forest_.find(a);
  const int y = forest_.find(b);
  if (x == y) return false;
  const RollbackForest::Union groups = forest_.unite(x, y, a, b, e);
  // Each channel that closes from now on has an end in the smaller tree: so each island is walked over log n times at
  // most on the way to one group.
  int i = groups.child;
  do {
    for (const int* f = encoding_.live_begin(i); f != encoding_.live_end(i); ++f) {
      if (*f != e && is_open(*f) && forest_.find(graph_.other_end(*f, i)) == groups.root) closing_.push_back(*f);
    }
    i = next_[i];
  } while (i != groups.child);
  std::swap(next_[groups.child], next_[groups.root]);
  history_.push_back({position, groups});
  return true;
}

void Loops::undo_from(int position) {
  while (!history_.empty() && history_.back().position >= position) {
    const RollbackForest::Union groups = history_.back().groups;
    history_.pop_back();
    std::swap(next_[groups.child], next_[groups.root]);
    forest_.undo(forest_.unions() - 1);
  }
}

void Loops::explain(int e, std::vector<Lit>& clause) {
  clause.assign(1, negative(encoding_.first(e)));
  forest_.path(graph_.channel_a[e], graph_.channel_b[e], [&](int f) {
    if (encoding_.lo(f) > 0) return;
    clause.push_back(negative(encoding_.first(f)));
    KAKEHASHI_CHECK(assignment_.is_false(clause.back()));
  });
}

}  // namespace kakehashi
