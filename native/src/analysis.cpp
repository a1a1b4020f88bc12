// Conflicts: what is learnt from them, and which assumptions are to blame.
#include <algorithm>
#include <utility>

#include "cdcl.hpp"
#include "check.hpp"

namespace kakehashi {

// One of the channels in the cut carries a bridge, and all are empty.
void Cdcl::note_cut() {
  ++counts_.cuts;
  violated_.clear();
  for (const int e : connectivity_.cut()) violated_.push_back(positive(encoding_.first(e)));
  if (proof_ != nullptr) proof_->cut(violated_);
}

// One of the channels in the loop is empty, and all carry bridges.
void Cdcl::note_loop(int e) {
  ++counts_.loops;
  loops_->explain(e, violated_);
  if (proof_ != nullptr) proof_->loop(violated_);
}

// The violated clause is false now, on whatever level: the propagators look late.
Cdcl::Step Cdcl::take_violated(ClauseRef& conflict) {
  scratch_.clear();
  int highest = 0;
  int at_highest = 0;
  for (const Lit l : violated_) {
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
      reusable_ = 0;  // the fact contradicts what the assumptions imply: level 0 has to see it first
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
  return reason == kDemandReason || reason == kLoopReason ? explain(v, reason) : reason;
}

// The clause by which a propagator implied v, into `scratch_`, the literal of v first.
void Cdcl::ask_propagator(Var v, ClauseRef propagator) {
  if (propagator == kLoopReason) {
    loops_->explain(encoding_.channel(v), scratch_);
    if (proof_ != nullptr) proof_->loop(scratch_);
    return;
  }
  demand_->explain(v, scratch_);
  if (proof_ == nullptr) return;
  demand_->explained_cut(cut_literals_);
  proof_->cut(cut_literals_);
  proof_->lemma(scratch_);
}

ClauseRef Cdcl::explain(Var v, ClauseRef propagator) {
  ask_propagator(v, propagator);
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

}  // namespace kakehashi
