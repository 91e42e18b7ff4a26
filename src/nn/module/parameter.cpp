#include "taper/nn/parameter.h"

#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper::nn {

Parameter::Parameter() : Parameter(empty({0})) {}

Parameter::Parameter(const Tensor& data, bool requires_grad) : Tensor(data.detach()) {
  if (!requires_grad) return;
  if (!is_floating_point())
    throw RuntimeError("Only Tensors of floating point and complex dtype can require gradients");
  set_requires_grad(true);
}

Buffer::Buffer() : Buffer(empty({0})) {}

Buffer::Buffer(const Tensor& data, bool keep) : Tensor(data.detach()), persistent(keep) {
  if (data.requires_grad()) set_requires_grad(true);
}

}  // namespace taper::nn
