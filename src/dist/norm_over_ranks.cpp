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
  Tensor norm = total;
  if (!tensors.empty()) {
    norm = nn::utils::get_total_norm(tensors, {.norm_type = p});
    total.copy_(norm);
  }
  const bool is_extremum = std::isinf(p), is_count = p == 0;
  if (!is_extremum && !is_count) total.pow_(p);
  const ReduceOp extremum = p > 0 ? ReduceOp::max : ReduceOp::min;
  all_reduce(total, {.op = is_extremum ? extremum : ReduceOp::sum, .group = group});
  if (!is_extremum && !is_count) total.pow_(1 / p);
  return tensors.empty() ? total.to(DType::f32) : total.to(norm.dtype());
}

}  // namespace taper::distributed
