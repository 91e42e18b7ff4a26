#include "taper/nn/softmax.h"

#include "taper/nn/functional/softmax.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Softmax)
TAPER_LAYER_MEMBERS(LogSoftmax)
TAPER_LAYER_MEMBERS(Softmin)

std::string SoftmaxBase::extra_repr() const {
  return "dim=" + (dim ? std::to_string(*dim) : std::string("None"));
}

Tensor Softmax::forward(const Tensor& input) { return functional::softmax(input, dim); }
Tensor LogSoftmax::forward(const Tensor& input) { return functional::log_softmax(input, dim); }
Tensor Softmin::forward(const Tensor& input) { return functional::softmin(input, dim); }

}  // namespace taper::nn
