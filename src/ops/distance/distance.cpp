#include "taper/ops/distance.h"

#include <algorithm>

#include "core/check.h"
#include "ops/promote.h"
#include "taper/core/tensor.h"

namespace taper {

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, const CosineSimilarityFuncOptions& o) {
  const DType common = promote_types(x1.dtype(), x2.dtype());
  if (!is_floating_point(common))
    fail<DTypeError>(
        "cosine_similarity: expected common dtype to be floating point, yet common dtype is {}: "
        "got {} and {}",
        legacy_name(common), x1.dtype(), x2.dtype());
  Shape shape = x1.shape();
  broadcast_into(shape, x2.shape(), "cosine_similarity");
  const Dims along{o.dim};
  // As in PyTorch, each norm is computed in the dtype of its input, and the limit applies to the
  // value of the norm, not to its gradient.
  const auto normalized = [&](const Tensor& input) {
    const Tensor x = (input.is_floating_point() ? input : input.to(common)).expand(shape);
    const Tensor norm = x.norm(2, along, true), value = norm.detach();
    return x / (norm + (static_cast<double>(o.eps) - value).clamp_min(0));
  };
  return (normalized(x1) * normalized(x2)).sum(along);
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, const PairwiseDistanceFuncOptions& o) {
  // As in PyTorch, a vector without dimensions is reduced as well.
  const std::int64_t last = std::max<std::int64_t>(1, std::max(x1.dim(), x2.dim())) - 1;
  const Tensor difference = x1 - x2 + static_cast<double>(o.eps);
  return difference.norm(static_cast<double>(o.p), {last}, o.keepdim);
}

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const BilinearFuncOptions& o) {
  const OptionalTensor& bias = o.bias;
  if (weight.dim() != 3)
    fail<ShapeError>("bilinear: expected a weight of 3 dimensions, got shape {}", weight.shape());
  for (const DType dtype : {input2.dtype(), weight.dtype(), bias ? bias->dtype() : input1.dtype()})
    if (dtype != input1.dtype() && !tls.autocast)
      fail<DTypeError>(
          "bilinear: All tensors must have the same dtype, got input1: {}, input2: {}, weight: {}, "
          "bias: {}",
          input1.dtype(), input2.dtype(), weight.dtype(), bias ? bias->dtype() : input1.dtype());
  if (input1.dim() == 0 || input1.dim() != input2.dim())
    fail<ShapeError>("bilinear: input dimensions do not match: got {} and {}", input1.shape(),
                     input2.shape());
  for (std::int64_t d = 0; d + 1 < input1.dim(); ++d)
    if (input1.size(d) != input2.size(d))
      fail<ShapeError>("bilinear: input batch dimensions do not match at dim {}: got {} and {}", d,
                       input1.size(d), input2.size(d));
  if (input1.size(-1) != weight.size(1))
    fail<ShapeError>("bilinear: input1 size does not match weight size: got {} but expected {}",
                     input1.size(-1), weight.size(1));
  if (input2.size(-1) != weight.size(2))
    fail<ShapeError>("bilinear: input2 size does not match weight size: got {} but expected {}",
                     input2.size(-1), weight.size(2));
  if (bias && (bias->dim() != 1 || bias->size(0) != weight.size(0)))
    fail<ShapeError>("bilinear: bias size does not match weight size: got {} but expected {}",
                     bias->shape(), weight.size(0));
  const std::int64_t outputs = weight.size(0), h1 = weight.size(1), h2 = weight.size(2);
  Shape shape = input1.shape();
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < shape.size(); ++d) rows *= shape[d];
  shape[shape.size() - 1] = outputs;
  // For each row: x1 W, (K, H2), times x2.
  const Tensor flat = weight.permute({1, 0, 2}).reshape({h1, outputs * h2});
  const Tensor left = input1.reshape({rows, h1}).mm(flat).reshape({rows, outputs, h2});
  // Under autocast the products have lower precision, but not the result, as in PyTorch.
  const Tensor y = left.bmm(input2.reshape({rows, h2, 1})).reshape(shape).to(input1.dtype());
  return bias ? y + *bias : y;
}

}  // namespace taper
