// The tile sweep: a huge board is solved piece by piece, with one solver that keeps all it learns.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cdcl.hpp"
#include "encoding.hpp"

namespace kakehashi {

struct SweepOptions {
  int tile = 20;                // cells along the side of a tile; a board of one tile is searched as a whole
  int hops = 2;                 // islands this far from a tile are free when it is settled
  std::int64_t budget = 1500;   // conflicts of a search before more of the board is freed
};

// Beyond some 1,500 islands a global search drowns: conflicts far apart are solved again and again. So the tiles are
// visited in snake order. Only channels of tiles seen so far are decided; those that were settled before are
// assumptions, but for some hops around the tile. When these do not go together, exactly the channels of the core
// become free, and the search goes on: every conflict stays local. When a search takes too long, something settled
// early was wrong in a way that no core shows. Mostly it is near, so the tile is settled anew with more around it free;
// when that does not help, the board is swept again in the next mirrored order, with all clauses kept.
//
// Exact: "infeasible" comes only from a conflict on facts, and a search without assumptions has no budget.
class Sweep {
 public:
  Sweep(const Encoding& encoding, Cdcl& cdcl, SweepOptions options);

  // A first solution; false: there is none.
  bool solve();

  // A solution that differs from all before it; false: there is none. After `solve` or `solve_next` said true.
  bool solve_next();

  // The bridges of each channel in the last solution.
  const std::vector<std::int8_t>& values() const { return values_; }
  std::int64_t cores() const { return cores_; }
  std::int64_t sweeps() const { return sweeps_; }

 private:
  using Answer = Cdcl::Answer;

  void make_tiles(unsigned order);
  bool sweep_once(std::int64_t budget, bool& found);
  Answer settle_tile(const std::vector<int>& tile, std::int64_t budget);
  Answer settle(std::optional<Lit> question, std::int64_t budget);
  void free_around(const std::vector<int>& islands, int hops);
  void begin_settling(const std::vector<int>& islands, int hops);
  void activate(int e);
  void make_assumptions();
  void record();
  void add_difference(int e, std::vector<Lit>& clause) const;
  std::vector<Lit> difference() const;
  bool define(const std::vector<Lit>& clause);
  bool ask_tile(const std::vector<int>& tile, bool& found);

  const Encoding& encoding_;
  const Graph& graph_;
  Cdcl& cdcl_;
  SweepOptions options_;
  bool is_exact_;  // every island has a number
  int tile_rows_ = 1;
  int tile_cols_ = 1;
  int rows_ = 1;
  int cols_ = 1;
  std::vector<std::vector<int>> tiles_;   // islands, in the order of the sweep
  std::vector<std::vector<int>> around_;  // tiles around each tile, itself too, in that order
  std::vector<int> tile_of_;              // by island
  std::size_t visited_ = 0;               // the tile that is being settled
  std::vector<int> active_;              // undecided channels of the tiles seen so far
  std::vector<char> is_active_;          // by channel
  std::vector<char> is_free_;            // by channel: not assumed
  std::vector<std::int8_t> recorded_;    // by variable: 1 true, -1 false when it was last settled, 0 never
  std::vector<std::int8_t> values_;
  std::vector<Lit> assumptions_;
  std::vector<char> is_assumed_;  // by channel; this and the next four are for make_assumptions alone
  std::vector<int> next_visit_;   // by tile
  std::vector<int> places_;
  std::vector<int> waiting_;
  std::vector<int> sorted_;
  std::vector<int> sources_;
  std::vector<int> distance_;
  std::vector<int> ball_;
  std::int64_t cores_ = 0;
  std::int64_t sweeps_ = 0;
  std::size_t asked_ = 0;  // tiles without a further solution, since the last one
};

}  // namespace kakehashi
