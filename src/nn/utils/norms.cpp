#include "nn/utils/norms.h"
#include "taper/nn/detail/module_access.h"

namespace taper::nn::utils {

Tensor norm_except_dim(const Tensor& v, std::int64_t dim) {
  if (dim == -1) return v.norm();
  if (dim < 0) dim += v.dim();
  std::vector<std::int64_t> other_dims;
  for (std::int64_t d = 0; d < v.dim(); ++d)
    if (d != dim) other_dims.push_back(d);
  return other_dims.empty() ? v.abs() : v.norm(2, other_dims, true);
}

Tensor apply_weight_norm(const Tensor& v, const Tensor& g, std::int64_t dim) {
  return v * (g / norm_except_dim(v, dim));
}

Tensor normalize(const Tensor& t, double eps) {
  return t / t.norm(2, {0}, true).clamp_min(eps).expand_as(t);
}

Tensor as_matrix(const Tensor& weight, std::int64_t dim) {
  if (dim == 0) return weight.flatten(1);
  std::vector<std::int64_t> order{dim};
  for (std::int64_t d = 0; d < weight.dim(); ++d)
    if (d != dim) order.push_back(d);
  return weight.permute(order).flatten(1);
}

std::int64_t output_dim(const Module& m) {
  return std::string_view(nn::detail::ModuleAccess::class_info(m).name).starts_with("ConvTranspose")
             ? 1
             : 0;
}

}  // namespace taper::nn::utils
