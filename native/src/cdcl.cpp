#include "cdcl.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "check.hpp"

namespace kakehashi {
namespace {

constexpr std::size_t kPendingFacts = 64;  // so many are worth a new beginning, with all of them on level 0

}  // namespace

Cdcl::Cdcl(const Encoding& encoding, Watchdog& watchdog, std::size_t memory, Proof* proof, Pace pace)
    : encoding_(encoding),
      watchdog_(watchdog),
      memory_(memory),
      proof_(proof),
      pace_(pace),
      connectivity_(encoding, assignment_),
      restarts_(pace.restart_base) {
  grow();
  for (Var v = 0; v < encoding.variables(); ++v) phase_[v] = encoding.decides_use(v) ? 1 : 0;
  arena_.reserve(32 * static_cast<std::size_t>(encoding.variables()));
}

bool Cdcl::encode() {
  demand_.emplace(encoding_, assignment_);
  consistent_ = encoding_.add_clauses(
      [this](Lit* literals, int size) { return add_at_level0(literals, size); }, watchdog_);
  // Where the islands do not hang together to begin with, no ring of channels would ever close.
  if (consistent_ && connectivity_.find_group()) {
    note_cut();
    consistent_ = false;
  }
  if (consistent_ && !encoding_.problem().loops) {
    loops_.emplace(encoding_, assignment_);
    consistent_ = loops_->place_fixed();
  }
  return consistent_;
}

Var Cdcl::new_variable() {
  const auto v = static_cast<Var>(phase_.size());
  phase_.push_back(0);
  grow();
  return v;
}

void Cdcl::grow() {
  const auto variables = std::max(encoding_.variables(), static_cast<Var>(phase_.size()));
  phase_.resize(variables, 0);
  is_active_.resize(variables, 0);
  is_assumption_.resize(2 * static_cast<std::size_t>(variables), 0);
  seen_.resize(variables, 0);
  assignment_.grow(variables);
  heap_.grow(variables);
  watches_.grow(2 * static_cast<std::size_t>(variables));
}

void Cdcl::activate_channel(int e) {
  for (int k = 0; k < encoding_.width(e); ++k) {
    const Var v = encoding_.first(e) + k;
    if (is_active_[v]) continue;
    is_active_[v] = 1;
    active_.push_back(v);
  }
}

ClauseRef Cdcl::propagate() {
  while (propagated_ < assignment_.size()) {
    const Lit falsified = negated(assignment_.trail()[propagated_++]);
    ++counts_.propagations;
    WatchLists::List& list = watches_.of(falsified);
    Watch* from = list.begin();
    Watch* to = from;
    Watch* const end = list.end();
    ClauseRef conflict = kNoClause;
    while (from != end) {
      const Watch watch = *from++;
      const Lit blocker = watch.blocker();
      if (assignment_.is_true(blocker)) {
        *to++ = watch;
        continue;
      }
      const ClauseRef c = watch.clause();
      if (watch.is_binary()) {
        *to++ = watch;
        if (assignment_.is_false(blocker)) {
          conflict = c;
          break;
        }
        assignment_.assign(blocker, c);
        continue;
      }
      Lit* l = arena_.literals(c);
      if (l[0] == falsified) {
        l[0] = l[1];
        l[1] = falsified;
      }
      const Lit first = l[0];
      const Watch renewed(c, false, first);
      if (first != blocker && assignment_.is_true(first)) {
        *to++ = renewed;
        continue;
      }
      const int size = arena_.size(c);
      int k = 2;
      while (k < size && assignment_.is_false(l[k])) ++k;
      if (k < size) {
        l[1] = l[k];
        l[k] = falsified;
        watches_.push(l[1], renewed);
        continue;
      }
      *to++ = renewed;
      if (assignment_.is_false(first)) {
        conflict = c;
        break;
      }
      assignment_.assign(first, c);
    }
    if (from != to) {
      while (from != end) *to++ = *from++;
      list.truncate(to);
    }
    if (conflict != kNoClause) {
      propagated_ = assignment_.size();
      return conflict;
    }
  }
  return kNoClause;
}

// Tells the propagators what unit propagation found. The literal that violates a rule stays untold.
Cdcl::Theory Cdcl::propagate_theories() {
  for (; told_ < assignment_.size(); ++told_) {
    if (!tell(assignment_.trail()[told_])) return Theory::kViolated;
  }
  const int before = assignment_.size();
  demand_->propagate([this](Lit l) { imply(negated(l), kDemandReason); });
  if (loops_) loops_->propagate([this](Lit l) { imply(negated(l), kLoopReason); });
  return assignment_.size() > before ? Theory::kImplied : Theory::kNothing;
}

// The literal at `told_` of the trail. False: it violates a rule by the clause in `violated_`.
bool Cdcl::tell(Lit l) {
  const Var v = var_of(l);
  if (v >= encoding_.variables()) return true;
  const int e = encoding_.channel(v);
  if (is_negative(l)) {
    if (!encoding_.decides_use(v) || !connectivity_.remove(e, told_)) return true;
    note_cut();
    return false;
  }
  if (loops_ && encoding_.decides_use(v) && !loops_->place(e, told_)) {
    note_loop(e);
    return false;
  }
  demand_->place(v, told_);
  return true;
}

void Cdcl::imply(Lit l, ClauseRef propagator) {
  if (!assignment_.is_open(l)) return;
  const bool is_fact = assignment_.level() == 0;
  assignment_.assign(l, is_fact ? kNoReason : propagator);
  if (is_fact && proof_ != nullptr) ask_propagator(var_of(l), propagator);
}

void Cdcl::backtrack(int level) {
  if (assignment_.level() <= level) return;
  const bool refill = level > 0 && !heap_is_stale_;
  assignment_.backtrack(level, [&](Lit l) {
    const Var v = var_of(l);
    phase_[v] = is_negative(l) ? 0 : 1;
    if (refill && is_active_[v]) heap_.insert(v);
  });
  if (level == 0) heap_is_stale_ = true;
  propagated_ = assignment_.size();
  if (told_ > propagated_) {
    told_ = propagated_;
    undo_theories();
  }
}

void Cdcl::undo_theories() {
  connectivity_.undo_from(told_);
  demand_->undo_from(told_);
  if (loops_) loops_->undo_from(told_);
}

Cdcl::Answer Cdcl::search(const std::vector<Lit>& assumptions, std::int64_t conflicts) {
  ++counts_.searches;
  if (consistent_) begin(assumptions);
  if (!consistent_) return Answer::kInfeasible;
  const std::int64_t most =
      assumptions.empty() ? std::numeric_limits<std::int64_t>::max() : counts_.conflicts + conflicts;
  while (true) {
    watchdog_.tick();
    ClauseRef conflict = propagate();
    Step step = conflict == kNoClause ? advance(conflict) : Step::kAnalyze;
    if (step == Step::kAnalyze) {
      restarts_.conflict();
      step = handle_conflict(conflict);
      if (step == Step::kGoOn && counts_.conflicts >= most) return Answer::kExhausted;
    }
    if (step == Step::kModel) {
      check_model();
      return Answer::kModel;
    }
    // A conflict that no assumption has a part in stands on facts alone.
    if (step == Step::kInfeasible || (step == Step::kCore && core_.empty())) {
      consistent_ = false;
      return Answer::kInfeasible;
    }
    if (step == Step::kCore) {
      // Propagation was broken off, and has to be done again from the last assumption on: the core may hold none of
      // those made so far, but later ones that they imply, and then the conflict is still there when these are freed.
      reusable_ = std::min(reusable_, assumed_.empty() ? 0 : assumed_.size() - 1);
      return Answer::kCore;
    }
  }
}

// In the debug build: no clause is false.
void Cdcl::check_model() const {
#ifdef KAKEHASHI_ASSERTIONS
  for (std::size_t at = 0; at < arena_.words();) {
    const auto c = static_cast<ClauseRef>(at);
    const Lit* l = arena_.literals(c);
    KAKEHASHI_CHECK(arena_.is_removed(c) || !std::all_of(l, l + arena_.size(c), [this](Lit x) {
      return assignment_.is_false(x);
    }));
    at = static_cast<std::size_t>(arena_.next(c));
  }
  for (const Lit l : facts_) KAKEHASHI_CHECK(!assignment_.is_false(l));
#endif
}

// What comes after unit propagation has found no conflict: the propagators, the next assumption, the next decision.
Cdcl::Step Cdcl::advance(ClauseRef& conflict) {
  const Theory theory = propagate_theories();
  if (theory == Theory::kImplied) return Step::kGoOn;
  if (theory == Theory::kViolated) return take_violated(conflict);
  if (assignment_.level() == 0) {
    assignment_.open_level();
    assumed_.clear();
  }
  if (assumed_.size() < assumptions_.size()) return assume_next();
  const Var decision = next_decision();
  if (decision < 0) {
    // The rings of empty channels show nearly all groups, so the full search waits until no variable is left.
    const bool is_whole = active_.size() == static_cast<std::size_t>(encoding_.variables());
    if (!is_whole || !connectivity_.find_group()) return Step::kModel;
    note_cut();
    return take_violated(conflict);
  }
  if (restarts_.is_due()) {
    if (!heap_is_stale_) heap_.insert(decision);
    restart();
    return Step::kGoOn;
  }
  ++counts_.decisions;
  assignment_.open_level();
  assignment_.assign(phase_[decision] ? positive(decision) : negative(decision), kNoReason);
  return Step::kGoOn;
}

bool Cdcl::assert_facts() {
  KAKEHASHI_CHECK(assignment_.level() == 0);
  for (const Lit l : facts_) {
    if (assignment_.is_false(l)) consistent_ = false;
    if (assignment_.is_open(l)) assignment_.assign(l, kNoReason);
  }
  facts_.clear();
  return consistent_;
}

// Takes back what the last search left, but for the assumptions that it begins with as this one does.
void Cdcl::begin(const std::vector<Lit>& assumptions) {
  core_.clear();
  for (const Lit l : assumptions_) is_assumption_[l] = 0;
  assumptions_ = assumptions;
  for (const Lit l : assumptions_) is_assumption_[l] = 1;
  heap_is_stale_ = true;
  restarts_ = LubyRestarts(pace_.restart_base);
  backtrack(1);
  std::size_t common = 0;
  if (assignment_.level() == 1 && facts_.size() < kPendingFacts) {
    const std::size_t most = std::min({assumed_.size(), assumptions.size(), reusable_});
    while (common < most && assumed_[common].literal == assumptions[common]) ++common;
  }
  reusable_ = std::numeric_limits<std::size_t>::max();
  if (common > 0) {
    rewind(common);
  } else {
    backtrack(0);
    assert_facts();
  }
}

// Back to the moment before an assumption. What was learnt in the meantime from the earlier ones alone, and facts,
// stay.
void Cdcl::rewind(std::size_t kept) {
  if (kept == assumed_.size()) return;
  const int position = assumed_[kept].position;
  assumed_.resize(kept);
  propagated_ = std::min(propagated_, position);
  if (told_ > position) {
    told_ = position;
    undo_theories();
  }
  assignment_.rewind(position, [this](Lit l, const Assignment::Cause& cause) {
    phase_[var_of(l)] = is_negative(l) ? 0 : 1;
    if (cause.level == 0) {
      assert_fact_now(l);
    } else if (cause.reason >= 0) {
      const Lit* why = arena_.literals(cause.reason);
      const bool still_follows = std::all_of(why, why + arena_.size(cause.reason), [&](Lit x) {
        return x == l || assignment_.is_false(x);
      });
      if (still_follows) assignment_.assign(l, cause.reason);
    }
  });
}

// Makes the next assumption that is not true anyway. One that is false by those before it is a core with them.
Cdcl::Step Cdcl::assume_next() {
  while (assumed_.size() < assumptions_.size()) {
    const Lit l = assumptions_[assumed_.size()];
    if (assignment_.is_false(l)) {
      find_core(&l, 1);
      core_.push_back(l);
      return Step::kCore;
    }
    assumed_.push_back({l, assignment_.size()});
    if (assignment_.is_true(l)) continue;
    assignment_.assign(l, kNoReason);
    break;
  }
  return Step::kGoOn;
}

// Activities change while the assumptions are propagated, so the heap is built only after that, at one go.
Var Cdcl::next_decision() {
  if (heap_is_stale_) {
    heap_.rebuild(active_, [this](Var v) { return assignment_.is_open(positive(v)); });
    heap_is_stale_ = false;
  }
  while (!heap_.empty()) {
    const Var v = heap_.pop();
    if (assignment_.is_open(positive(v))) return v;
  }
  return -1;
}

// Back to the assumptions, not behind them: they would have to be propagated again.
void Cdcl::restart() {
  restarts_.restarted();
  ++counts_.restarts;
  backtrack(1);
  if (bytes() > memory_) throw std::bad_alloc();
  reduce_if_due();
}

}  // namespace kakehashi
