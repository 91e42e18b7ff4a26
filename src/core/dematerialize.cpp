#include "taper/core/detail/dematerialize.h"

#include "core/tensor_impl.h"

namespace taper {

void dematerialize(const Tensor& t, LazyKind kind) {
  t.set_data(new_tensor({0}, t.dtype(), t.device()));
  impl(t).lazy = kind;
}

}  // namespace taper
