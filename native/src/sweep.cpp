#include "sweep.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kakehashi {
namespace {

constexpr int kTries = 3;  // to settle a tile in one sweep, each with twice as much of the board free

}  // namespace

Sweep::Sweep(const Encoding& encoding, Cdcl& cdcl, SweepOptions options)
    : encoding_(encoding), graph_(encoding.graph()), cdcl_(cdcl), options_(options), is_exact_(true) {
  for (int i = 0; i < graph_.n; ++i) {
    rows_ = std::max(rows_, graph_.island_row[i] + 1);
    cols_ = std::max(cols_, graph_.island_col[i] + 1);
    is_exact_ = is_exact_ && encoding.problem().is_exact(i);
  }
  const auto pieces = [&](int cells) { return std::max(1, (cells + options.tile / 2) / options.tile); };
  tile_rows_ = pieces(rows_);
  tile_cols_ = pieces(cols_);
  is_active_.assign(graph_.m, 0);
  is_free_.assign(graph_.m, 0);
  is_assumed_.assign(graph_.m, 0);
  tile_of_.assign(graph_.n, 0);
  recorded_.assign(encoding.variables(), 0);
  values_.assign(graph_.m, 0);
  distance_.assign(graph_.n, -1);
}

// A snake through the tiles; the bits of `order` turn it upside down, mirror it, and let it run along the columns.
void Sweep::make_tiles(unsigned order) {
  const bool by_column = (order & 4U) != 0;
  const int lines = by_column ? tile_cols_ : tile_rows_;
  const int length = by_column ? tile_rows_ : tile_cols_;
  tiles_.assign(static_cast<std::size_t>(lines) * length, {});
  for (int i = 0; i < graph_.n; ++i) {
    auto row = static_cast<int>(std::int64_t{graph_.island_row[i]} * tile_rows_ / rows_);
    auto col = static_cast<int>(std::int64_t{graph_.island_col[i]} * tile_cols_ / cols_);
    if ((order & 1U) != 0) row = tile_rows_ - 1 - row;
    if ((order & 2U) != 0) col = tile_cols_ - 1 - col;
    const int line = by_column ? col : row;
    const int along = by_column ? row : col;
    tile_of_[i] = line * length + (line % 2 != 0 ? length - 1 - along : along);
    tiles_[tile_of_[i]].push_back(i);
  }
  around_.assign(tiles_.size(), {});
  for (int line = 0; line < lines; ++line) {
    for (int place = 0; place < length; ++place) {
      std::vector<int>& around = around_[static_cast<std::size_t>(line) * length + place];
      const int along = line % 2 != 0 ? length - 1 - place : place;
      for (int l = std::max(0, line - 1); l <= std::min(lines - 1, line + 1); ++l) {
        for (int k = std::max(0, along - 1); k <= std::min(length - 1, along + 1); ++k) {
          around.push_back(l * length + (l % 2 != 0 ? length - 1 - k : k));
        }
      }
      std::sort(around.begin(), around.end());
    }
  }
}

bool Sweep::solve() {
  std::int64_t budget = options_.budget;
  bool found = false;
  for (unsigned order = 0; !sweep_once(budget, found); ++order) {
    budget += budget / 2;
    make_tiles(order + 1);
  }
  if (found) record();
  return found;
}

// False: given up, for it takes too long.
bool Sweep::sweep_once(std::int64_t budget, bool& found) {
  ++sweeps_;
  if (tiles_.empty()) make_tiles(0);
  std::fill(recorded_.begin(), recorded_.end(), 0);
  std::fill(is_active_.begin(), is_active_.end(), 0);
  active_.clear();
  assumptions_.clear();
  cdcl_.deactivate_all();
  for (visited_ = 0; visited_ < tiles_.size(); ++visited_) {
    const std::vector<int>& tile = tiles_[visited_];
    if (tile.empty()) continue;
    for (const int i : tile) {
      for (const int* e = encoding_.live_begin(i); e != encoding_.live_end(i); ++e) activate(*e);
    }
    const Answer answer = settle_tile(tile, budget);
    if (answer == Answer::kExhausted) return false;
    found = answer == Answer::kModel;
    if (!found) break;
  }
  return true;
}

