// Is an answer right? Yes or no, from the clues and the bridges alone.
//
// This folder shares nothing with the engine and the graph builder, not even a header: an error there cannot hide here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kakehashi::judge {

constexpr std::uint8_t kUnknownClue = 0xFF;

struct Board {
  const std::uint8_t* cells;  // row-major; 0 is water, kUnknownClue an island without a number, all else a clue
  std::int64_t rows;
  std::int64_t cols;
  int max_bridges;  // in one channel
  bool loops;       // whether the bridges may run in a circle
};

// Bridge k leads from the place first[k] to the place last[k] and counts count[k]; place p is the cell (row[p], col[p]).
// The caller sees to it that first and last name places; the places may be anywhere.
struct Bridges {
  const std::int32_t* row;
  const std::int32_t* col;
  const std::int32_t* first;
  const std::int32_t* last;
  const std::uint8_t* count;
  std::size_t size;
};

// The same channel given twice adds up, and a count of 0 is no bridge, as in kakehashi.puzzle.checker.
bool is_right(const Board& board, const Bridges& bridges);

}  // namespace kakehashi::judge
