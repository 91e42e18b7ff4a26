// Lists of hooks on gradients, and their handles.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/ambient.h"
#include "taper/autograd/autograd.h"

namespace taper {

struct HookList final : HookOwner {
  struct Entry {
    std::uint64_t id;
    Function<Tensor(const Tensor&)> call;
  };
  std::mutex mutex;
  std::vector<Entry> entries;

  std::uint64_t add(Function<Tensor(const Tensor&)> call);
  void remove_hook(std::uint64_t id) override;
  std::vector<Entry> snapshot();
};

/// Hooks on a node as a whole.
struct NodeHooks final : HookOwner {
  using Gradients = GradFn::Gradients;
  struct Before {
    std::uint64_t id;
    Function<Gradients(const Gradients&)> call;
  };
  struct After {
    std::uint64_t id;
    Function<Gradients(const Gradients&, const Gradients&)> call;
  };
  std::mutex mutex;
  std::vector<Before> before;
  std::vector<After> after;
  void remove_hook(std::uint64_t id) override;

  /// Before and after the node's own work, on the gradients of its outputs and inputs.
  void run_before(const Node& node, std::span<Tensor> grads);
  void run_after(const Node& node, std::span<Tensor> results, const Gradients& grads);
};

/// Runs the hooks in order; a defined result replaces the gradient and must fit it.
void run_hooks(HookList& hooks, Tensor& grad);

}  // namespace taper
