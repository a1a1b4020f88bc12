// The clauses of the search: adding, watching, learning, and dropping the worse ones.
#include <algorithm>
#include <utility>

#include "cdcl.hpp"

namespace kakehashi {

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

void Cdcl::reduce_if_due() {
  const std::size_t since = learnts_.size() - std::min(learnts_.size(), kept_learnts_);
  if (since >= pace_.first_reduction + pace_.more_each_time * static_cast<std::size_t>(counts_.reductions)) reduce();
}

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
