#include "dist/tensor_parallel/shared_argument.h"

#include "taper/autograd/grad_mode.h"

namespace taper::distributed {

Tensor SharedArgument::get(const Tensor& x, const Placement& layout,
                           const SharedFunction<Tensor()>& convert) {
  if (!is_active_ || !x.requires_grad() || !is_grad_enabled()) return convert();
  if (last_ && last_->argument.is_same(x) && last_->version == x.version() &&
      last_->layout == layout)
    return last_->result;
  const Tensor result = convert();
  last_ = Conversion{x, x.version(), layout, result};
  return result;
}

}  // namespace taper::distributed
