// All of the engine for one board: propagation, encoding, sweep. It stays, and gives one solution after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "cdcl.hpp"
#include "encoding.hpp"
#include "level0.hpp"
#include "problem.hpp"
#include "proof.hpp"
#include "sweep.hpp"
#include "watchdog.hpp"

namespace kakehashi {

struct Statistics {
  Counts counts;
  std::int64_t cores = 0;
  std::int64_t sweeps = 0;
  int undecided = 0;  // variables that level-0 propagation left
  std::size_t bytes = 0;
  double propagation_seconds = 0;
  double encoding_seconds = 0;
  double search_seconds = 0;
};

struct SolverOptions {
  SweepOptions sweep;
  Pace pace;
  std::size_t memory = std::numeric_limits<std::size_t>::max();  // bytes that the search may use
  // With a proof there is no level-0 propagation, so that the proof is about the clauses of the widest bounds, which a
  // checker can make itself.
  bool with_proof = false;
};

class Solver {
 public:
  // The arrays of the problem have to live as long as the solver. `problem` has at least one island.
  Solver(const Problem& problem, const SolverOptions& options)
      : problem_(problem), options_(options), proof_(options.with_proof ? std::make_unique<Proof>() : nullptr) {}
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // The bridges of each channel in a solution that was not given before; nullptr: proved that there is no further one.
  // Throws what the watchdog throws, and std::bad_alloc; then the same may be asked again.
  const std::vector<std::int8_t>* next_solution();

  Watchdog& watchdog() { return watchdog_; }
  Statistics statistics() const;
  const Proof* proof() const { return proof_.get(); }

 private:
  bool prepare();
  bool search();

  Problem problem_;
  SolverOptions options_;
  Watchdog watchdog_;
  std::unique_ptr<Proof> proof_;
  std::unique_ptr<Encoding> encoding_;
  std::unique_ptr<Cdcl> cdcl_;
  std::unique_ptr<Sweep> sweep_;
  bool has_solution_ = false;
  bool is_exhausted_ = false;
  double propagation_seconds_ = 0;
  double encoding_seconds_ = 0;
  double search_seconds_ = 0;
};

}  // namespace kakehashi
