// Variables and literals of the search.
#pragma once

#include <cstdint>

namespace kakehashi {

using Var = std::int32_t;
// 2 * variable, + 1 when negated (MiniSat's layout: a literal is an index, its negation one bit away).
using Lit = std::int32_t;

constexpr Lit positive(Var v) { return 2 * v; }
constexpr Lit negative(Var v) { return 2 * v + 1; }
constexpr Var var_of(Lit l) { return l >> 1; }
constexpr Lit negated(Lit l) { return l ^ 1; }
constexpr bool is_negative(Lit l) { return (l & 1) != 0; }

}  // namespace kakehashi
