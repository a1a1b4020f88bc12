// Level-0 propagation: what follows from the clues without any search.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "problem.hpp"
#include "watchdog.hpp"

namespace kakehashi {

// The fewest and the most bridges of each channel.
struct Bounds {
  std::vector<std::int8_t> lo;
  std::vector<std::int8_t> hi;
};

// The bounds that the clues at both ends and the capacity alone allow.
Bounds widest_bounds(const Problem& problem);

// Narrows the widest bounds to the fixpoint of these rules, none of which removes a solution:
// - degree: the bridges of an island add up to its clue;
// - crossing: of two channels that share a cell at most one carries bridges;
// - necessary channels: a bridge, in the sense of graph theory, of the graph of channels that may still carry bridges
//   carries at least one (R. E. Tarjan, "A note on finding the bridges of a graph", 1974);
// - closure: a channel may not take the value that uses up the last demand of a group while islands outside remain;
// - trees, where the rules forbid loops: a channel within a group stays empty, and n - 1 channels carry all bridges.
// Nothing: proved that there is no solution.
std::optional<Bounds> propagate_level0(const Problem& problem, Watchdog& watchdog);

}  // namespace kakehashi
