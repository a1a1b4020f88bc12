// The search: conflict-driven clause learning with propagators of our own, under assumptions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "assignment.hpp"
#include "clause_arena.hpp"
#include "connectivity.hpp"
#include "demand.hpp"
#include "encoding.hpp"
#include "loops.hpp"
#include "order_heap.hpp"
#include "proof.hpp"
#include "restarts.hpp"
#include "watchdog.hpp"
#include "watches.hpp"

namespace kakehashi {

struct Counts {
  std::int64_t decisions = 0;
  std::int64_t conflicts = 0;
  std::int64_t propagations = 0;
  std::int64_t cuts = 0;
  std::int64_t loops = 0;
  std::int64_t restarts = 0;
  std::int64_t searches = 0;
  std::int64_t reductions = 0;
};

// When clauses are dropped and searches begin anew. Other numbers change the way, never the answer.
struct Pace {
  std::int64_t restart_base = 100;     // conflicts, times the Luby sequence
  std::size_t first_reduction = 1000;  // learnt clauses before the first reduction
  std::size_t more_each_time = 300;    // and how many more before each later one
};

// The skeleton is MiniSat's (Een and Sorensson, "An extensible SAT-solver", 2003), clauses are kept by LBD as in
// Glucose (Audemard and Simon, "Predicting learnt clauses quality in modern SAT solvers", 2009).
//
// All assumptions stand on ONE decision level, the first. A conflict wholly on that level (and on facts) is the answer
// "core"; it is not learnt, since it says no more than that these assumptions do not go together. Only the `active`
// variables are decided; a model is an assignment of all of them that no propagator objects to. It is a solution when
// all variables of the encoding are active.
//
// Each assumption is propagated before the next one is made. So what the first of them imply stands before the others
// on the trail, and a search that begins with the same assumptions as the last one goes on from there: a sweep
// propagates what is far away once, and not for every tile.
class Cdcl {
 public:
  enum class Answer { kModel, kCore, kExhausted, kInfeasible };

  // `memory`: bytes of clauses and watches; more are an std::bad_alloc, thrown between two restarts. `proof` may be
  // null.
  Cdcl(const Encoding& encoding, Watchdog& watchdog, std::size_t memory, Proof* proof, Pace pace = {});

  // Adds the puzzle's clauses. False: they contradict each other, or the islands do not hang together.
  bool encode();

  // A variable that belongs to no channel; it is never decided.
  Var new_variable();

  // Adds a clause for good, between two searches. False: there is no solution any more.
  bool add_clause(std::vector<Lit> clause);

  Proof* proof() const { return proof_; }

  void deactivate_all() { active_.clear(); is_active_.assign(is_active_.size(), 0); }
  void activate_channel(int e);

  // kModel: `is_true` tells it until the next call. kCore: `core` has assumptions that do not go together with the
  // clauses; kExhausted: `conflicts` were not enough (only with assumptions: the rest always ends). kInfeasible: proved
  // that there is no solution, whatever is assumed.
  Answer search(const std::vector<Lit>& assumptions, std::int64_t conflicts);

  const std::vector<Lit>& core() const { return core_; }
  bool is_true(Lit l) const { return assignment_.is_true(l); }
  bool is_fact(Lit l) const { return assignment_.is_fact(l); }
  bool is_refuted_fact(Lit l) const { return assignment_.is_false(l) && assignment_.is_fact(l); }

  const Counts& counts() const { return counts_; }
  std::size_t bytes() const { return arena_.capacity_bytes() + watches_.bytes(); }

 private:
  static constexpr int kGlue = 2;  // learnt clauses up to this LBD are kept for ever

  enum class Theory { kNothing, kImplied, kViolated };
  enum class Step { kGoOn, kAnalyze, kModel, kCore, kInfeasible };

  void grow();
  bool add_at_level0(Lit* literals, int size);
  void attach(ClauseRef c);
  ClauseRef learn(const std::vector<Lit>& clause, int lbd);
  bool assert_facts();
  void begin(const std::vector<Lit>& assumptions);
  void check_model() const;
  void rewind(std::size_t kept);
  Step assume_next();
  void backtrack(int level);

  ClauseRef propagate();
  Theory propagate_theories();
  bool tell(Lit l);
  void imply(Lit l, ClauseRef propagator);
  void undo_theories();
  Step advance(ClauseRef& conflict);
  Var next_decision();
  void restart();
  void reduce_if_due();
  void reduce();
  void compact();

  void note_cut();
  void note_loop(int e);
  Step take_violated(ClauseRef& conflict);
  Step handle_conflict(ClauseRef conflict);
  void assert_fact_now(Lit l);
  void analyze(ClauseRef conflict);
  bool is_redundant(Lit l) const;
  bool is_later(Lit x, Lit y) const;
  ClauseRef reason_of(Var v);
  ClauseRef explain(Var v, ClauseRef propagator);
  void ask_propagator(Var v, ClauseRef propagator);
  void find_core(const Lit* literals, int size);
  int lbd(const Lit* literals, int size);

  const Encoding& encoding_;
  Watchdog& watchdog_;
  std::size_t memory_;
  Proof* proof_;
  Pace pace_;
  Assignment assignment_;
  ClauseArena arena_;
  WatchLists watches_;
  OrderHeap heap_;
  Connectivity connectivity_;
  std::optional<Demand> demand_;
  std::optional<Loops> loops_;  // where the rules forbid them
  LubyRestarts restarts_;
  Counts counts_;

  bool consistent_ = true;
  int propagated_ = 0;      // place on the trail up to which unit propagation has come
  int told_ = 0;            // and up to which the propagators know it
  bool heap_is_stale_ = true;
  std::vector<char> phase_;  // 1: true first
  std::vector<char> is_active_;
  std::vector<Var> active_;
  std::vector<ClauseRef> learnts_;
  std::size_t kept_learnts_ = 0;  // after the last reduction
  std::vector<Lit> facts_;        // found since the search began, to be moved to level 0 when the next one begins
  std::vector<Lit> core_;
  struct Assumed {
    Lit literal;
    int position;  // on the trail, where what it implies begins
  };
  std::vector<Assumed> assumed_;         // so far
  std::size_t reusable_ = 0;             // assumptions that the next search may go on from
  std::vector<Lit> assumptions_;         // all of this search
  std::vector<char> is_assumption_;      // by literal

  std::vector<char> seen_;
  std::vector<Var> to_clear_;
  std::vector<Lit> learnt_;
  int learnt_level_ = 0;
  std::vector<Lit> scratch_;
  std::vector<Lit> violated_;      // a clause of a propagator that is false
  std::vector<Lit> cut_literals_;  // for the proof
  std::vector<std::int64_t> level_stamp_;
  std::int64_t stamp_ = 0;
};

}  // namespace kakehashi
