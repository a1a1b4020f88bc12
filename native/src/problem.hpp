// What is to be solved: the graph as flat arrays that belong to the caller, and what the islands ask for.
#pragma once

#include <cstdint>

namespace kakehashi {

constexpr int kSides = 4;
enum Side : int { kNorth = 0, kEast = 1, kSouth = 2, kWest = 3 };

// A view of the arrays of `kakehashi.puzzle.graph.Graph`, which explains them; nothing is copied or owned. The engine
// relies on the order there: islands row-major, channel_a[e] < channel_b[e], the channels that cross channel e sorted
// along e.
struct Graph {
  int n = 0;  // islands
  int m = 0;  // channels
  const std::int32_t* island_row = nullptr;
  const std::int32_t* island_col = nullptr;
  const std::int32_t* channel_a = nullptr;
  const std::int32_t* channel_b = nullptr;
  const std::int32_t* vertical = nullptr;
  const std::int32_t* neighbours = nullptr;  // kSides for each island, -1 where there is no channel
  const std::int32_t* crossing_start = nullptr;
  const std::int32_t* crossing = nullptr;

  int other_end(int e, int i) const { return channel_a[e] ^ channel_b[e] ^ i; }
};

// The classic rules have capacity 2, clue_least == clue_most (the same array) and loops. The variants differ in these
// alone: up to 4 bridges a channel, an island without a number asks for 1 to as many as its channels carry, and where
// there are no loops the channels that carry bridges form a tree.
struct Problem {
  Graph graph;
  int capacity = 2;
  const std::int32_t* clue_least = nullptr;
  const std::int32_t* clue_most = nullptr;
  bool loops = true;

  bool is_exact(int i) const { return clue_least[i] == clue_most[i]; }
};

}  // namespace kakehashi
