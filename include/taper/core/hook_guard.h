// HookGuard: removes a hook at the end of a scope.
#pragma once
#include <utility>

#include "taper/core/api.h"
#include "taper/core/hook.h"

namespace TAPER_API taper {

/// Removes its hook at the end of the scope: `HookGuard guard(m.register_forward_hook(...));`.
/// PyTorch: `with handle:`.
class HookGuard {
 public:
  explicit HookGuard(RemovableHandle handle) : handle_(std::move(handle)) {}
  ~HookGuard() { handle_.remove(); }
  explicit HookGuard(const HookGuard&) = delete;
  HookGuard& operator=(const HookGuard&) = delete;

 private:
  RemovableHandle handle_;
};

}  // namespace taper
