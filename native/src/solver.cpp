#include "solver.hpp"

#include <optional>
#include <utility>

namespace kakehashi {
namespace {

// Adds the time of its own life to a sum, also when an exception ends it.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), started_(Watchdog::clock()) {}
  ~Stopwatch() { sum_ += Watchdog::clock() - started_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  double started_;
};

}  // namespace

const std::vector<std::int8_t>* Solver::next_solution() {
  if (is_exhausted_) return nullptr;
  if ((sweep_ || prepare()) && search()) {
    has_solution_ = true;
    return &sweep_->values();
  }
  is_exhausted_ = true;
  if (proof_) proof_->contradiction();
  return nullptr;
}

// False: there is no solution.
bool Solver::prepare() {
  if (!encoding_) {
    const Stopwatch stopwatch(propagation_seconds_);
    std::optional<Bounds> bounds =
        proof_ ? std::optional(widest_bounds(problem_)) : propagate_level0(problem_, watchdog_);
    if (!bounds) return false;
    encoding_ = std::make_unique<Encoding>(problem_, std::move(*bounds));
  }
  const Stopwatch stopwatch(encoding_seconds_);
  auto cdcl = std::make_unique<Cdcl>(*encoding_, watchdog_, options_.memory, proof_.get(), options_.pace);
  if (!cdcl->encode()) return false;
  cdcl_ = std::move(cdcl);
  sweep_ = std::make_unique<Sweep>(*encoding_, *cdcl_, options_.sweep);
  return true;
}

bool Solver::search() {
  const Stopwatch stopwatch(search_seconds_);
  return has_solution_ ? sweep_->solve_next() : sweep_->solve();
}

Statistics Solver::statistics() const {
  Statistics statistics;
  if (cdcl_) {
    statistics.counts = cdcl_->counts();
    statistics.bytes = cdcl_->bytes();
  }
  if (sweep_) {
    statistics.cores = sweep_->cores();
    statistics.sweeps = sweep_->sweeps();
  }
  if (encoding_) statistics.undecided = encoding_->variables();
  statistics.propagation_seconds = propagation_seconds_;
  statistics.encoding_seconds = encoding_seconds_;
  statistics.search_seconds = search_seconds_;
  return statistics;
}

}  // namespace kakehashi
