#include "taper/nn/softmax.h"

#include "core/check.h"
#include "nn/registry/layer_schema.h"
#include "taper/nn/functional/softmax.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Softmax)
TAPER_LAYER_MEMBERS(LogSoftmax)
TAPER_LAYER_MEMBERS(Softmin)
TAPER_LAYER_MEMBERS(Softmax2d)

std::string SoftmaxBase::extra_repr() const {
  return "dim=" + (dim ? std::to_string(*dim) : std::string("None"));
}

Tensor Softmax::forward(const Tensor& input) const {
  return functional::softmax(called(input), {.dim = dim});
}
Tensor LogSoftmax::forward(const Tensor& input) const {
  return functional::log_softmax(called(input), {.dim = dim});
}
Tensor Softmin::forward(const Tensor& input) const {
  return functional::softmin(called(input), {.dim = dim});
}
Tensor Softmax2d::forward(const Tensor& input) const {
  check_called();
  if (input.dim() != 3 && input.dim() != 4)
    fail<ShapeError>("Softmax2d: expected input to be a 3D or 4D tensor, got a {}D tensor instead",
                     input.dim());
  return functional::softmax(input, -3);
}

TAPER_OPTIONS_SCHEMA(Softmax, "activation")
TAPER_OPTIONS_SCHEMA(LogSoftmax, "activation")
TAPER_OPTIONS_SCHEMA(Softmin, "activation")
TAPER_SCHEMA(Softmax2d, "activation")

}  // namespace taper::nn
