// A libFuzzer target: the engine finds exactly the solutions of a small board, however it sweeps and is interrupted.
// `.ci/fuzz SECONDS` builds and runs it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>

#include "board.hpp"
#include "bytes.hpp"
#include "exhaustive.hpp"
#include "solver.hpp"

namespace kakehashi::fuzz {
namespace {

struct Interrupted {};

constexpr std::size_t kMostSolutions = 40;  // of a board that has more, no more are asked for

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

SolverOptions options_from(Bytes& bytes) {
  SolverOptions options;
  options.sweep.tile = bytes.between(1, 6);
  options.sweep.hops = bytes.between(0, 2);
  options.sweep.budget = bytes.between(1, 40);
  // So small that small boards have restarts and reductions.
  options.pace = {bytes.between(1, 4), static_cast<std::size_t>(bytes.between(1, 16)), 1};
  options.with_proof = bytes.next() % 4 == 3;
  return options;
}

// Asks again after every interruption; they become rarer, so that it comes to an end.
const Values* ask(Solver& solver, int patience) {
  while (true) {
    int looks = patience++;
    try {
      const auto look = [&] {
        if (--looks < 0) throw Interrupted();
      };
      solver.watchdog().arm(look, std::numeric_limits<double>::infinity(), 0);
      const Values* values = solver.next_solution();
      solver.watchdog().disarm();
      return values;
    } catch (const Interrupted&) {
      solver.watchdog().disarm();
    }
  }
}

void run(Bytes bytes) {
  const SolverOptions options = options_from(bytes);
  const int patience = bytes.next();
  const Board board(bytes);
  const std::optional<std::set<Values>> expected = Exhaustive(board).solutions();
  if (!expected) return;
  Solver solver(board.problem(), options);
  std::set<Values> found;
  while (const Values* values = ask(solver, patience)) {
    expect(expected->count(*values) == 1, "what the engine gives is a solution");
    expect(found.insert(*values).second, "no solution comes twice");
    if (found.size() == kMostSolutions) return;
  }
  expect(found.size() == expected->size(), "every solution comes");
  expect(solver.next_solution() == nullptr, "none stays none");
}

}  // namespace
}  // namespace kakehashi::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kakehashi::fuzz::run({data, size});
  return 0;
}
