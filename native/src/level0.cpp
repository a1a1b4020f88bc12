#include "level0.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace kakehashi {
namespace {

class Level0 {
 public:
  Level0(const Problem& problem, Watchdog& watchdog)
      : problem_(problem), graph_(problem.graph), watchdog_(watchdog), bounds_(widest_bounds(problem)) {}

  bool run() {
    queued_.assign(graph_.n, 1);
    queue_.resize(graph_.n);
    std::iota(queue_.begin(), queue_.end(), 0);
    do {
      if (!degrees()) return false;
      if (weakened_ && !necessary()) return false;
      if (queue_.empty() && !closure()) return false;
      if (queue_.empty() && !problem_.loops && !trees()) return false;
    } while (!queue_.empty());
    return true;
  }

  Bounds take() { return std::move(bounds_); }

 private:
  void enqueue(int i) {
    if (queued_[i]) return;
    queued_[i] = 1;
    queue_.push_back(i);
  }

  void enqueue_ends(int e) {
    enqueue(graph_.channel_a[e]);
    enqueue(graph_.channel_b[e]);
  }

  // Channel e carries at least `least` bridges, so what crosses it carries none.
  bool raise(int e, int least) {
    const bool fresh = bounds_.lo[e] == 0;
    bounds_.lo[e] = static_cast<std::int8_t>(least);
    enqueue_ends(e);
    if (bounds_.hi[e] < least) return false;
    if (!fresh) return true;
    for (int t = graph_.crossing_start[e]; t < graph_.crossing_start[e + 1]; ++t) {
      const int f = graph_.crossing[t];
      if (bounds_.lo[f] > 0) return false;
      if (bounds_.hi[f] > 0) lower(f, 0);
    }
    return true;
  }

  void lower(int e, int most) {
    bounds_.hi[e] = static_cast<std::int8_t>(most);
    if (most == 0) weakened_ = true;
    enqueue_ends(e);
  }

  bool degrees() {
    auto& [lo, hi] = bounds_;
    while (!queue_.empty()) {
      watchdog_.tick();
      const int i = queue_.back();
      queue_.pop_back();
      queued_[i] = 0;
      const std::int32_t* around = graph_.neighbours + kSides * i;
      int fewest = 0;
      int most = 0;
      for (int side = 0; side < kSides; ++side) {
        if (const int e = around[side]; e >= 0) {
          fewest += lo[e];
          most += hi[e];
        }
      }
      if (fewest > problem_.clue_most[i] || most < problem_.clue_least[i]) return false;
      for (int side = 0; side < kSides; ++side) {
        const int e = around[side];
        if (e < 0 || lo[e] == hi[e]) continue;
        const int upper = problem_.clue_most[i] - (fewest - lo[e]);
        const int least = problem_.clue_least[i] - (most - hi[e]);
        if (upper < hi[e]) {
          most -= hi[e] - upper;
          lower(e, upper);
        }
        if (least > lo[e]) {
          fewest += least - lo[e];
          if (!raise(e, least)) return false;
        }
      }
    }
    return true;
  }

  // Tarjan's bridges over the channels that may carry bridges, with a stack of our own: boards are deep.
  bool necessary() {
    auto& [lo, hi] = bounds_;
    weakened_ = false;
    number_.assign(graph_.n, 0);
    low_.resize(graph_.n);
    via_.resize(graph_.n);
    next_side_.assign(graph_.n, 0);
    path_.clear();
    found_.clear();
    int visited = 1;
    number_[0] = low_[0] = 1;
    via_[0] = -1;
    path_.push_back(0);
    while (!path_.empty()) {
      const int i = path_.back();
      if (next_side_[i] < kSides) {
        const int e = graph_.neighbours[kSides * i + next_side_[i]++];
        if (e < 0 || hi[e] == 0 || e == via_[i]) continue;
        const int j = graph_.other_end(e, i);
        if (number_[j] != 0) {
          low_[i] = std::min(low_[i], number_[j]);
          continue;
        }
        watchdog_.tick();
        number_[j] = low_[j] = ++visited;
        via_[j] = e;
        path_.push_back(j);
      } else {
        path_.pop_back();
        if (path_.empty()) break;
        const int above = path_.back();
        low_[above] = std::min(low_[above], low_[i]);
        if (low_[i] > number_[above] && lo[via_[i]] == 0) found_.push_back(via_[i]);
      }
    }
    if (visited < graph_.n) return false;
    return std::all_of(found_.begin(), found_.end(), [this](int e) { return raise(e, 1); });
  }

  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  // The groups that channels with bridges make, into `parent_`. False: there is a loop where the rules forbid them.
  bool make_groups() {
    parent_.resize(graph_.n);
    std::iota(parent_.begin(), parent_.end(), 0);
    groups_ = graph_.n;
    for (int e = 0; e < graph_.m; ++e) {
      if (bounds_.lo[e] == 0) continue;
      const int a = find(graph_.channel_a[e]);
      const int b = find(graph_.channel_b[e]);
      if (a != b) {
        parent_[a] = b;
        --groups_;
      } else if (!problem_.loops) {
        return false;
      }
    }
    return true;
  }

