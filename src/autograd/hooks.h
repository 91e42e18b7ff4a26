// Lists of hooks on gradients, and their handles.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
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

/// Runs the hooks in order; a defined result replaces the gradient and must fit it.
void run_hooks(HookList& hooks, Tensor& grad);

}  // namespace taper
