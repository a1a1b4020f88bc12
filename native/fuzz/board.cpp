#include "board.hpp"

#include <algorithm>

namespace kakehashi::fuzz {

Board::Board(Bytes& bytes) {
  const int rules = bytes.next();
  capacity_ = rules % 3 == 0 ? bytes.between(1, 4) : 2;
  loops_ = rules % 5 < 3;
  const int rows = bytes.between(1, 6);
  const int cols = bytes.between(1, 6);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      if (bytes.next() % 5 < 2 || islands() == kMostIslands) continue;
      row_.push_back(r);
      col_.push_back(c);
    }
  }
  if (row_.empty()) {
    row_.push_back(0);
    col_.push_back(0);
  }
  find_channels(cols);
  find_crossings();
  make_clues(bytes);
}

// In the order of kakehashi.puzzle.graph: by the second end, the western channel before the northern one.
void Board::find_channels(int cols) {
  neighbours_.assign(kSides * row_.size(), -1);
  std::vector<int> above(cols, -1);
  for (int i = 0; i < islands(); ++i) {
    const auto join = [&](int other, Side side, Side back) {
      neighbours_[kSides * i + side] = neighbours_[kSides * other + back] = channels();
      end_a_.push_back(other);
      end_b_.push_back(i);
      vertical_.push_back(side == kNorth ? 1 : 0);
    };
    if (i > 0 && row_[i - 1] == row_[i]) join(i - 1, kWest, kEast);
    if (above[col_[i]] >= 0) join(above[col_[i]], kNorth, kSouth);
    above[col_[i]] = i;
  }
}

bool Board::crosses(int e, int f) const {
  if (vertical_[e] == vertical_[f]) return false;
  if (vertical_[e] == 0) return crosses(f, e);
  const int row = row_[end_a_[f]];
  const int col = col_[end_a_[e]];
  return row_[end_a_[e]] < row && row < row_[end_b_[e]] && col_[end_a_[f]] < col && col < col_[end_b_[f]];
}

void Board::find_crossings() {
  crossing_start_.push_back(0);
  for (int e = 0; e < channels(); ++e) {
    const auto first = static_cast<std::ptrdiff_t>(crossing_.size());
    for (int f = 0; f < channels(); ++f) {
      if (crosses(e, f)) crossing_.push_back(f);
    }
    // Sorted along e.
    std::sort(crossing_.begin() + first, crossing_.end(), [&](int f, int g) {
      return vertical_[e] != 0 ? row_[end_a_[f]] < row_[end_a_[g]] : col_[end_a_[f]] < col_[end_a_[g]];
    });
    crossing_start_.push_back(static_cast<std::int32_t>(crossing_.size()));
  }
}

std::vector<int> Board::lay_bridges(Bytes& bytes) const {
  std::vector<int> bridges(channels(), 0);
  for (int e = 0; e < channels(); ++e) {
    bool is_free = true;
    for (int k = crossing_start_[e]; k < crossing_start_[e + 1]; ++k) is_free = is_free && bridges[crossing_[k]] == 0;
    if (is_free) bridges[e] = bytes.between(0, capacity_);
  }
  return bridges;
}

void Board::make_clues(Bytes& bytes) {
  const int n = islands();
  const int how = bytes.next();
  least_.assign(n, 0);
  if (how % 2 == 0) {
    const std::vector<int> bridges = lay_bridges(bytes);
    for (int e = 0; e < channels(); ++e) {
      least_[end_a_[e]] += bridges[e];
      least_[end_b_[e]] += bridges[e];
    }
  }
  for (int i = 0; i < n; ++i) {
    const bool is_senseless = how % 2 != 0 || bytes.next() % 16 == 1;
    least_[i] = is_senseless ? bytes.between(1, kSides * capacity_) : std::max(1, least_[i]);
  }
  most_ = least_;
  if (how % 3 != 0) return;
  for (int i = 0; i < n; ++i) {
    if (bytes.next() % 3 != 0) continue;
    least_[i] = 1;
    most_[i] = 0;
    for (int side = 0; side < kSides; ++side) most_[i] += neighbours_[kSides * i + side] >= 0 ? capacity_ : 0;
  }
}

Problem Board::problem() const {
  Problem problem;
  problem.graph = {islands(),        channels(),         row_.data(),
                   col_.data(),      end_a_.data(),      end_b_.data(),
                   vertical_.data(), neighbours_.data(), crossing_start_.data(),
                   crossing_.data()};
  problem.capacity = capacity_;
  problem.clue_least = least_.data();
  problem.clue_most = most_.data();
  problem.loops = loops_;
  return problem;
}

}  // namespace kakehashi::fuzz
