#include "dist/norm_over_ranks.h"

#include <cmath>
#include <limits>

#include "taper/core/factory.h"
#include "taper/dist/collectives.h"
#include "taper/nn/utils/clip_grad.h"

namespace taper::distributed {

Tensor norm_over_ranks(std::span<const Tensor> tensors, double p, const Group& group) {
  // In float64, whatever the dtype of the tensors of a rank. One without tensors contributes the
  // number that does not change the result.
  const Tensor total =
      full({}, p < 0 ? std::numeric_limits<double>::infinity() : 0.0, {.dtype = DType::f64});
  DType dtype = DType::f32;
  if (!tensors.empty()) {
    const Tensor norm = nn::utils::get_total_norm(tensors, {.norm_type = p});
    total.copy_(norm);
    dtype = norm.dtype();
  }
  if (std::isinf(p)) {
    all_reduce(total, {.op = p > 0 ? ReduceOp::max : ReduceOp::min, .group = group});
  } else if (p == 0) {
    all_reduce(total, {.group = group});
  } else {
    total.pow_(p);
    all_reduce(total, {.group = group});
    total.pow_(1 / p);
  }
  return total.to(dtype);
}

Tensor norm_of_parts(std::span<const Tensor> parts, double p, const Group& group) {
  if (p != 0 || parts.empty()) return norm_over_ranks(parts, p, group);
  const Tensor is_nonzero = zeros({static_cast<std::int64_t>(parts.size())});
  for (std::size_t i = 0; i < parts.size(); ++i) is_nonzero[i].copy_(parts[i].ne(0).any());
  all_reduce(is_nonzero, {.op = ReduceOp::max, .group = group});
  return is_nonzero.sum();
}

}  // namespace taper::distributed
