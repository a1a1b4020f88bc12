// The partial assignment of a search and how it came about: values, levels, reasons, trail.
#pragma once

#include <cstdint>
#include <vector>

#include "clause_arena.hpp"
#include "literal.hpp"

namespace kakehashi {

// Why a literal is true: a clause, or one of these.
constexpr ClauseRef kNoReason = kNoClause;  // a decision, an assumption, or a fact
// A propagator, which explains it when analysis asks.
constexpr ClauseRef kDemandReason = -2;
constexpr ClauseRef kLoopReason = -3;

class Assignment {
 public:
  struct Cause {
    std::int32_t level = 0;
    ClauseRef reason = kNoReason;
    std::int32_t position = 0;  // on the trail
  };

  void grow(Var variables) {
    values_.resize(2 * static_cast<std::size_t>(variables), 0);
    causes_.resize(variables);
  }

  bool is_true(Lit l) const { return values_[l] > 0; }
  bool is_false(Lit l) const { return values_[l] < 0; }
  bool is_open(Lit l) const { return values_[l] == 0; }
  bool is_fact(Lit l) const { return values_[l] != 0 && causes_[var_of(l)].level == 0; }

  int level() const { return static_cast<int>(starts_.size()); }
  int level(Lit l) const { return causes_[var_of(l)].level; }
  int position(Lit l) const { return causes_[var_of(l)].position; }
  Cause& cause(Var v) { return causes_[v]; }
  const Cause& cause(Var v) const { return causes_[v]; }

  const std::vector<Lit>& trail() const { return trail_; }
  int size() const { return static_cast<int>(trail_.size()); }
  // The place on the trail where a level (from 1) begins.
  int start(int level) const { return starts_[level - 1]; }

  void assign(Lit l, ClauseRef reason) {
    values_[l] = 1;
    values_[negated(l)] = -1;
    causes_[var_of(l)] = {level(), reason, size()};
    trail_.push_back(l);
  }

  // What holds in every solution belongs to level 0, whatever level it was found on: analysis and cores leave it out.
  void make_fact(Var v) {
    causes_[v].level = 0;
    causes_[v].reason = kNoReason;
  }

  // Takes back the end of the trail within the first level; `undo` sees each literal with its cause, the first first.
  template <class Undo>
  void rewind(int position, Undo undo) {
    rewound_.assign(trail_.begin() + position, trail_.end());
    trail_.resize(position);
    for (const Lit l : rewound_) values_[l] = values_[negated(l)] = 0;
    for (const Lit l : rewound_) undo(l, Cause(causes_[var_of(l)]));
  }

  void open_level() { starts_.push_back(size()); }

  // Takes back all levels above `target`; `undo` sees each literal, the last first.
  template <class Undo>
  void backtrack(int target, Undo undo) {
    const int start = starts_[target];
    for (int k = size() - 1; k >= start; --k) {
      const Lit l = trail_[k];
      values_[l] = values_[negated(l)] = 0;
      undo(l);
    }
    trail_.resize(start);
    starts_.resize(target);
  }

 private:
  std::vector<std::int8_t> values_;  // by literal: 1 true, -1 false, 0 open
  std::vector<Cause> causes_;        // by variable
  std::vector<Lit> trail_;
  std::vector<int> starts_;
  std::vector<Lit> rewound_;
};

}  // namespace kakehashi
