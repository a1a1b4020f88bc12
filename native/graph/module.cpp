// The bindings of the graph builder: a board's cells in, the bytes of each array out.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>

#include "builder.hpp"

namespace nb = nanobind;

namespace {

using kakehashi::graph::Ints;

nb::bytes bytes_of(const Ints& numbers) { return nb::bytes(numbers.data(), numbers.size() * sizeof(Ints::value_type)); }

nb::tuple build(nb::bytes cells, std::int64_t rows, std::int64_t cols, int capacity, nb::callable look) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / 8;  // a channel's number has to be an int
  const auto size = static_cast<std::int64_t>(cells.size());
  if (rows < 1 || cols < 1 || size > kMost || rows > size || cols > size || rows * cols != size) {
    throw nb::value_error("cells: expected rows * cols bytes, fewer than 2**28");
  }
  if (capacity < 1 || capacity > 4) throw nb::value_error("capacity: expected 1 to 4 bridges a channel");
  const auto arrays = kakehashi::graph::build(static_cast<const std::uint8_t*>(cells.data()), static_cast<int>(rows),
                                              static_cast<int>(cols), capacity, [&look] { look(); });
  const nb::object most = arrays.clue_most.empty() ? nb::none() : nb::object(bytes_of(arrays.clue_most));
  return nb::make_tuple(bytes_of(arrays.island_row), bytes_of(arrays.island_col), bytes_of(arrays.clue_least), most,
                        bytes_of(arrays.channel_a), bytes_of(arrays.channel_b), bytes_of(arrays.vertical),
                        bytes_of(arrays.neighbours), bytes_of(arrays.crossing_start), bytes_of(arrays.crossing));
}

}  // namespace

NB_MODULE(_graph, module) {
  module.doc() = "The graph of a puzzle, compiled; kakehashi.puzzle.graph_builder is its face.";
  module.def("build", &build, nb::arg("cells"), nb::arg("rows"), nb::arg("cols"), nb::arg("capacity"), nb::arg("look"),
             "The bytes of island_row, island_col, clue_least, clue_most (None: as clue_least), channel_a, channel_b,\n"
             "vertical, neighbours, crossing_start, crossing. Calls `look` now and then; what it raises ends the work.");
}
