// A small board of any kind, as the arrays that the engine takes.
#pragma once

#include <cstdint>
#include <vector>

#include "bytes.hpp"
#include "problem.hpp"

namespace kakehashi::fuzz {

// Ugly on purpose: touching islands, islands without channels, clues of no sense. About half of the boards have their
// clues from bridges that were laid on them, which cross nowhere but need not connect.
class Board {
 public:
  static constexpr int kMostIslands = 12;

  explicit Board(Bytes& bytes);

  int islands() const { return static_cast<int>(row_.size()); }
  int channels() const { return static_cast<int>(end_a_.size()); }
  int end_a(int e) const { return end_a_[e]; }
  int end_b(int e) const { return end_b_[e]; }
  bool crosses(int e, int f) const;

  int capacity() const { return capacity_; }
  bool has_loops() const { return loops_; }
  int least(int i) const { return least_[i]; }
  int most(int i) const { return most_[i]; }

  // A view; the board has to live as long.
  Problem problem() const;

 private:
  void find_channels(int cols);
  void find_crossings();
  std::vector<int> lay_bridges(Bytes& bytes) const;
  void make_clues(Bytes& bytes);

  int capacity_ = 2;
  bool loops_ = true;
  std::vector<std::int32_t> row_, col_, end_a_, end_b_, vertical_, neighbours_, crossing_start_, crossing_;
  std::vector<std::int32_t> least_, most_;
};

}  // namespace kakehashi::fuzz
