// When to restart: Luby, Sinclair, Zuckerman, "Optimal speedup of Las Vegas algorithms", 1993.
#pragma once

#include <cstdint>

namespace kakehashi {

// The numbers 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ... times a base, by Knuth's "reluctant doubling".
class LubyRestarts {
 public:
  explicit LubyRestarts(std::int64_t base) : base_(base) {}

  void conflict() { ++since_; }
  bool is_due() const { return since_ >= base_ * v_; }
  void restarted() {
    since_ = 0;
    if ((u_ & -u_) == v_) {
      ++u_;
      v_ = 1;
    } else {
      v_ *= 2;
    }
  }

 private:
  std::int64_t base_;
  std::int64_t since_ = 0;
  std::int64_t u_ = 1;
  std::int64_t v_ = 1;
};

}  // namespace kakehashi
