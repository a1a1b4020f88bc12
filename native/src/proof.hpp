// A proof log: everything that the search adds to the puzzle's clauses, in the order in which it does.
#pragma once

#include <string>

#include "literal.hpp"

namespace kakehashi {

// DRAT (Wetzler, Heule, Hunt, "DRAT-trim", 2014) with marks: a line is literals, numbered as in DIMACS (variable v is v
// + 1, negated is negative), and a 0.
//
//     1 -2 0      a clause that follows by reverse unit propagation; the last one is empty
//     d 1 -2 0    a clause that is dropped
//     k 1 3 0     a cut: of these channels, all that lead out of some group of islands, one carries a bridge
//     l -1 -3 0   a loop: of these channels, which close one, one stays empty (where the rules forbid loops)
//     e -9 4 0    a part of the definition of a new variable, here 9, as the disjunction of others
//     b -1 -4 0   the solution that was just found is not the answer any more
//
// Cuts and loops are checked on the graph, definitions and blocked solutions by sight, all others by propagation.
class Proof {
 public:
  template <class Literals>
  void lemma(const Literals& literals) {
    write("", literals);
  }
  template <class Literals>
  void cut(const Literals& literals) {
    write("k ", literals);
  }
  template <class Literals>
  void loop(const Literals& literals) {
    write("l ", literals);
  }
  template <class Literals>
  void definition(const Literals& literals) {
    write("e ", literals);
  }
  template <class Literals>
  void blocking(const Literals& literals) {
    write("b ", literals);
  }
  void removal(const Lit* literals, int size) {
    text_ += "d ";
    for (int k = 0; k < size; ++k) append(literals[k]);
    text_ += "0\n";
  }
  void contradiction() { text_ += "0\n"; }

  const std::string& text() const { return text_; }

 private:
  template <class Literals>
  void write(const char* mark, const Literals& literals) {
    text_ += mark;
    for (const Lit l : literals) append(l);
    text_ += "0\n";
  }
  void append(Lit l) {
    if (is_negative(l)) text_ += '-';
    text_ += std::to_string(var_of(l) + 1);
    text_ += ' ';
  }

  std::string text_;
};

}  // namespace kakehashi
