// What a fuzzer gives, read as small numbers; zeros when it is used up.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kakehashi::fuzz {

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  int next() { return at_ < size_ ? data_[at_++] : 0; }
  // A number from `least` to `most`.
  int between(int least, int most) { return least + next() % (most - least + 1); }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

}  // namespace kakehashi::fuzz
