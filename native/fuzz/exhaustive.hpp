// Every solution of a small board, by trying everything: shares nothing with the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "board.hpp"

namespace kakehashi::fuzz {

using Values = std::vector<std::int8_t>;  // the bridges of each channel

class Exhaustive {
 public:
  static constexpr int kMostSteps = 20000;

  explicit Exhaustive(const Board& board) : board_(board), values_(board.channels(), 0), sums_(board.islands(), 0) {
    later_.assign(board.islands(), 0);
    for (int e = 0; e < board.channels(); ++e) {
      ++later_[board.end_a(e)];
      ++later_[board.end_b(e)];
    }
  }

  // Nothing: there is too much to try.
  std::optional<std::set<Values>> solutions() {
    bool fits_all = true;
    for (int i = 0; i < board_.islands(); ++i) fits_all = fits_all && fits(i);
    if (fits_all) extend(0);
    if (steps_ > kMostSteps) return std::nullopt;
    return found_;
  }

 private:
  void extend(int e) {
    if (++steps_ > kMostSteps) return;
    if (e == board_.channels()) {
      if (is_connected()) found_.insert(values_);
      return;
    }
    const int a = board_.end_a(e);
    const int b = board_.end_b(e);
    --later_[a];
    --later_[b];
    const int most = is_crossed(e) ? 0 : board_.capacity();
    for (int bridges = 0; bridges <= most; ++bridges) {
      values_[e] = static_cast<std::int8_t>(bridges);
      sums_[a] += bridges;
      sums_[b] += bridges;
      if (fits(a) && fits(b)) extend(e + 1);
      sums_[a] -= bridges;
      sums_[b] -= bridges;
    }
    values_[e] = 0;
    ++later_[a];
    ++later_[b];
  }

  // Whether island i can still get what it asks for.
  bool fits(int i) const {
    return sums_[i] <= board_.most(i) && sums_[i] + later_[i] * board_.capacity() >= board_.least(i);
  }

  bool is_crossed(int e) const {
    for (int f = 0; f < e; ++f) {
      if (values_[f] > 0 && board_.crosses(e, f)) return true;
    }
    return false;
  }

  // One group, and where there are no loops one channel fewer than islands.
  bool is_connected() const {
    std::vector<char> is_reached(board_.islands(), 0);
    is_reached[0] = 1;
    int reached = 1;
    int used = 0;
    for (const std::int8_t bridges : values_) used += bridges > 0;
    for (bool grows = true; grows;) {
      grows = false;
      for (int e = 0; e < board_.channels(); ++e) {
        if (values_[e] == 0 || is_reached[board_.end_a(e)] == is_reached[board_.end_b(e)]) continue;
        is_reached[board_.end_a(e)] = is_reached[board_.end_b(e)] = 1;
        ++reached;
        grows = true;
      }
    }
    return reached == board_.islands() && (board_.has_loops() || used == board_.islands() - 1);
  }

  const Board& board_;
  Values values_;
  std::vector<int> sums_;
  std::vector<int> later_;  // by island: channels that are still to come
  int steps_ = 0;
  std::set<Values> found_;
};

}  // namespace kakehashi::fuzz
