// ModuleRef: weak reference to a module.
#pragma once
#include <memory>

#include "taper/core/api.h"
#include "taper/nn/detail/module_access.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn {

/// Throws the RuntimeError of a reference to a destroyed module.
[[noreturn]] void throw_dead_module();

/// Weak reference to a module. Remains valid when the module is moved; becomes null when it is
/// destroyed. Use it in closures that outlive the call, such as hooks on tensors.
template <class M> class ModuleRef {
 public:
  explicit ModuleRef(M& module) : anchor_(detail::ModuleAccess::anchor(module)) {}
  /// Returns the module, or null if it was destroyed.
  M* get() const { return static_cast<M*>(anchor_->self.load(std::memory_order_acquire)); }
  explicit operator bool() const { return get() != nullptr; }
  /// Returns the module. Throws RuntimeError if it was destroyed.
  M* operator->() const { return &**this; }
  M& operator*() const {
    M* m = get();
    if (!m) throw_dead_module();
    return *m;
  }

 private:
  std::shared_ptr<ModuleAnchor> anchor_;
};

/// Returns a weak reference to a module: `nn::ref(*this)`.
template <class M> ModuleRef<M> ref(M& module) { return ModuleRef<M>(module); }

}  // namespace nn
}  // namespace taper