  // Let a channel have w more bridges to give than its lo. Within a group with a demand of 2w, all w would close it.
  // Between two groups w = hi, and by the degree rule neither wants less, so all w close what they become together when
  // the demands add up to 2w; any third group then stays outside.
  bool closure() {
    auto& [lo, hi] = bounds_;
    const int n = graph_.n;
    if (!make_groups()) return false;
    if (groups_ == 1) return true;
    constexpr std::int64_t kUnknown = std::int64_t{1} << 32;  // an island without a number is never satisfied
    demand_.assign(n, 0);
    for (int i = 0; i < n; ++i) {
      std::int64_t left = problem_.is_exact(i) ? problem_.clue_most[i] : kUnknown;
      for (int side = 0; side < kSides; ++side) {
        if (const int e = graph_.neighbours[kSides * i + side]; e >= 0) left -= lo[e];
      }
      demand_[find(i)] += left;
    }
    watchdog_.tick(Watchdog::kStride);
    for (int i = 0; i < n; ++i) {
      if (parent_[i] == i && demand_[i] == 0) return false;
    }
    for (int e = 0; e < graph_.m; ++e) {
      if (lo[e] == hi[e]) continue;
      const int a = find(graph_.channel_a[e]);
      const int b = find(graph_.channel_b[e]);
      const int twice = 2 * (hi[e] - lo[e]);
      const bool closes = a == b ? demand_[a] == twice : groups_ > 2 && demand_[a] + demand_[b] == twice;
      if (closes) lower(e, hi[e] - 1);
    }
    return true;
  }

  // A tree has n - 1 channels, and what the clues ask for beyond one bridge in each of them is all that the channels
  // carry beyond one.
  bool trees() {
    auto& [lo, hi] = bounds_;
    if (!make_groups()) return false;
    std::int64_t surely_more = 0;
    std::int64_t perhaps_more = 0;
    for (int e = 0; e < graph_.m; ++e) {
      if (lo[e] == 0 && hi[e] > 0 && find(graph_.channel_a[e]) == find(graph_.channel_b[e])) lower(e, 0);
      surely_more += std::max(0, lo[e] - 1);
      perhaps_more += std::max(0, hi[e] - 1);
    }
    watchdog_.tick(Watchdog::kStride);
    std::int64_t twice = 0;
    for (int i = 0; i < graph_.n; ++i) {
      if (!problem_.is_exact(i)) return true;
      twice += problem_.clue_most[i];
    }
    const std::int64_t more = twice / 2 - (graph_.n - 1);
    if (twice % 2 != 0 || more < surely_more || more > perhaps_more) return false;
    if (more == surely_more) {
      for (int e = 0; e < graph_.m; ++e) {
        if (hi[e] > std::max<int>(1, lo[e])) lower(e, std::max<int>(1, lo[e]));
      }
    }
    return true;
  }

  const Problem& problem_;
  const Graph& graph_;
  Watchdog& watchdog_;
  Bounds bounds_;
  std::vector<int> queue_;
  std::vector<char> queued_;
  std::vector<int> number_, low_, via_, path_, found_, parent_;
  std::vector<std::int8_t> next_side_;
  std::vector<std::int64_t> demand_;
  int groups_ = 0;
  bool weakened_ = true;  // a channel became impossible since the last search for necessary ones
};

}  // namespace

Bounds widest_bounds(const Problem& problem) {
  const Graph& graph = problem.graph;
  Bounds bounds;
  bounds.lo.assign(graph.m, 0);
  bounds.hi.resize(graph.m);
  for (int e = 0; e < graph.m; ++e) {
    bounds.hi[e] = static_cast<std::int8_t>(std::min({problem.capacity, problem.clue_most[graph.channel_a[e]],
                                                      problem.clue_most[graph.channel_b[e]]}));
  }
  return bounds;
}

std::optional<Bounds> propagate_level0(const Problem& problem, Watchdog& watchdog) {
  Level0 level0(problem, watchdog);
  if (!level0.run()) return std::nullopt;
  return level0.take();
}

}  // namespace kakehashi
