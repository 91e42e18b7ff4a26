// Timeline: the two resources of a simulated rank.
#pragma once
#include <algorithm>

#include "collective_cost.h"

namespace planning {

/// Speeds while a collective runs during computation, relative to each of them alone.
struct OverlapRates {
  double computation = 1, communication = 1;
};

/// A rank that computes, and a stream in which its collectives run one after the other. All ranks
/// are equal and start together.
class Timeline {
 public:
  explicit Timeline(const OverlapRates& rates = {}) : rates_(rates) {}

  double now() const { return now_; }
  double communication() const { return issued_; }  ///< seconds of collectives that run alone
  double bytes() const { return bytes_; }           ///< sent by a rank

  /// Computes what takes `seconds` alone.
  void compute(double seconds) {
    if (seconds <= 0) return;
    const double pending = issued_ - done_;
    // Time until the collectives, or the computation, are complete.
    const double overlap = std::min(pending / rates_.communication, seconds / rates_.computation);
    done_ = std::min(issued_, done_ + overlap * rates_.communication);
    now_ += overlap + std::max(0.0, seconds - overlap * rates_.computation);
  }
  /// Starts a collective, which runs after those that were started before. Returns its handle.
  double start(const Cost& cost) {
    issued_ += cost.seconds;
    bytes_ += cost.bytes;
    return issued_;
  }
  /// Waits for a collective, and thus for those before it.
  void wait(double handle) {
    now_ += std::max(0.0, handle - done_);
    done_ = std::max(done_, handle);
  }
  /// Executes a collective.
  void run(const Cost& cost) { wait(start(cost)); }

 private:
  OverlapRates rates_;
  double now_ = 0, bytes_ = 0;
  double issued_ = 0, done_ = 0;  ///< seconds of collectives that were started, that have run
};

}  // namespace planning
