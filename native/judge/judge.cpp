#include "judge.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace kakehashi::judge {
namespace {

// Which cells hang together; paths are halved on the way up (Tarjan, van Leeuwen, "Worst-case analysis of set union
// algorithms", 1984).
class Groups {
 public:
  explicit Groups(std::size_t cells) : above_(cells) { std::iota(above_.begin(), above_.end(), 0); }

  // Whether they were apart before.
  bool join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    above_[a] = static_cast<std::uint32_t>(b);
    return a != b;
  }

 private:
  std::size_t find(std::size_t at) {
    while (above_[at] != at) {
      above_[at] = above_[above_[at]];
      at = above_[at];
    }
    return at;
  }

  std::vector<std::uint32_t> above_;
};

class Judge {
 public:
  explicit Judge(const Board& board)
      : board_(board),
        size_(static_cast<std::size_t>(board.rows * board.cols)),
        east_(size_, 0),
        south_(size_, 0),
        covered_(size_, 0),
        degree_(size_, 0),
        groups_(size_) {}

  // Lays some bridges; false where a rule is broken already.
  bool lay(std::int64_t r1, std::int64_t c1, std::int64_t r2, std::int64_t c2, int count) {
    if (!is_island(r1, c1) || !is_island(r2, c2)) return false;
    const bool is_horizontal = r1 == r2;
    if (is_horizontal == (c1 == c2)) return false;  // askew, or from an island to itself
    std::size_t first = place(r1, c1);
    std::size_t last = place(r2, c2);
    if (first > last) std::swap(first, last);
    const std::size_t step = is_horizontal ? 1 : static_cast<std::size_t>(board_.cols);
    std::uint8_t& carried = (is_horizontal ? east_ : south_)[first];
    // A channel is known by its first island and its direction: another one of the kind runs over an island.
    if (carried == 0) {
      for (std::size_t at = first + step; at < last; at += step) {
        if (board_.cells[at] != 0 || covered_[at] != 0) return false;
        covered_[at] = 1;
      }
      ++channels_;
      joins_ += groups_.join(first, last) ? 1 : 0;
    } else if ((is_horizontal ? last_east(first) : last_south(first)) != last) {
      return false;
    }
    if (carried + count > board_.max_bridges) return false;
    carried = static_cast<std::uint8_t>(carried + count);
    degree_[first] = static_cast<std::uint8_t>(degree_[first] + count);  // at most 4 on each of 4 sides
    degree_[last] = static_cast<std::uint8_t>(degree_[last] + count);
    return true;
  }

  // Once all bridges lie: degrees, one group, no circle.
  bool is_complete() const {
    std::size_t islands = 0;
    for (std::size_t at = 0; at < size_; ++at) {
      const std::uint8_t clue = board_.cells[at];
      if (clue == 0) continue;
      ++islands;
      if (clue == kUnknownClue ? degree_[at] == 0 : degree_[at] != clue) return false;
    }
    return joins_ + 1 == islands && (board_.loops || channels_ == joins_);
  }

 private:
  bool is_island(std::int64_t r, std::int64_t c) const {
    return r >= 0 && r < board_.rows && c >= 0 && c < board_.cols && board_.cells[place(r, c)] != 0;
  }
  std::size_t place(std::int64_t r, std::int64_t c) const { return static_cast<std::size_t>(r * board_.cols + c); }

  // The next island in a direction: where the channel that was laid from here ends.
  std::size_t last_east(std::size_t at) const {
    do ++at;
    while (board_.cells[at] == 0);
    return at;
  }
  std::size_t last_south(std::size_t at) const {
    do at += static_cast<std::size_t>(board_.cols);
    while (board_.cells[at] == 0);
    return at;
  }

  Board board_;
  std::size_t size_;
  std::vector<std::uint8_t> east_, south_;  // bridges that leave a cell in this direction
  std::vector<std::uint8_t> covered_;       // water under a bridge
  std::vector<std::uint8_t> degree_;
  Groups groups_;
  std::size_t channels_ = 0;  // that carry bridges
  std::size_t joins_ = 0;     // of two groups that were apart
};

}  // namespace

bool is_right(const Board& board, const Bridges& bridges) {
  Judge judge(board);
  for (std::size_t k = 0; k < bridges.size; ++k) {
    if (bridges.count[k] == 0) continue;
    const std::int32_t a = bridges.first[k];
    const std::int32_t b = bridges.last[k];
    if (!judge.lay(bridges.row[a], bridges.col[a], bridges.row[b], bridges.col[b], bridges.count[k])) return false;
  }
  return judge.is_complete();
}

}  // namespace kakehashi::judge
