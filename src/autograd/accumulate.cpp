#include "autograd/accumulate.h"

#include <array>
#include <atomic>
#include <mutex>

namespace taper {
namespace {

/// Nobody else holds the tensor or its elements.
bool ours_alone(const Tensor& t) {
  const TensorImpl& i = impl(t);
  return i.use_count() == 1 && i.storage->use_count() == 1 && !i.node && !i.base;
}

/// Half the price of a std::mutex where nobody waits, which is nearly always.
class Lock {
 public:
  void lock() {
    while (held_.exchange(1, std::memory_order_acquire)) held_.wait(1, std::memory_order_relaxed);
  }
  void unlock() {
    held_.store(0, std::memory_order_release);
    held_.notify_one();
  }

 private:
  std::atomic<int> held_{0};
};

constinit std::array<Lock, 16> locks;

Lock& lock_of(const TensorImpl* leaf) {
  return locks[reinterpret_cast<std::uintptr_t>(leaf) / 64 % locks.size()];
}

}  // namespace

void add_gradient(Tensor& total, Tensor g, bool create_graph) {
  if (!total) {
    total = std::move(g);
  } else if (!create_graph && ours_alone(total) && impl(total).contiguous) {
    total.add_(g);
  } else {
    total = total.add(g);
  }
}

void accumulate_into(TensorImpl& leaf, Tensor g, bool create_graph) {
  std::lock_guard lock(lock_of(&leaf));
  Tensor& grad = leaf.extras().grad;
  if (!grad) {
    if (create_graph) {
      grad = ours_alone(g) || impl(g).node ? g : g.clone();
      return;
    }
    if (ours_alone(g) && impl(g).contiguous) {
      grad = std::move(g);
    } else {
      NoGrad guard;
      grad = g.clone();
    }
    return;
  }
  if (create_graph)
    grad = grad.add(g);
  else {
    NoGrad guard;
    grad.add_(g);
  }
}

}  // namespace taper
