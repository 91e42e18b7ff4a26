#include <algorithm>

#include "core/check.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/nn/init.h"

namespace taper::nn::init {

const Tensor& uniform_(const Tensor& tensor, double a, double b, const Generator& generator) {
  const NoGrad guard;
  return tensor.uniform_(a, b, generator);
}

const Tensor& normal_(const Tensor& tensor, double mean, double std, const Generator& generator) {
  const NoGrad guard;
  return tensor.normal_(mean, std, generator);
}

const Tensor& trunc_normal_(const Tensor& tensor, double mean, double std, double a, double b,
                            const Generator& generator) {
  const NoGrad guard;
  return tensor.trunc_normal_(mean, std, a, b, generator);
}

const Tensor& constant_(const Tensor& tensor, const Scalar& value) {
  const NoGrad guard;
  return tensor.fill_(value);
}

const Tensor& ones_(const Tensor& tensor) { return constant_(tensor, 1); }
const Tensor& zeros_(const Tensor& tensor) { return constant_(tensor, 0); }

const Tensor& eye_(const Tensor& tensor) {
  if (tensor.dim() != 2)
    fail<ValueError>("eye_: Only tensors with 2 dimensions are supported: got shape {}",
                     tensor.shape());
  const NoGrad guard;
  return tensor.copy_(eye(tensor.size(0), tensor.size(1), {.dtype = tensor.dtype()}));
}

const Tensor& dirac_(const Tensor& tensor, IntArg groups) {
  if (tensor.dim() < 3 || tensor.dim() > 5)
    fail<ValueError>("dirac_: Only tensors with 3, 4, or 5 dimensions are supported: got shape {}",
                     tensor.shape());
  const Shape& shape = tensor.shape();
  if (groups < 1 || shape[0] % groups != 0)
    fail<ValueError>("dirac_: dim 0 must be divisible by groups: got shape {}, groups {}", shape,
                     groups);
  const NoGrad guard;
  const Tensor result = zeros(shape, {.dtype = float32});
  const Shape& strides = result.strides();
  std::int64_t center_offset = 0;
  for (std::size_t d = 2; d < shape.size(); ++d) center_offset += shape[d] / 2 * strides[d];
  const auto elements = result.mutable_data<float>();
  const std::int64_t per_group = shape[0] / groups;
  if (result.numel() > 0)
    for (std::int64_t out = 0; out < shape[0]; ++out)
      if (const std::int64_t channel = out % per_group; channel < shape[1])
        elements[static_cast<std::size_t>(out * strides[0] + channel * strides[1] +
                                          center_offset)] = 1;
  return tensor.copy_(result);
}

}  // namespace taper::nn::init
