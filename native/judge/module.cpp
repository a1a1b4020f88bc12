// The bindings of the judge: flat arrays in without copies, yes or no out.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <string>

#include "judge.hpp"

namespace nb = nanobind;

namespace {

// An array of C ints of another object, by the buffer protocol; it cannot be resized while this lives.
class Ints {
 public:
  Ints(nb::handle object, const char* name) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
    if (view_.itemsize != sizeof(std::int32_t) || view_.format == nullptr || std::string(view_.format) != "i") {
      PyBuffer_Release(&view_);
      throw nb::type_error((std::string(name) + ": expected an array of C ints, as array('i')").c_str());
    }
  }
  ~Ints() { PyBuffer_Release(&view_); }
  Ints(const Ints&) = delete;
  Ints& operator=(const Ints&) = delete;

  const std::int32_t* data() const { return static_cast<const std::int32_t*>(view_.buf); }
  std::int64_t size() const { return view_.len / view_.itemsize; }

  bool is_below(std::int64_t end) const {
    for (std::int64_t k = 0; k < size(); ++k) {
      if (data()[k] < 0 || data()[k] >= end) return false;
    }
    return true;
  }

 private:
  Py_buffer view_{};
};

bool is_right(nb::bytes cells, std::int64_t rows, std::int64_t cols, int max_bridges, bool loops, nb::handle row,
              nb::handle col, nb::handle first, nb::handle last, nb::bytes count) {
  const auto size = static_cast<std::int64_t>(cells.size());
  if (rows < 1 || cols < 1 || rows > size || cols > size || size > std::numeric_limits<std::int32_t>::max() ||
      rows * cols != size) {
    throw nb::value_error("cells: expected rows * cols bytes, fewer than 2**31");
  }
  if (max_bridges < 1 || max_bridges > 4) throw nb::value_error("max_bridges: expected 1 to 4");
  const Ints rows_of(row, "row"), cols_of(col, "col"), firsts(first, "first"), lasts(last, "last");
  const auto bridges = static_cast<std::int64_t>(count.size());
  if (rows_of.size() != cols_of.size() || firsts.size() != bridges || lasts.size() != bridges) {
    throw nb::value_error("expected row and col of one length, and first, last and count of one length");
  }
  if (!firsts.is_below(rows_of.size()) || !lasts.is_below(rows_of.size())) {
    throw nb::value_error("first, last: expected places that row and col hold");
  }
  return kakehashi::judge::is_right(
      {static_cast<const std::uint8_t*>(cells.data()), rows, cols, max_bridges, loops},
      {rows_of.data(), cols_of.data(), firsts.data(), lasts.data(), static_cast<const std::uint8_t*>(count.data()),
       static_cast<std::size_t>(bridges)});
}

}  // namespace

NB_MODULE(_judge, module) {
  module.doc() = "The checker's short answer, compiled; kakehashi.puzzle.checker is its face.";
  module.def("is_right", &is_right, nb::arg("cells"), nb::arg("rows"), nb::arg("cols"), nb::arg("max_bridges"),
             nb::arg("loops"), nb::arg("row"), nb::arg("col"), nb::arg("first"), nb::arg("last"), nb::arg("count"),
             "Whether the bridges are an answer: bridge k leads from place first[k] to last[k] and counts count[k];\n"
             "place p is the cell (row[p], col[p]).");
}
