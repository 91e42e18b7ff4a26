// References to modules that know where the module went, and that it is gone.
#pragma once
#include <memory>

#include "taper/core/api.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn {

[[noreturn]] void throw_dead_module();

/// A reference to a module that follows its moves and knows its death: for what outlives a call,
/// such as hooks on tensors.
template <class M> class ModuleRef {
 public:
  explicit ModuleRef(M& module) : cell_(static_cast<Module&>(module).cell()) {}
  /// Null once the module is gone.
  M* get() const { return static_cast<M*>(cell_->self.load(std::memory_order_acquire)); }
  explicit operator bool() const { return get() != nullptr; }
  /// Throws RuntimeError once the module is gone.
  M* operator->() const { return &**this; }
  M& operator*() const {
    M* m = get();
    if (!m) throw_dead_module();
    return *m;
  }

 private:
  std::shared_ptr<Cell> cell_;
};

/// nn::ref(*this).
template <class M> ModuleRef<M> ref(M& module) { return ModuleRef<M>(module); }

}  // namespace nn
}  // namespace taper
