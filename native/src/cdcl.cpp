#include "cdcl.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "check.hpp"

namespace kakehashi {
namespace {

constexpr std::int64_t kRestartBase = 100;
constexpr std::size_t kFirstReduction = 1000;  // learnt clauses before the first reduction
constexpr std::size_t kMoreEachTime = 300;     // and how many more before each later one
constexpr std::size_t kPendingFacts = 64;      // so many are worth a new beginning, with all of them on level 0
constexpr int kGlue = 2;                       // clauses up to this LBD are kept for ever

}  // namespace

Cdcl::Cdcl(const Encoding& encoding, Watchdog& watchdog, std::size_t memory, Proof* proof)
    : encoding_(encoding),
      watchdog_(watchdog),
      memory_(memory),
      proof_(proof),
      connectivity_(encoding, assignment_),
      restarts_(kRestartBase) {
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
    log_cut();
    consistent_ = false;
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

// ------------------------------------------------------------------------------------------------------------ clauses

bool Cdcl::add_clause(std::vector<Lit> clause) {
  backtrack(0);
  if (!consistent_ || !assert_facts()) return false;
  std::sort(clause.begin(), clause.end());
  clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
  consistent_ = add_at_level0(clause.data(), static_cast<int>(clause.size()));
  return consistent_;
}

bool Cdcl::add_at_level0(Lit* literals, int size) {
  int kept = 0;
  for (int k = 0; k < size; ++k) {
    if (assignment_.is_true(literals[k])) return true;
    if (assignment_.is_open(literals[k])) literals[kept++] = literals[k];
  }
  if (kept == 0) return false;
  if (kept == 1) {
    assignment_.assign(literals[0], kNoReason);
  } else {
    attach(arena_.add(literals, kept, 0));
  }
  return true;
}

void Cdcl::attach(ClauseRef c) {
  const Lit* l = arena_.literals(c);
  const bool is_binary = arena_.size(c) == 2;
  watches_.push(l[0], Watch(c, is_binary, l[1]));
  watches_.push(l[1], Watch(c, is_binary, l[0]));
}

ClauseRef Cdcl::learn(const std::vector<Lit>& clause, int clause_lbd) {
  if (proof_ != nullptr) proof_->lemma(clause);
  const ClauseRef c = arena_.add(clause.data(), static_cast<int>(clause.size()), std::max(1, clause_lbd));
  attach(c);
  learnts_.push_back(c);
  return c;
}

// Literal block distance: the number of levels in a clause.
int Cdcl::lbd(const Lit* literals, int size) {
  ++stamp_;
  if (level_stamp_.size() <= static_cast<std::size_t>(assignment_.level())) {
    level_stamp_.resize(2 * static_cast<std::size_t>(assignment_.level()) + 64, 0);
  }
  int levels = 0;
  for (int k = 0; k < size; ++k) {
    std::int64_t& stamp = level_stamp_[assignment_.level(literals[k])];
    levels += stamp != stamp_;
    stamp = stamp_;
  }
  return levels;
}

// -------------------------------------------------------------------------------------------------------- propagation

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

// Tells the propagators what unit propagation found. After a cut the literal that closed it stays untold.
Cdcl::Theory Cdcl::propagate_theories() {
  while (told_ < assignment_.size()) {
    const Lit l = assignment_.trail()[told_];
    const Var v = var_of(l);
    if (v < encoding_.variables()) {
      if (!is_negative(l)) {
        demand_->place(v, told_);
      } else if (encoding_.decides_use(v) && connectivity_.remove(encoding_.channel(v), told_)) {
        return Theory::kCut;
      }
    }
    ++told_;
  }
  bool implied = false;
  demand_->propagate([&](Lit l) {
    if (!assignment_.is_open(l)) return;
    const bool is_fact = assignment_.level() == 0;
    assignment_.assign(negated(l), is_fact ? kNoReason : kDemandReason);
    if (is_fact && proof_ != nullptr) {
      demand_->explain(var_of(l), scratch_);
      log_demand();
    }
    implied = true;
  });
  return implied ? Theory::kImplied : Theory::kNothing;
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
    connectivity_.undo_from(told_);
    demand_->undo_from(told_);
  }
}

// ------------------------------------------------------------------------------------------------------------- search

Cdcl::Answer Cdcl::search(const std::vector<Lit>& assumptions, std::int64_t conflicts) {
  ++counts_.searches;
  if (!consistent_) return Answer::kInfeasible;
  begin(assumptions);
  if (!consistent_) return Answer::kInfeasible;
  const std::int64_t most =
      assumptions.empty() ? std::numeric_limits<std::int64_t>::max() : counts_.conflicts + conflicts;
  while (true) {
    watchdog_.tick();
    ClauseRef conflict = propagate();
    Step step = Step::kAnalyze;
    if (conflict == kNoClause) {
      Theory theory = propagate_theories();
      if (theory == Theory::kImplied) continue;
      Var decision = -1;
      if (theory == Theory::kNothing && assignment_.level() <= 1) {
        if (assignment_.level() == 0) {
          assignment_.open_level();
          assumed_.clear();
        }
        const std::size_t before = assumed_.size();
        if (!assume_next(assumptions)) return consistent_ ? Answer::kCore : Answer::kInfeasible;
        if (assumed_.size() > before) continue;
      }
      if (theory == Theory::kNothing) {
        decision = next_decision();
        if (decision < 0) {
          // The rings of empty channels show nearly all groups, so the full search waits until no variable is left.
          const bool is_whole = active_.size() == static_cast<std::size_t>(encoding_.variables());
          if (!is_whole || !connectivity_.find_group()) return Answer::kModel;
          theory = Theory::kCut;
        }
      }
      if (theory == Theory::kCut) {
        step = take_cut(conflict);
      } else if (restarts_.is_due()) {
        if (!heap_is_stale_) heap_.insert(decision);
        restart();
        continue;
      } else {
        ++counts_.decisions;
        assignment_.open_level();
        assignment_.assign(phase_[decision] ? positive(decision) : negative(decision), kNoReason);
        continue;
      }
    }
    if (step == Step::kAnalyze) {
      restarts_.conflict();
      step = handle_conflict(conflict);
      if (step == Step::kGoOn && counts_.conflicts >= most) return Answer::kExhausted;
    }
    if (step == Step::kInfeasible) {
      consistent_ = false;
      return Answer::kInfeasible;
    }
    if (step == Step::kCore) {
      // A conflict that no assumption has a part in stands on facts alone.
      if (core_.empty()) consistent_ = false;
      return consistent_ ? Answer::kCore : Answer::kInfeasible;
    }
  }
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
  restarts_ = LubyRestarts(kRestartBase);
  backtrack(1);
  std::size_t common = 0;
  if (assignment_.level() == 1 && facts_.size() < kPendingFacts) {
    const std::size_t most = std::min(assumed_.size(), assumptions.size());
    while (common < most && assumed_[common].literal == assumptions[common]) ++common;
  }
  if (common > 0) {
    rewind(common);
  } else {
    backtrack(0);
    assert_facts();
  }
}

// Back to the moment before an assumption. What was learnt in the meantime from the earlier ones alone, and facts, stay.
void Cdcl::rewind(std::size_t kept) {
  if (kept == assumed_.size()) return;
  const int position = assumed_[kept].position;
  assumed_.resize(kept);
  propagated_ = std::min(propagated_, position);
  if (told_ > position) {
    told_ = position;
    connectivity_.undo_from(told_);
    demand_->undo_from(told_);
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

// Makes the next assumption that is not true anyway. False: the clauses refute it, given those before it.
bool Cdcl::assume_next(const std::vector<Lit>& assumptions) {
  while (assumed_.size() < assumptions.size()) {
    const Lit l = assumptions[assumed_.size()];
    if (assignment_.is_false(l)) {
      find_core(&l, 1);
      core_.push_back(l);
      return false;
    }
    assumed_.push_back({l, assignment_.size()});
    if (assignment_.is_true(l)) continue;
    assignment_.assign(l, kNoReason);
    return true;
  }
  return true;
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
  const std::size_t since = learnts_.size() - std::min(learnts_.size(), kept_learnts_);
  if (since >= kFirstReduction + kMoreEachTime * static_cast<std::size_t>(counts_.reductions)) reduce();
}

// A cut is a clause that is false now, on whatever level: connectivity is looked at late.
Cdcl::Step Cdcl::take_cut(ClauseRef& conflict) {
  ++counts_.cuts;
  log_cut();
  scratch_.clear();
  int highest = 0;
  int at_highest = 0;
  for (const int e : connectivity_.cut()) {
    const Lit l = positive(encoding_.first(e));
    KAKEHASHI_CHECK(assignment_.is_false(l));
    const int level = assignment_.level(l);
    if (level == 0) continue;
    scratch_.push_back(l);
    if (level > highest) {
      highest = level;
      at_highest = 0;
    }
    at_highest += level == highest;
  }
  if (scratch_.empty()) return Step::kInfeasible;
  if (scratch_.size() == 1) {
    if (proof_ != nullptr) proof_->lemma(scratch_);
    facts_.push_back(scratch_[0]);
    if (highest == 1) {
      ++counts_.conflicts;
      find_core(scratch_.data(), 1);
      return Step::kCore;
    }
    backtrack(1);
    assert_fact_now(scratch_[0]);
    return Step::kGoOn;
  }
  // The watched literals come first: those that will be open again first.
  std::sort(scratch_.begin(), scratch_.end(), [this](Lit x, Lit y) { return is_later(x, y); });
  conflict = learn(scratch_, lbd(scratch_.data(), static_cast<int>(scratch_.size())));
  if (highest == 1) {
    ++counts_.conflicts;
    find_core(scratch_.data(), static_cast<int>(scratch_.size()));
    return Step::kCore;
  }
  if (at_highest == 1) {
    backtrack(assignment_.level(scratch_[1]));
    assignment_.assign(scratch_[0], conflict);
    return Step::kGoOn;
  }
  backtrack(highest);
  return Step::kAnalyze;
}

// Learns from a clause that is false. kAnalyze is never the answer.
Cdcl::Step Cdcl::handle_conflict(ClauseRef conflict) {
  ++counts_.conflicts;
  const Lit* literals = arena_.literals(conflict);
  const int size = arena_.size(conflict);
  int highest = 0;
  for (int k = 0; k < size; ++k) highest = std::max(highest, assignment_.level(literals[k]));
  if (highest == 0) return Step::kInfeasible;
  backtrack(highest);
  if (highest == 1) {
    find_core(literals, size);
    return Step::kCore;
  }
  analyze(conflict);
  const int learnt_lbd = lbd(learnt_.data(), static_cast<int>(learnt_.size()));
  if (learnt_.size() == 1) {
    if (proof_ != nullptr) proof_->lemma(learnt_);
    facts_.push_back(learnt_[0]);
    backtrack(1);
    assert_fact_now(learnt_[0]);
  } else {
    backtrack(learnt_level_);
    assignment_.assign(learnt_[0], learn(learnt_, learnt_lbd));
  }
  heap_.decay();
  return Step::kGoOn;
}

// On the level of the assumptions, which would have to be propagated again otherwise.
void Cdcl::assert_fact_now(Lit l) {
  assignment_.assign(l, kNoReason);
  assignment_.make_fact(var_of(l));
}

// ----------------------------------------------------------------------------------------------------------- analysis

// The first unique implication point (Marques-Silva and Sakallah, "GRASP", 1996; as in MiniSat): into learnt_, its own
// literal first, one of the level to go back to second.
void Cdcl::analyze(ClauseRef conflict) {
  learnt_.assign(1, 0);
  to_clear_.clear();
  int open = 0;
  int place = assignment_.size() - 1;
  Lit resolved = -1;
  ClauseRef c = conflict;
  do {
    if (c != kNoClause) {
      const int size = arena_.size(c);
      const Lit* literals = arena_.literals(c);
      if (arena_.lbd(c) > kGlue) arena_.set_lbd(c, std::min(arena_.lbd(c), lbd(literals, size)));
      for (int k = 0; k < size; ++k) {
        const Lit l = literals[k];
        const Var v = var_of(l);
        if (l == resolved || seen_[v] || assignment_.level(l) == 0) continue;
        heap_.bump(v);
        seen_[v] = 1;
        to_clear_.push_back(v);
        if (assignment_.level(l) >= assignment_.level()) {
          ++open;
        } else {
          learnt_.push_back(l);
        }
      }
    }
    while (!seen_[var_of(assignment_.trail()[place])]) --place;
    resolved = assignment_.trail()[place--];
    seen_[var_of(resolved)] = 0;
    --open;
    if (open > 0) c = reason_of(var_of(resolved));
  } while (open > 0);
  learnt_[0] = negated(resolved);

  std::size_t kept = 1;
  for (std::size_t k = 1; k < learnt_.size(); ++k) {
    if (!is_redundant(learnt_[k])) learnt_[kept++] = learnt_[k];
  }
  learnt_.resize(kept);
  for (const Var v : to_clear_) seen_[v] = 0;

  for (std::size_t k = 2; k < learnt_.size(); ++k) {
    if (is_later(learnt_[k], learnt_[1])) std::swap(learnt_[1], learnt_[k]);
  }
  learnt_level_ = learnt_.size() > 1 ? assignment_.level(learnt_[1]) : 0;
}

// Whether x is taken back before y.
bool Cdcl::is_later(Lit x, Lit y) const {
  const Assignment::Cause& a = assignment_.cause(var_of(x));
  const Assignment::Cause& b = assignment_.cause(var_of(y));
  return a.level != b.level ? a.level > b.level : a.position > b.position;
}

// Local minimisation (Beame, Kautz, Sabharwal, 2004): what the other literals imply can go.
bool Cdcl::is_redundant(Lit l) const {
  const Var v = var_of(l);
  const ClauseRef reason = assignment_.cause(v).reason;
  if (reason < 0) return false;
  const Lit* literals = arena_.literals(reason);
  for (int k = 0; k < arena_.size(reason); ++k) {
    const Var u = var_of(literals[k]);
    if (u != v && assignment_.level(literals[k]) > 0 && !seen_[u]) return false;
  }
  return true;
}

// The clause that made v what it is, or kNoClause: a decision or an assumption, or, by the level then, a fact.
ClauseRef Cdcl::reason_of(Var v) {
  const ClauseRef reason = assignment_.cause(v).reason;
  return reason == kDemandReason ? explain_demand(v) : reason;
}

ClauseRef Cdcl::explain_demand(Var v) {
  demand_->explain(v, scratch_);
  if (proof_ != nullptr) log_demand();
  std::size_t kept = 1;
  for (std::size_t k = 1; k < scratch_.size(); ++k) {
    if (assignment_.level(scratch_[k]) > 0) scratch_[kept++] = scratch_[k];
  }
  scratch_.resize(kept);
  if (kept == 1) {
    // It follows from facts that were found on the way, so it is one itself.
    facts_.push_back(scratch_[0]);
    assignment_.make_fact(v);
    return kNoClause;
  }
  std::size_t last = 1;
  for (std::size_t k = 2; k < kept; ++k) {
    if (assignment_.position(scratch_[k]) > assignment_.position(scratch_[last])) last = k;
  }
  std::swap(scratch_[1], scratch_[last]);
  const ClauseRef c = learn(scratch_, std::max(kGlue, lbd(scratch_.data(), static_cast<int>(kept))));
  assignment_.cause(v).reason = c;
  return c;
}

void Cdcl::log_demand() {
  demand_->explained_cut(cut_literals_);
  proof_->cut(cut_literals_);
  proof_->lemma(scratch_);
}

void Cdcl::log_cut() {
  if (proof_ == nullptr) return;
  cut_literals_.clear();
  for (const int e : connectivity_.cut()) cut_literals_.push_back(positive(encoding_.first(e)));
  proof_->cut(cut_literals_);
}

// The assumptions behind literals that are all false on the first level: MiniSat's analyzeFinal. But an assumption that
// others imply is not asked for its reason: the core stays as near to the conflict as it can.
void Cdcl::find_core(const Lit* literals, int size) {
  core_.clear();
  for (int k = 0; k < size; ++k) {
    if (assignment_.level(literals[k]) > 0) seen_[var_of(literals[k])] = 1;
  }
  for (int place = assignment_.size() - 1; place >= assignment_.start(1); --place) {
    const Lit l = assignment_.trail()[place];
    const Var v = var_of(l);
    if (!seen_[v]) continue;
    seen_[v] = 0;
    const ClauseRef reason = is_assumption_[l] != 0 ? kNoClause : reason_of(v);
    if (reason == kNoClause) {
      if (assignment_.level(l) > 0) core_.push_back(l);
      continue;
    }
    const Lit* why = arena_.literals(reason);
    for (int k = 0; k < arena_.size(reason); ++k) {
      if (var_of(why[k]) != v && assignment_.level(why[k]) > 0) seen_[var_of(why[k])] = 1;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------- reduction

// Drops the worse half of the learnt clauses, by LBD and then size.
void Cdcl::reduce() {
  ++counts_.reductions;
  std::vector<ClauseRef> kept;
  std::vector<ClauseRef> candidates;
  for (const ClauseRef c : learnts_) {
    const Lit* l = arena_.literals(c);
    const auto is_reason = [&](Lit x) { return assignment_.is_true(x) && assignment_.cause(var_of(x)).reason == c; };
    const bool stays = arena_.lbd(c) <= kGlue || arena_.size(c) == 2 || is_reason(l[0]) || is_reason(l[1]);
    (stays ? kept : candidates).push_back(c);
  }
  std::sort(candidates.begin(), candidates.end(), [this](ClauseRef x, ClauseRef y) {
    if (arena_.lbd(x) != arena_.lbd(y)) return arena_.lbd(x) < arena_.lbd(y);
    return arena_.size(x) != arena_.size(y) ? arena_.size(x) < arena_.size(y) : x < y;
  });
  const auto half = candidates.begin() + static_cast<std::ptrdiff_t>(candidates.size() / 2);
  kept.insert(kept.end(), candidates.begin(), half);
  std::for_each(half, candidates.end(), [this](ClauseRef c) {
    if (proof_ != nullptr) proof_->removal(arena_.literals(c), arena_.size(c));
    arena_.remove(c);
  });
  learnts_.swap(kept);
  if (arena_.is_wasteful()) {
    compact();
  } else {
    for (WatchLists::List& list : watches_.all()) {
      list.truncate(std::remove_if(list.begin(), list.end(),
                                   [this](const Watch& watch) { return arena_.is_removed(watch.clause()); }));
    }
  }
  kept_learnts_ = learnts_.size();
}

// Moves the clauses together, and drops what a fact satisfies.
void Cdcl::compact() {
  arena_.compact([this](ClauseRef c) {
    const Lit* l = arena_.literals(c);
    return std::any_of(l, l + arena_.size(c),
                       [this](Lit x) { return assignment_.is_true(x) && assignment_.is_fact(x); });
  });
  for (WatchLists::List& list : watches_.all()) {
    Watch* to = list.begin();
    for (const Watch& watch : list) {
      const ClauseRef place = arena_.moved(watch.clause());
      if (place != kNoClause) *to++ = Watch(place, watch.is_binary(), watch.blocker());
    }
    list.truncate(to);
  }
  for (const Lit l : assignment_.trail()) {
    Assignment::Cause& cause = assignment_.cause(var_of(l));
    // A reason that is dropped here was one of a fact, which needs none.
    if (cause.reason >= 0) cause.reason = cause.level == 0 ? kNoReason : arena_.moved(cause.reason);
  }
  std::size_t kept = 0;
  for (const ClauseRef c : learnts_) {
    if (arena_.moved(c) != kNoClause) learnts_[kept++] = arena_.moved(c);
  }
  learnts_.resize(kept);
  arena_.finish_compaction();
}

}  // namespace kakehashi
