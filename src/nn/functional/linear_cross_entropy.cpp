#include "taper/nn/functional/linear_cross_entropy.h"

#include "core/check.h"
#include "taper/nn/functional/linear.h"
#include "taper/nn/functional/loss.h"

namespace taper::nn::functional {

Tensor linear_cross_entropy(const Tensor& input, const Tensor& linear_weight, const Tensor& target,
                            const LinearCrossEntropyFuncOptions& o) {
  if (input.dim() < 1 || input.dim() > 2)
    fail<ShapeError>(
        "linear_cross_entropy: expected input with dimensionality 1 or 2, got shape {}",
        input.shape());
  if (linear_weight.dim() < 2)
    fail<ShapeError>(
        "linear_cross_entropy: expected linear_weight with dimensionality at least 2, got shape {}",
        linear_weight.shape());
  const std::int64_t features = input.size(-1);
  if (linear_weight.size(-1) != features)
    fail<ShapeError>(
        "linear_cross_entropy: expected equal input and linear_weight last dimensions "
        "(in_features), got {} and {}",
        features, linear_weight.size(-1));
  Shape outputs = linear_weight.shape();  // (C, d1, ...)
  outputs.erase(outputs.size() - 1);
  if (o.linear_bias && !(o.linear_bias->shape() == outputs))
    fail<ShapeError>("linear_cross_entropy: expected linear_bias shape {}, got {}", outputs,
                     o.linear_bias->shape());
  if (outputs.size() > 1 && input.dim() == 1)
    fail<ShapeError>(
        "linear_cross_entropy: K-dimensional loss defined by linear_weight shape {} requires "
        "batched input, (N, {}), got unbatched input with shape {}",
        linear_weight.shape(), features, input.shape());
  Shape scores_shape = outputs;
  if (input.dim() == 2) scores_shape.insert(0, input.size(0));
  if (target.shape() == scores_shape && o.ignore_index)
    fail<ValueError>(
        "linear_cross_entropy: ignore_index cannot be specified when target contains "
        "probabilities: got {}",
        *o.ignore_index);

  std::int64_t rows = 1;
  for (const std::int64_t size : outputs) rows *= size;
  const OptionalTensor bias = o.linear_bias ? o.linear_bias->reshape({rows}) : Tensor();
  const Tensor scores = functional::linear(input, linear_weight.reshape({rows, features}), bias);
  return functional::cross_entropy(scores.reshape(scores_shape), target,
                                   {.weight = o.weight,
                                    .ignore_index = o.ignore_index.value_or(-100),
                                    .reduction = o.reduction,
                                    .label_smoothing = o.label_smoothing});
}

}  // namespace taper::nn::functional
