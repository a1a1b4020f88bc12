// Watch lists: for each literal the clauses that have to be looked at when it becomes false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "clause_arena.hpp"
#include "literal.hpp"

namespace kakehashi {

// Two watched literals (Moskewicz et al., "Chaff", 2001) with a blocker, another literal of the clause: while it is
// true, the clause need not be touched (Sorensson and Een, MiniSat 2.1). For a clause of two literals the blocker is
// all of it.
class Watch {
 public:
  Watch() = default;
  Watch(ClauseRef clause, bool binary, Lit blocker)
      : tagged_(2 * static_cast<std::uint32_t>(clause) + (binary ? 1U : 0U)), blocker_(blocker) {}

  ClauseRef clause() const { return static_cast<ClauseRef>(tagged_ >> 1); }
  bool is_binary() const { return (tagged_ & 1U) != 0; }
  Lit blocker() const { return blocker_; }

 private:
  std::uint32_t tagged_;
  Lit blocker_;
};

// The lists of all literals, in blocks of 4, 8, 16, ... watches out of large chunks. A board has hundreds of thousands
// of short lists: an allocation for each would take longer than the encoding. Chunks never move, so a list may be
// walked while others grow.
class WatchLists {
 public:
  class List {
   public:
    Watch* begin() { return data_; }
    Watch* end() { return data_ + size_; }
    void truncate(Watch* end) { size_ = static_cast<std::uint32_t>(end - data_); }

   private:
    friend class WatchLists;
    Watch* data_ = nullptr;
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = 0;
  };

  void grow(std::size_t literals) { lists_.resize(literals); }
  List& of(Lit l) { return lists_[l]; }
  std::vector<List>& all() { return lists_; }
  std::size_t bytes() const { return bytes_ + lists_.capacity() * sizeof(List); }

  void push(Lit l, Watch watch) {
    List& list = lists_[l];
    if (list.size_ == list.capacity_) enlarge(list);
    list.data_[list.size_++] = watch;
  }

 private:
  static constexpr std::uint32_t kSmallest = 8;
  static constexpr std::size_t kChunk = std::size_t{1} << 14;

  static unsigned size_class(std::uint32_t capacity) {
    unsigned k = 0;
    while ((kSmallest << k) < capacity) ++k;
    return k;
  }

  void enlarge(List& list) {
    const std::uint32_t capacity = list.capacity_ == 0 ? kSmallest : 2 * list.capacity_;
    Watch* data = block(capacity);
    if (list.size_ > 0) {
      std::memcpy(static_cast<void*>(data), list.data_, list.size_ * sizeof(Watch));
      free_[size_class(list.capacity_)].push_back(list.data_);
    }
    list.data_ = data;
    list.capacity_ = capacity;
  }

  Watch* block(std::uint32_t capacity) {
    const unsigned k = size_class(capacity);
    if (k >= free_.size()) free_.resize(k + 1);
    if (!free_[k].empty()) {
      Watch* data = free_[k].back();
      free_[k].pop_back();
      return data;
    }
    if (capacity > left_) {
      const std::size_t size = capacity > kChunk ? capacity : kChunk;
      chunks_.push_back(std::make_unique_for_overwrite<Watch[]>(size));
      bytes_ += size * sizeof(Watch);
      if (size > kChunk) return chunks_.back().get();
      next_ = chunks_.back().get();
      left_ = size;
    }
    Watch* data = next_;
    next_ += capacity;
    left_ -= capacity;
    return data;
  }

  std::vector<List> lists_;
  std::vector<std::unique_ptr<Watch[]>> chunks_;
  std::vector<std::vector<Watch*>> free_;  // by size class
  Watch* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace kakehashi
