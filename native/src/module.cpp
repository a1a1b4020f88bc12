// The bindings: arrays in without copies, solutions out as bytes, the GIL free in between.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "solver.hpp"

namespace nb = nanobind;

namespace kakehashi {
namespace {

// An array of C ints of another object, by the buffer protocol; it cannot be resized while this lives.
class IntArray {
 public:
  IntArray(nb::handle object, const char* name) : name_(name) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
    if (view_.itemsize != sizeof(std::int32_t) || view_.format == nullptr || std::string(view_.format) != "i") {
      PyBuffer_Release(&view_);
      throw nb::type_error((std::string(name) + ": expected an array of C ints, as array('i')").c_str());
    }
  }
  ~IntArray() { PyBuffer_Release(&view_); }
  IntArray(const IntArray&) = delete;
  IntArray& operator=(const IntArray&) = delete;

  const std::int32_t* data() const { return static_cast<const std::int32_t*>(view_.buf); }
  std::int64_t size() const { return view_.len / view_.itemsize; }

  void expect_size(std::int64_t expected) const {
    if (size() == expected) return;
    throw nb::value_error((std::string(name_) + ": expected " + std::to_string(expected) + " numbers, found " +
                           std::to_string(size()))
                              .c_str());
  }
  void expect_range(std::int32_t least, std::int64_t most) const {
    for (std::int64_t k = 0; k < size(); ++k) {
      if (data()[k] >= least && data()[k] <= most) continue;
      throw nb::value_error((std::string(name_) + ": expected numbers in " + std::to_string(least) + ".." +
                             std::to_string(most) + ", found " + std::to_string(data()[k]))
                                .c_str());
    }
  }

 private:
  const char* name_;
  Py_buffer view_{};
};

class Session {
 public:
  Session(nb::handle island_row, nb::handle island_col, nb::handle channel_a, nb::handle channel_b,
          nb::handle vertical, nb::handle neighbours, nb::handle crossing_start, nb::handle crossing,
          nb::handle clue_least, nb::handle clue_most, int capacity, bool loops, int tile, int hops,
          std::int64_t budget, std::int64_t memory, bool proof)
      : island_row_(island_row, "island_row"),
        island_col_(island_col, "island_col"),
        channel_a_(channel_a, "channel_a"),
        channel_b_(channel_b, "channel_b"),
        vertical_(vertical, "vertical"),
        neighbours_(neighbours, "neighbours"),
        crossing_start_(crossing_start, "crossing_start"),
        crossing_(crossing, "crossing"),
        clue_least_(clue_least, "clue_least"),
        clue_most_(clue_most, "clue_most") {
    expect_sense();
    if (capacity < 1 || capacity > 4) throw nb::value_error("capacity: expected 1 to 4 bridges a channel");
    if (tile < 1 || hops < 0 || budget < 1) throw nb::value_error("tile, hops, budget: expected 1, 0, 1 or more");
    Problem problem;
    problem.graph = {static_cast<int>(island_row_.size()),
                     static_cast<int>(channel_a_.size()),
                     island_row_.data(),
                     island_col_.data(),
                     channel_a_.data(),
                     channel_b_.data(),
                     vertical_.data(),
                     neighbours_.data(),
                     crossing_start_.data(),
                     crossing_.data()};
    problem.capacity = capacity;
    problem.clue_least = clue_least_.data();
    problem.clue_most = clue_most_.data();
    problem.loops = loops;
    SolverOptions options;
    options.sweep = {tile, hops, budget};
    if (memory > 0) options.memory = static_cast<std::size_t>(memory);
    options.with_proof = proof;
    solver_ = std::make_unique<Solver>(problem, options);
  }

  // Solutions as bytes, None after the last.
  nb::object next_solution(nb::callable check, double seconds, double interval) {
    if (is_busy_.exchange(true)) throw std::runtime_error("the solver is at work already");
    const Release release{*this};
    solver_->watchdog().arm(
        [&check] {
          const nb::gil_scoped_acquire acquire;
          check();  // what it raises travels as an exception through the search and back into Python
        },
        seconds, interval);
    const std::vector<std::int8_t>* values = nullptr;
    {
      const nb::gil_scoped_release gil;
      values = solver_->next_solution();
    }
    if (values == nullptr) return nb::none();
    return nb::bytes(reinterpret_cast<const char*>(values->data()), values->size());
  }

  nb::object proof() const {
    if (is_busy_) throw std::runtime_error("the solver is at work: ask when it has stopped");
    if (solver_->proof() == nullptr) return nb::none();
    const std::string& text = solver_->proof()->text();
    return nb::str(text.data(), text.size());
  }

