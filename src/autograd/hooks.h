// Lists of hooks on gradients, and their handles.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/thread_local_state.h"
#include "taper/autograd/autograd.h"

namespace taper {

/// Hooks on the gradient of one tensor, called in order of registration.
struct HookList final : HookOwner {
  struct Entry {
    std::uint64_t id;
    SharedFunction<Tensor(const Tensor&)> call;
  };
  std::mutex mutex;
  std::vector<Entry> entries;
  /// Locked by post-accumulate hooks from the accumulation until the hooks have run, so that passes
  /// of other threads do not modify the gradient. Recursive, since a nested pass may reach the
  /// leaf.
  std::recursive_mutex accumulation;
  const bool of_leaf;

  explicit HookList(bool leaf) : of_leaf(leaf) {}
  ~HookList() override;
  std::uint64_t add(SharedFunction<Tensor(const Tensor&)> call);
  void remove_hook(std::uint64_t id) override;
  std::vector<Entry> snapshot();
};

/// Number of hooks registered on leaves of the process. A pass that finds none does not count the
/// contributions to leaves.
inline constinit std::atomic<std::size_t> leaf_hook_count{0};
inline bool leaf_hooks_exist() { return leaf_hook_count.load(std::memory_order_relaxed) != 0; }

struct AutogradMeta;
class TensorImpl;
using HookListMember = std::shared_ptr<HookList> AutogradMeta::*;
/// Returns a hook list of a leaf; null if the leaf never had such hooks.
std::shared_ptr<HookList> leaf_hooks(const TensorImpl& leaf, HookListMember member);

/// Hooks on a node.
struct NodeHooks final : HookOwner {
  using Gradients = GradFn::Gradients;
  struct Before {
    std::uint64_t id;
    SharedFunction<Gradients(const Gradients&)> call;
  };
  struct After {
    std::uint64_t id;
    SharedFunction<Gradients(const Gradients&, const Gradients&)> call;
  };
  std::mutex mutex;
  std::vector<Before> before;
  std::vector<After> after;
  void remove_hook(std::uint64_t id) override;

  /// Run the hooks before and after the node's backward, on the gradients of its outputs and
  /// inputs.
  void run_before(const Node& node, std::span<Tensor> grads);
  void run_after(const Node& node, std::span<Tensor> results, const Gradients& grads);
};

/// Runs the hooks in order. A defined result replaces the gradient; it must have the same shape,
/// dtype and device.
void run_hooks(HookList& hooks, Tensor& grad);

}  // namespace taper
