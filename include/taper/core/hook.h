// RemovableHandle: handle of a hook registered with a tensor, module or optimizer.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Interface of objects with removable hooks.
class HookOwner {
 public:
  virtual ~HookOwner() = default;
  /// Removes the hook `id`, if it is registered.
  virtual void remove_hook(std::uint64_t id) = 0;
};

/// Handle that removes a registered hook. PyTorch: torch.utils.hooks.RemovableHandle.
class RemovableHandle {
 public:
  RemovableHandle() = default;
  RemovableHandle(std::weak_ptr<HookOwner> owner, std::uint64_t id)
      : owner_(std::move(owner)), id_(id) {}
  /// Removes the hook. Has no effect if the hook was already removed or its owner was destroyed.
  void remove() const {
    if (auto owner = owner_.lock()) owner->remove_hook(id_);
  }
  /// Returns the id of the hook, which is unique and increasing within the process.
  std::uint64_t id() const { return id_; }

 private:
  std::weak_ptr<HookOwner> owner_;
  std::uint64_t id_ = 0;
};

/// Returns a new hook id.
std::uint64_t next_hook_id();

}  // namespace taper