Cdcl::Answer Sweep::settle_tile(const std::vector<int>& tile, std::int64_t budget) {
  Answer answer = Answer::kExhausted;
  int hops = options_.hops;
  for (int tries = 0; tries < kTries && answer == Answer::kExhausted; ++tries, hops = 2 * hops + 1) {
    begin_settling(tile, hops);
    answer = settle(std::nullopt, budget);
  }
  return answer;
}

void Sweep::activate(int e) {
  if (is_active_[e] || encoding_.width(e) == 0) return;
  is_active_[e] = 1;
  active_.push_back(e);
  cdcl_.activate_channel(e);
}

void Sweep::begin_settling(const std::vector<int>& islands, int hops) {
  std::fill(is_free_.begin(), is_free_.end(), 0);
  free_around(islands, hops);
}

// Frees all channels at islands that are at most `hops` channels away.
void Sweep::free_around(const std::vector<int>& islands, int hops) {
  ball_.clear();
  for (const int i : islands) {
    if (distance_[i] >= 0) continue;
    distance_[i] = 0;
    ball_.push_back(i);
  }
  for (std::size_t k = 0; k < ball_.size(); ++k) {
    const int i = ball_[k];
    for (const int* e = encoding_.live_begin(i); e != encoding_.live_end(i); ++e) {
      is_free_[*e] = 1;
      const int j = graph_.other_end(*e, i);
      if (distance_[i] >= hops || distance_[j] >= 0) continue;
      distance_[j] = distance_[i] + 1;
      ball_.push_back(j);
    }
  }
  for (const int i : ball_) distance_[i] = -1;
}

// Searches with everything assumed that is settled and not free, and frees what is in the cores. With a question, kCore
// means that nothing but the question itself is to blame.
Cdcl::Answer Sweep::settle(std::optional<Lit> question, std::int64_t budget) {
  while (true) {
    make_assumptions();
    const std::int64_t conflicts = assumptions_.empty() ? std::numeric_limits<std::int64_t>::max() / 2 : budget;
    if (question) assumptions_.push_back(*question);
    const Answer answer = cdcl_.search(assumptions_, conflicts);
    if (answer == Answer::kModel) {
      for (const int e : active_) {
        for (Var v = encoding_.first(e); v < encoding_.first(e) + encoding_.width(e); ++v) {
          recorded_[v] = cdcl_.is_true(positive(v)) ? 1 : -1;
        }
      }
    }
    if (answer != Answer::kCore) return answer;
    ++cores_;
    sources_.clear();
    for (const Lit l : cdcl_.core()) {
      if (var_of(l) >= encoding_.variables()) continue;
      const int e = encoding_.channel(var_of(l));
      sources_.push_back(graph_.channel_a[e]);
      sources_.push_back(graph_.channel_b[e]);
    }
    if (sources_.empty()) return answer;
    free_around(sources_, 0);
  }
}

// What is settled and not free. The search goes on from the assumptions that stay at the beginning, so the longest part
// of the last ones that still holds is kept. The others follow in the order in which the sweep will free them, the last
// first: it comes by again at the tiles around. By counting sort, for this is done for every tile.
void Sweep::make_assumptions() {
  std::size_t kept = 0;
  for (; kept < assumptions_.size(); ++kept) {
    const Lit l = assumptions_[kept];
    if (var_of(l) >= encoding_.variables() || is_free_[encoding_.channel(var_of(l))]) break;
  }
  assumptions_.resize(kept);
  for (const Lit l : assumptions_) is_assumed_[encoding_.channel(var_of(l))] = 1;
  const std::size_t tiles = tiles_.size();
  next_visit_.resize(tiles);
  for (std::size_t t = 0; t < tiles; ++t) {
    const auto next = std::upper_bound(around_[t].begin(), around_[t].end(), static_cast<int>(visited_));
    next_visit_[t] = next == around_[t].end() ? static_cast<int>(tiles) : *next;
  }
  const auto visit = [this](int e) { return next_visit_[tile_of_[graph_.channel_a[e]]]; };
  places_.assign(tiles + 1, 0);
  waiting_.clear();
  for (const int e : active_) {
    if (is_free_[e] || is_assumed_[e]) continue;
    waiting_.push_back(e);
    ++places_[visit(e)];
  }
  int before = 0;
  for (std::size_t t = tiles + 1; t-- > 0;) before += std::exchange(places_[t], before);
  sorted_.resize(waiting_.size());
  for (const int e : waiting_) sorted_[places_[visit(e)]++] = e;
  for (const Lit l : assumptions_) is_assumed_[encoding_.channel(var_of(l))] = 0;
  for (const int e : sorted_) {
    for (Var v = encoding_.first(e); v < encoding_.first(e) + encoding_.width(e); ++v) {
      if (recorded_[v] == 0 || cdcl_.is_fact(positive(v))) continue;
      assumptions_.push_back(recorded_[v] > 0 ? positive(v) : negative(v));
    }
  }
}

