#include "autograd/batched_grad.h"

#include "core/check.h"
#include "taper/core/factory.h"

namespace taper::autograd {

std::vector<Tensor> compute_batched_grad(std::span<const Tensor> outputs,
                                         std::span<const Tensor> inputs,
                                         const GradOptions& options) {
  std::int64_t count = -1;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor g = i < options.grad_outputs.size() ? options.grad_outputs[i] : Tensor();
    if (!g.defined() || g.dim() == 0 || (count >= 0 && g.size(0) != count))
      fail<ShapeError>(
          "autograd::grad: is_grads_batched requires a grad_output of shape [B, ...] for each "
          "output, one B for all: got {} for output {}",
          g.defined() ? g.shape().str() : std::string("none"), i);
    count = g.size(0);
  }
  const bool retain = options.retain_graph.value_or(options.create_graph);
  std::vector<Tensor> result;
  for (const Tensor& input : inputs) {
    Shape shape = input.shape();
    shape.insert(0, count);
    result.push_back(empty(shape, {.dtype = input.dtype(), .device = input.device()}));
  }
  for (std::int64_t b = 0; b < count; ++b) {
    GradOptions one = options;
    one.is_grads_batched = false;
    one.retain_graph = retain || b + 1 < count;
    for (Tensor& g : one.grad_outputs) g = g.select(0, b);
    const std::vector<Tensor> grads = grad(outputs, inputs, one);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (grads[i].defined() && result[i].defined())
        result[i].select(0, b).copy_(grads[i]);
      else
        result[i] = Tensor();
  }
  return result;
}

}  // namespace taper::autograd
