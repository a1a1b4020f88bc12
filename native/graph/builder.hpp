// The graph of a puzzle as flat arrays: what kakehashi/puzzle/graph.py describes and graph_builder.py builds, compiled.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace kakehashi::graph {

// A cell that holds an island without a number.
constexpr std::uint8_t kUnknownClue = 0xFF;

// Steps (a cell, an island, a channel's cell) between two looks at the caller's clock: at most ten milliseconds.
constexpr std::int64_t kStride = 1 << 17;

using Ints = std::vector<std::int32_t>;

struct Arrays {
  Ints island_row, island_col;
  Ints clue_least;
  Ints clue_most;  // empty where every island has a number: the same as clue_least then
  Ints channel_a, channel_b, vertical, neighbours, crossing_start, crossing;
};

// `cells` holds rows * cols bytes: 0 for water, else a clue. An island without a number asks for 1 to `capacity` bridges in
// each of its channels. `look` is called every kStride steps; what it throws ends the building.
Arrays build(const std::uint8_t* cells, int rows, int cols, int capacity, const std::function<void()>& look);

}  // namespace kakehashi::graph