void Sweep::record() {
  for (int e = 0; e < graph_.m; ++e) {
    int bridges = encoding_.lo(e);
    while (bridges < encoding_.hi(e) && cdcl_.is_true(encoding_.at_least(e, bridges + 1))) ++bridges;
    values_[e] = static_cast<std::int8_t>(bridges);
  }
  asked_ = 0;
  if (cdcl_.proof() != nullptr) cdcl_.proof()->blocking(difference());
}

// ------------------------------------------------------------------------------------------------- further solutions

// How channel e may differ from the last solution. Where every island has a number, "fewer bridges" says enough: if
// some channel carries more, then at each of its ends another one carries fewer.
void Sweep::add_difference(int e, std::vector<Lit>& clause) const {
  const int bridges = values_[e];
  if (bridges > encoding_.lo(e)) clause.push_back(negated(encoding_.at_least(e, bridges)));
  if (!is_exact_ && bridges < encoding_.hi(e)) clause.push_back(encoding_.at_least(e, bridges + 1));
}

// How any other solution differs from the last one.
std::vector<Lit> Sweep::difference() const {
  std::vector<Lit> clause;
  for (int e = 0; e < graph_.m; ++e) add_difference(e, clause);
  return clause;
}

// With tiles, one clause over the whole board would put every channel into the core. So each tile is asked by itself:
// is there a solution that differs from the last one here? The clause that says so holds under an activation literal,
// the question. Where the answer is no, all other solutions agree with the last one on this tile, and that is a fact
// from then on; when no tile is left, there is none.
bool Sweep::solve_next() {
  if (tiles_.size() == 1) {
    if (!cdcl_.add_clause(difference())) return false;
    begin_settling(tiles_[0], 0);
    if (settle(std::nullopt, options_.budget) != Answer::kModel) return false;
    record();
    return true;
  }
  for (; asked_ < tiles_.size(); ++asked_) {
    bool found = false;
    visited_ = asked_;
    if (!ask_tile(tiles_[asked_], found)) return false;
    if (found) return true;
  }
  return false;
}

bool Sweep::define(const std::vector<Lit>& clause) {
  if (cdcl_.proof() != nullptr) cdcl_.proof()->definition(clause);
  return cdcl_.add_clause(clause);
}

// False: there is no further solution at all.
bool Sweep::ask_tile(const std::vector<int>& tile, bool& found) {
  std::vector<Lit> clause;
  for (const int i : tile) {
    for (const int* e = encoding_.live_begin(i); e != encoding_.live_end(i); ++e) {
      if (graph_.channel_a[*e] == i) add_difference(*e, clause);  // each channel belongs to one tile
    }
  }
  clause.erase(std::remove_if(clause.begin(), clause.end(), [this](Lit l) { return cdcl_.is_refuted_fact(l); }),
               clause.end());
  if (clause.empty()) return true;
  // The question is defined as the disjunction, in both directions: so its "no" makes facts of the negations.
  const Var question = cdcl_.new_variable();
  for (const Lit l : clause) define({positive(question), negated(l)});
  clause.push_back(negative(question));
  if (!define(clause)) return false;
  Answer answer = Answer::kExhausted;
  std::int64_t budget = options_.budget;
  for (int hops = options_.hops; answer == Answer::kExhausted; hops = 2 * hops + 1, budget *= 2) {
    begin_settling(tile, hops);
    answer = settle(positive(question), budget);
  }
  if (answer == Answer::kInfeasible) return false;
  if (answer == Answer::kModel) {
    found = true;
    std::vector<Lit> blocking = difference();
    record();
    return cdcl_.add_clause(std::move(blocking));  // for good, since later questions are about the new solution
  }
  if (cdcl_.proof() != nullptr) cdcl_.proof()->lemma(std::vector<Lit>{negative(question)});
  return cdcl_.add_clause({negative(question)});
}

}  // namespace kakehashi
