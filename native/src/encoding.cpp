#include "encoding.hpp"

#include <utility>

namespace kakehashi {

Encoding::Encoding(const Problem& problem, Bounds bounds) : problem_(problem), bounds_(std::move(bounds)) {
  const int n = graph().n;
  const int m = graph().m;
  first_.assign(m, -1);
  for (int e = 0; e < m; ++e) {
    if (width(e) > 0) first_[e] = variables();
    channel_.insert(channel_.end(), width(e), e);
  }
  live_start_.reserve(n + 1);
  live_start_.push_back(0);
  for (int i = 0; i < n; ++i) {
    for (int side = 0; side < kSides; ++side) {
      if (const int e = graph().neighbours[kSides * i + side]; e >= 0 && is_live(e)) live_.push_back(e);
    }
    live_start_.push_back(static_cast<int>(live_.size()));
  }
}

}  // namespace kakehashi
