// Handles of registered hooks, of tensors, modules and optimizers alike.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// What holds hooks and can let go of one.
class HookOwner {
 public:
  virtual ~HookOwner() = default;
  virtual void remove_hook(std::uint64_t id) = 0;
};

/// Removes a hook; doing it twice, or after the owner is gone, does nothing. PyTorch:
/// RemovableHandle.
class HookHandle {
 public:
  HookHandle() = default;
  HookHandle(std::weak_ptr<HookOwner> owner, std::uint64_t id)
      : owner_(std::move(owner)), id_(id) {}
  void remove() const {
    if (auto owner = owner_.lock()) owner->remove_hook(id_);
  }
  /// Unique among all hooks of the process, growing by one.
  std::uint64_t id() const { return id_; }

 private:
  std::weak_ptr<HookOwner> owner_;
  std::uint64_t id_ = 0;
};

/// A number for one more hook.
std::uint64_t next_hook_id();

}  // namespace taper
