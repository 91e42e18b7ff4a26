// Deep copies of modules.
#pragma once
#include <memory>
#include <type_traits>

#include "taper/nn/module_base.h"

namespace taper::nn::detail {

/// While one lives, modules of this thread can be copied; separate() then gives the copy tensors
/// and shared children of its own, once per identity, so that ties stay ties.
class CloneScope {
 public:
  CloneScope();
  ~CloneScope();
  CloneScope(const CloneScope&) = delete;
  CloneScope& operator=(const CloneScope&) = delete;
  void separate(Module& copy);

 private:
  bool outer_;
};

template <class M> M clone_of(const M& m) {
  static_assert(std::is_copy_constructible_v<M>,
                "this module has a plain member that cannot be copied, so it cannot be cloned");
  CloneScope scope;
  M copy(m);
  scope.separate(copy);
  return copy;
}

[[noreturn]] void throw_not_copyable(const Module& module);

template <class M> std::shared_ptr<Module> shallow_clone(const M& m) {
  if constexpr (std::is_copy_constructible_v<M>)
    return std::make_shared<M>(m);
  else
    throw_not_copyable(m);
}

}  // namespace taper::nn::detail
