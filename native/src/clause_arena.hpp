// All clauses in one array (MiniSat's region allocator): a clause is known by its place, and copying the live ones
// closes the gaps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "literal.hpp"

namespace kakehashi {

using ClauseRef = std::int32_t;
constexpr ClauseRef kNoClause = -1;

// A clause is [size][LBD, 0 for one of the puzzle's own][literals...].
class ClauseArena {
 public:
  void reserve(std::size_t words) { words_.reserve(words); }
  std::size_t words() const { return words_.size(); }
  std::size_t capacity_bytes() const { return words_.capacity() * sizeof(std::int32_t); }

  ClauseRef add(const Lit* literals, int size, int lbd) {
    if (words_.size() > kMost - kHeader - static_cast<std::size_t>(size)) throw std::bad_alloc();
    const auto clause = static_cast<ClauseRef>(words_.size());
    words_.push_back(size);
    words_.push_back(lbd);
    words_.insert(words_.end(), literals, literals + size);
    return clause;
  }

  int size(ClauseRef c) const { return words_[c]; }
  ClauseRef next(ClauseRef c) const { return c + static_cast<ClauseRef>(kHeader) + size(c); }
  int lbd(ClauseRef c) const { return words_[c + 1]; }
  void set_lbd(ClauseRef c, int lbd) { words_[c + 1] = lbd; }
  // Valid until the next clause is added.
  Lit* literals(ClauseRef c) { return words_.data() + c + kHeader; }
  const Lit* literals(ClauseRef c) const { return words_.data() + c + kHeader; }

  void remove(ClauseRef c) {
    waste_ += kHeader + size(c);
    words_[c + 1] = kRemoved;
  }
  bool is_removed(ClauseRef c) const { return words_[c + 1] == kRemoved; }
  bool is_wasteful() const { return waste_ * 4 >= words_.size(); }

  // Drops what was removed and what `is_useless`. Until `finish_compaction`, `moved` tells the new place of a clause.
  template <class Useless>
  void compact(Useless is_useless) {
    std::vector<std::int32_t> kept;
    kept.reserve(words_.size());
    for (std::size_t at = 0; at < words_.size();) {
      const auto c = static_cast<ClauseRef>(at);
      const int length = size(c);
      const bool gone = is_removed(c) || is_useless(c);
      const auto begin = words_.begin() + static_cast<std::ptrdiff_t>(at);
      at += kHeader + length;
      const auto place = static_cast<ClauseRef>(kept.size());
      if (!gone) kept.insert(kept.end(), begin, begin + kHeader + length);
      *begin = gone ? kNoClause : place;
    }
    compacted_.swap(kept);
  }
  ClauseRef moved(ClauseRef c) const { return words_[c]; }
  void finish_compaction() {
    words_.swap(compacted_);
    compacted_ = {};
    waste_ = 0;
  }

 private:
  static constexpr std::size_t kHeader = 2;
  static constexpr std::size_t kMost = std::size_t{1} << 30;  // a watch keeps one bit of the place for itself
  static constexpr int kRemoved = -1;

  std::vector<std::int32_t> words_;
  std::vector<std::int32_t> compacted_;
  std::size_t waste_ = 0;
};

}  // namespace kakehashi
