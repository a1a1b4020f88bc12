// Deadline, heartbeat and cancel flag, looked at from inside every stage.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <utility>

namespace kakehashi {

// The cancel flag was set while the engine worked.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("the search was cancelled") {}
};

// Looks at the clock every kStride ticks. When the deadline or the time of the next beat has come it calls `check`,
// which may throw: that ends the search, and whatever it throws arrives at the caller. Wherever tick() stands, all data
// is in order, so a search that was ended this way can go on later.
class Watchdog {
 public:
  static constexpr int kStride = 32;

  // `seconds`: until the deadline (infinity for none); `interval`: seconds between two beats, 0 for one at every look.
  void arm(std::function<void()> check, double seconds, double interval) {
    check_ = std::move(check);
    const double now = clock();
    ends_ = now + seconds;
    interval_ = interval;
    next_beat_ = now + interval;
    countdown_ = 0;
  }

  void disarm() {
    check_ = nullptr;
    cancelled_.store(false, std::memory_order_relaxed);
  }

  void tick(int steps = 1) {
    countdown_ -= steps;
    if (countdown_ < 0) look();
  }

  // Safe to call from any thread.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  static double clock() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

 private:
  void look() {
    countdown_ = kStride;
    if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled();
    const double now = clock();
    if (!check_ || (now < ends_ && now < next_beat_)) return;
    next_beat_ = now + interval_;
    // The caller's clock decides; if it is behind this one, it is asked again a moment later.
    if (now >= ends_) ends_ = now + 0.001;
    check_();
  }

  std::function<void()> check_;
  std::atomic<bool> cancelled_{false};
  double ends_ = 0;
  double next_beat_ = 0;
  double interval_ = 0;
  int countdown_ = 0;
};

}  // namespace kakehashi
