// Gradient accumulation: into the `grad` of leaves and into the input buffers of nodes.
#pragma once
#include <array>

#include "autograd/node.h"

namespace taper {

/// Locks the gradient and the hook lists of a leaf. Not recursive. Without contention, the usual
/// case, it takes half the time of a std::mutex.
class LeafLock {
 public:
  explicit LeafLock(const TensorImpl& leaf)
      : lock_(locks[reinterpret_cast<std::uintptr_t>(&leaf) / 64 % locks.size()]) {
    while (lock_.exchange(1, std::memory_order_acquire)) lock_.wait(1, std::memory_order_relaxed);
  }
  ~LeafLock() {
    lock_.store(0, std::memory_order_release);
    lock_.notify_one();
  }
  LeafLock(const LeafLock&) = delete;
  LeafLock& operator=(const LeafLock&) = delete;

 private:
  inline static constinit std::array<std::atomic<int>, 16> locks{};
  std::atomic<int>& lock_;
};

/// Returns true if nothing else refers to `total`, so that it may be modified in place.
bool is_exclusive(const Tensor& total);
/// Computes total += g; an undefined `total` becomes `g`. Adds in place if `create_graph` is false
/// and no other reference to `total` exists.
void add_gradient(Tensor& total, Tensor g, bool create_graph);
/// Adds `g` to the gradient of the leaf; if the leaf does not have a gradient, `g` or a copy
/// becomes it. Thread-safe.
void accumulate_into(TensorImpl& leaf, Tensor g, bool create_graph);

}  // namespace taper
