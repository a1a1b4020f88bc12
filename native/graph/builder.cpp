#include "builder.hpp"

#include <cstddef>

namespace kakehashi::graph {
namespace {

enum Side : int { kNorth, kEast, kSouth, kWest, kSides };

// Lets the caller look at its clock every now and then.
class Pace {
 public:
  explicit Pace(const std::function<void()>& look) : look_(look) { look_(); }
  void step(std::int64_t steps) {
    left_ -= steps;
    if (left_ > 0) return;
    left_ = kStride;
    look_();
  }

 private:
  const std::function<void()>& look_;
  std::int64_t left_ = kStride;
};

class Builder {
 public:
  Builder(const std::uint8_t* cells, int rows, int cols, Pace& pace)
      : cells_(cells), rows_(rows), cols_(cols), pace_(pace) {}

  Arrays build(int capacity) {
    walk();
    find_clues(capacity);
    find_crossings();
    return std::move(arrays_);
  }

 private:
  // The row-major walk that gives islands and channels their numbers: the western channel of an island before its
  // northern one.
  void walk() {
    std::vector<std::int32_t> above(static_cast<std::size_t>(cols_), -1);
    const std::uint8_t* cell = cells_;
    for (int row = 0; row < rows_; ++row) {
      pace_.step(cols_);
      std::int32_t west = -1;
      for (int col = 0; col < cols_; ++col, ++cell) {
        if (*cell == 0) continue;
        const auto island = static_cast<std::int32_t>(arrays_.island_row.size());
        arrays_.island_row.push_back(row);
        arrays_.island_col.push_back(col);
        arrays_.clue_least.push_back(*cell);
        arrays_.neighbours.insert(arrays_.neighbours.end(), kSides, -1);
        if (west >= 0) add_channel(west, kEast, island, kWest, 0);
        std::int32_t& north = above[static_cast<std::size_t>(col)];
        if (north >= 0) add_channel(north, kSouth, island, kNorth, 1);
        north = west = island;
      }
    }
  }

  void add_channel(std::int32_t a, Side side_of_a, std::int32_t b, Side side_of_b, std::int32_t vertical) {
    neighbour(a, side_of_a) = neighbour(b, side_of_b) = static_cast<std::int32_t>(arrays_.channel_a.size());
    arrays_.channel_a.push_back(a);
    arrays_.channel_b.push_back(b);
    arrays_.vertical.push_back(vertical);
  }

  // The channels are known, so an island without a number gets its range.
  void find_clues(int capacity) {
    Ints& least = arrays_.clue_least;
    Ints& most = arrays_.clue_most;
    for (std::size_t i = 0; i < least.size(); ++i) {
      if (least[i] != kUnknownClue) continue;
      if (most.empty()) most = least;
      least[i] = 1;
      most[i] = 0;
      for (int side = 0; side < kSides; ++side) {
        if (neighbour(static_cast<std::int32_t>(i), static_cast<Side>(side)) >= 0) most[i] += capacity;
      }
    }
  }

  // Each pair of channels that share a cell, at both of them: first how many, then which.
  void find_crossings() {
    const std::size_t m = arrays_.channel_a.size();
    Ints& start = arrays_.crossing_start;
    start.assign(m + 1, 0);
    for_each_crossing([&start](std::int32_t across, std::int32_t down) {
      ++start[static_cast<std::size_t>(across) + 1];
      ++start[static_cast<std::size_t>(down) + 1];
    });
    for (std::size_t e = 0; e < m; ++e) start[e + 1] += start[e];
    arrays_.crossing.resize(static_cast<std::size_t>(start[m]));
    Ints next(start.begin(), start.end() - 1);
    for_each_crossing([this, &next](std::int32_t across, std::int32_t down) {
      put(next[static_cast<std::size_t>(across)]++, down);
      put(next[static_cast<std::size_t>(down)]++, across);
    });
  }

  // Walks over the islands again, with the channel that hangs down into the present row in each column at hand. So the
  // crossings come row by row, from west to east.
  template <typename Visit>
  void for_each_crossing(Visit visit) {
    Ints hanging(static_cast<std::size_t>(cols_), -1);
    const std::size_t n = arrays_.island_row.size();
    for (std::size_t i = 0; i < n; ++i) {
      const auto island = static_cast<std::int32_t>(i);
      const int col = arrays_.island_col[i];
      const std::int32_t across = neighbour(island, kEast);
      hanging[static_cast<std::size_t>(col)] = neighbour(island, kSouth);
      if (across < 0) continue;
      const int end = arrays_.island_col[i + 1];
      pace_.step(end - col);
      for (int c = col + 1; c < end; ++c) {
        const std::int32_t down = hanging[static_cast<std::size_t>(c)];
        if (down >= 0) visit(across, down);
      }
    }
  }

  std::int32_t& neighbour(std::int32_t island, Side side) {
    return arrays_.neighbours[static_cast<std::size_t>(island) * kSides + static_cast<std::size_t>(side)];
  }
  void put(std::int32_t at, std::int32_t channel) { arrays_.crossing[static_cast<std::size_t>(at)] = channel; }

  const std::uint8_t* cells_;
  int rows_;
  int cols_;
  Pace& pace_;
  Arrays arrays_;
};

}  // namespace

Arrays build(const std::uint8_t* cells, int rows, int cols, int capacity, const std::function<void()>& look) {
  Pace pace(look);
  return Builder(cells, rows, cols, pace).build(capacity);
}

}  // namespace kakehashi::graph
