#include "taper/nn/utils/convert_parameters.h"

#include <vector>

#include "core/check.h"
#include "taper/autograd/grad_mode.h"
#include "taper/ops/indexing.h"

namespace taper::nn::utils {

Tensor parameters_to_vector(std::span<const Tensor> parameters) {
  if (parameters.empty()) fail<ValueError>("parameters_to_vector: got no parameters");
  std::vector<Tensor> flat;
  flat.reserve(parameters.size());
  for (const Tensor& p : parameters) flat.push_back(p.reshape({-1}));
  return cat(flat);
}

void vector_to_parameters(const Tensor& vector, std::span<const Tensor> parameters) {
  std::int64_t count = 0;
  for (const Tensor& p : parameters) count += p.numel();
  if (vector.dim() != 1 || vector.numel() != count)
    fail<ValueError>(
        "vector_to_parameters: got a vector of shape {}, expected [{}], the elements of all "
        "parameters",
        vector.shape(), count);
  const NoGrad guard;
  std::int64_t offset = 0;
  for (const Tensor& p : parameters) {
    p.copy_(vector.narrow(0, offset, p.numel()).view(p.shape()));
    offset += p.numel();
  }
}

}  // namespace taper::nn::utils