  void cancel() { solver_->watchdog().cancel(); }

  nb::dict statistics() const {
    if (is_busy_) throw std::runtime_error("the solver is at work: ask when it has stopped");
    const Statistics s = solver_->statistics();
    nb::dict result;
    result["decisions"] = s.counts.decisions;
    result["conflicts"] = s.counts.conflicts;
    result["propagations"] = s.counts.propagations;
    result["cuts"] = s.counts.cuts;
    result["loops"] = s.counts.loops;
    result["restarts"] = s.counts.restarts;
    result["searches"] = s.counts.searches;
    result["reductions"] = s.counts.reductions;
    result["cores"] = s.cores;
    result["sweeps"] = s.sweeps;
    result["variables"] = s.undecided;
    result["bytes"] = s.bytes;
    result["propagation_seconds"] = s.propagation_seconds;
    result["encoding_seconds"] = s.encoding_seconds;
    result["search_seconds"] = s.search_seconds;
    return result;
  }

 private:
  struct Release {
    Session& session;
    ~Release() {
      session.solver_->watchdog().disarm();
      session.is_busy_ = false;
    }
  };

  // Arrays that do not fit together must not crash the process: the engine itself looks at nothing.
  void expect_sense() const {
    const std::int64_t n = island_row_.size();
    const std::int64_t m = channel_a_.size();
    if (n < 1) throw nb::value_error("expected at least one island");
    if (m > std::numeric_limits<std::int32_t>::max() / 64) throw nb::value_error("too many channels");
    for (const IntArray* array : {&island_col_, &clue_least_, &clue_most_}) array->expect_size(n);
    for (const IntArray* array : {&channel_b_, &vertical_}) array->expect_size(m);
    neighbours_.expect_size(kSides * n);
    crossing_start_.expect_size(m + 1);
    island_row_.expect_range(0, 1 << 20);
    island_col_.expect_range(0, 1 << 20);
    channel_a_.expect_range(0, n - 1);
    channel_b_.expect_range(0, n - 1);
    neighbours_.expect_range(-1, m - 1);
    vertical_.expect_range(0, 1);
    clue_least_.expect_range(0, 4 * kSides);
    clue_most_.expect_range(0, 4 * kSides);
    crossing_start_.expect_range(0, crossing_.size());
    crossing_.expect_size(crossing_start_.data()[m]);
    crossing_.expect_range(0, m - 1);
    for (std::int64_t e = 0; e < m; ++e) {
      if (channel_a_.data()[e] >= channel_b_.data()[e]) throw nb::value_error("channel_a, channel_b: not in order");
      if (crossing_start_.data()[e] > crossing_start_.data()[e + 1]) throw nb::value_error("crossing_start: falls");
    }
  }

  IntArray island_row_, island_col_, channel_a_, channel_b_, vertical_, neighbours_, crossing_start_, crossing_;
  IntArray clue_least_, clue_most_;
  std::unique_ptr<Solver> solver_;
  std::atomic<bool> is_busy_{false};
};

}  // namespace
}  // namespace kakehashi

NB_MODULE(_native, module) {
  using kakehashi::Session;
  module.doc() = "The core of the native engine; kakehashi.solver.native_engine is its face.";
  nb::exception<kakehashi::Cancelled>(module, "Cancelled");
  nb::class_<Session>(module, "Solver", "The search on one graph; it stays, with all that it learns.")
      .def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle,
                    nb::handle, nb::handle, int, bool, int, int, std::int64_t, std::int64_t, bool>(),
           nb::arg("island_row"), nb::arg("island_col"), nb::arg("channel_a"), nb::arg("channel_b"),
           nb::arg("vertical"), nb::arg("neighbours"), nb::arg("crossing_start"), nb::arg("crossing"),
           nb::arg("clue_least"), nb::arg("clue_most"), nb::arg("capacity") = 2, nb::arg("loops") = true,
           nb::arg("tile") = 20, nb::arg("hops") = 2, nb::arg("budget") = 1500, nb::arg("memory") = 0,
           nb::arg("proof") = false)
      .def("next_solution", &Session::next_solution, nb::arg("check"), nb::arg("seconds"), nb::arg("interval"),
           "The bridges of each channel in a solution that was not given before, or None. Calls `check` every\n"
           "`interval` seconds, and when `seconds` are over; what it raises ends the search, which may be asked again.")
      .def("cancel", &Session::cancel, "End the search that another thread is in; it raises Cancelled.")
      .def_prop_ro("statistics", &Session::statistics)
      .def_prop_ro("proof", &Session::proof, "What was logged so far (native/src/proof.hpp), or None.");
}
