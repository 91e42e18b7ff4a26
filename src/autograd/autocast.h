// State of autocast on the current thread.
#pragma once
#include <map>
#include <utility>

#include "core/tensor_impl.h"

namespace taper::amp {

struct AutocastState {
  DType dtype = DType::bf16;
  bool cache_enabled = true;
  int depth = 0;  ///< number of scopes
  struct Cast {
    Ref<TensorImpl> leaf;  ///< kept alive, so that its address is not reused
    Tensor result;
  };
  std::map<std::pair<const TensorImpl*, DType>, Cast> casts{};  ///< by leaf and dtype
};

/// Returns the state of the current thread. Whether autocast is enabled is stored in
/// ThreadLocalState, which dispatch reads.
AutocastState& autocast_state();

/// Returns true for tensors that autocast may cast: floating-point tensors on the CPU, except
/// float64.
bool is_autocast_eligible(const Tensor& x);
/// Returns x in `dtype`. Casts of leaves that require a gradient are taken from the cache.
Tensor autocast_to(const Tensor& x, DType dtype);

}  // namespace taper::amp
