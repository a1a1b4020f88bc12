#include "demand.hpp"

#include <cmath>
#include <utility>

#include "check.hpp"

namespace kakehashi {
namespace {

// What an island without a number wants: so much that no group with one is ever seen as nearly satisfied.
constexpr int kUnlimited = 1 << 10;

}  // namespace

Demand::Demand(const Encoding& encoding, const Assignment& assignment)
    : encoding_(encoding), graph_(encoding.graph()), assignment_(assignment), most_(encoding.problem().capacity) {
  const int n = graph_.n;
  parent_.assign(n, -1);
  size_.assign(n, 1);
  stamps_.assign(n, 0);
  own_.resize(n);
  left_.resize(n);
  first_moment_.resize(n);
  second_moment_.resize(n);
  for (std::int64_t i = 0; i < n; ++i) {
    own_[i] = encoding.problem().is_exact(static_cast<int>(i)) ? encoding.problem().clue_most[i] : kUnlimited;
    left_[i] = own_[i];
    first_moment_[i] = i * own_[i];
    second_moment_[i] = i * i * own_[i];
  }
  for (int e = 0; e < graph_.m; ++e) {
    if (encoding.lo(e) == 0) continue;
    const int x = find(graph_.channel_a[e]);
    const int y = find(graph_.channel_b[e]);
    use(x == y ? x : join(x, y) >= 0 ? find(x) : x, e, encoding.lo(e));
  }
  for (int i = 0; i < n; ++i) {
    if (parent_[i] < 0) watch(i);
  }
}

// `bridges` more in channel e, which lies within the group of `root`.
void Demand::use(int root, int e, int bridges) {
  const std::int64_t a = graph_.channel_a[e];
  const std::int64_t b = graph_.channel_b[e];
  own_[a] -= bridges;
  own_[b] -= bridges;
  left_[root] -= 2 * bridges;
  first_moment_[root] -= bridges * (a + b);
  second_moment_[root] -= bridges * (a * a + b * b);
}

// Makes two groups one; returns the root that is one no more.
int Demand::join(int x, int y) {
  if (size_[x] < size_[y]) std::swap(x, y);
  parent_[y] = x;
  size_[x] += size_[y];
  left_[x] += left_[y];
  first_moment_[x] += first_moment_[y];
  second_moment_[x] += second_moment_[y];
  return y;
}

// A higher step of a ladder may stand before the lowest on the trail. Then the numbers of a group are off for a moment,
// but unit propagation is complete, and with it the ladder, before `propagate` looks at them.
void Demand::place(Var v, int position) {
  const int e = encoding_.channel(v);
  int root = find(graph_.channel_a[e]);
  int child = -1;
  if (encoding_.decides_use(v)) {
    const int other = find(graph_.channel_b[e]);
    if (other != root) {
      child = join(root, other);
      if (child == root) root = other;
    }
  }
  use(root, e, 1);
  history_.push_back({position, e, child});
  watch(root);
}

void Demand::undo_from(int position) {
  // What is queued stays: `propagate` looks at each group as it is then.
  while (!history_.empty() && history_.back().position >= position) {
    const Placed last = history_.back();
    history_.pop_back();
    const int root = find(graph_.channel_a[last.channel]);
    use(root, last.channel, -1);
    if (last.child < 0) continue;
    const int child = last.child;
    parent_[child] = -1;
    size_[root] -= size_[child];
    left_[root] -= left_[child];
    first_moment_[root] -= first_moment_[child];
    second_moment_[root] -= second_moment_[child];
  }
}

// The bridges that channel e carries for sure.
int Demand::placed(int e) const {
  int bridges = encoding_.lo(e);
  while (bridges < encoding_.hi(e) && assignment_.is_true(encoding_.at_least(e, bridges + 1))) ++bridges;
  return bridges;
}

// With rest r at islands i, mean = S1 / r and variance = S2 / r - mean^2. No variance: all at one island. If it is in
// two equal halves at u < w, the variance is ((w - u) / 2)^2, so u and w are (S1 -+ sqrt(r S2 - S1^2)) / r. For r = 2
// that is the only other case; for more the numbers of the islands themselves must say so.
bool Demand::find_rest(int root, int& u, int& w) const {
  const std::int64_t rest = left_[root];
  const std::int64_t sum = first_moment_[root];
  const std::int64_t spread = rest * second_moment_[root] - sum * sum;
  if (spread == 0) {
    u = w = static_cast<int>(sum / rest);
    return own_[u] == rest;
  }
  if (spread < 0 || rest % 2 != 0) return false;
  const std::int64_t root_of_spread = std::llround(std::sqrt(static_cast<double>(spread)));
  if (root_of_spread * root_of_spread != spread) return false;
  if ((sum - root_of_spread) % rest != 0 || (sum + root_of_spread) % rest != 0) return false;
  const std::int64_t low = (sum - root_of_spread) / rest;
  const std::int64_t high = (sum + root_of_spread) / rest;
  if (low < 0 || high >= graph_.n) return false;
  u = static_cast<int>(low);
  w = static_cast<int>(high);
  if (2 * own_[u] != rest || 2 * own_[w] != rest) return false;
  // 1, 1, 1, 1 at the islands 3, 9, 11, 17 has the sums of 2, 2 at 5 and 15, which may be of another group.
  return rest == 2 || (find(u) == root && find(w) == root);
}

// Let S be the islands that the groups of both ends had when v became false. All of them but the two ends were
// satisfied then. If the bridges of the ends stay, if no channel leads out of S from another island, and if v were
// true, then the ends were satisfied too and S closed. So one of these does not hold.
void Demand::explain(Var v, std::vector<Lit>& clause) {
  const int e = encoding_.channel(v);
  const int position = assignment_.cause(v).position;
  const int end_a = graph_.channel_a[e];
  const int end_b = graph_.channel_b[e];
  clause.assign(1, negative(v));
  ++stamp_;
  group_.assign({end_a, end_b});
  stamps_[end_a] = stamps_[end_b] = stamp_;
  const auto connects = [&](int f) {
    return encoding_.lo(f) > 0 || was_placed_before(positive(encoding_.first(f)), position);
  };
  for (std::size_t k = 0; k < group_.size(); ++k) {
    const int i = group_[k];
    for (const int* f = encoding_.live_begin(i); f != encoding_.live_end(i); ++f) {
      const int j = graph_.other_end(*f, i);
      if (stamps_[j] == stamp_ || !connects(*f)) continue;
      stamps_[j] = stamp_;
      group_.push_back(j);
    }
  }
  for (const int i : group_) {
    const bool is_end = i == end_a || i == end_b;
    for (const int* f = encoding_.live_begin(i); f != encoding_.live_end(i); ++f) {
      if (*f == e || encoding_.width(*f) == 0) continue;
      if (is_end) {
        // Between the two ends there is no other channel than e, so none comes twice.
        int bridges = encoding_.hi(*f);
        while (bridges > encoding_.lo(*f) && !was_placed_before(encoding_.at_least(*f, bridges), position)) --bridges;
        if (bridges > encoding_.lo(*f)) clause.push_back(negated(encoding_.at_least(*f, bridges)));
      } else if (stamps_[graph_.other_end(*f, i)] != stamp_) {
        clause.push_back(positive(encoding_.first(*f)));
      }
    }
  }
#ifdef KAKEHASHI_ASSERTIONS
  for (std::size_t k = 1; k < clause.size(); ++k) {
    KAKEHASHI_CHECK(assignment_.is_false(clause[k]) && assignment_.position(clause[k]) < position);
  }
#endif
}

void Demand::explained_cut(std::vector<Lit>& cut) const {
  cut.clear();
  for (const int i : group_) {
    for (const int* f = encoding_.live_begin(i); f != encoding_.live_end(i); ++f) {
      if (stamps_[graph_.other_end(*f, i)] != stamp_) cut.push_back(positive(encoding_.first(*f)));
    }
  }
}

}  // namespace kakehashi
