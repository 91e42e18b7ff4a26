#include "dist/norm_over_ranks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "dist/sharding.h"
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
  std::vector<Tensor> filled;  // norms of order inf require elements
  std::copy_if(tensors.begin(), tensors.end(), std::back_inserter(filled),
               [](const Tensor& t) { return t.numel() > 0; });
  if (!filled.empty()) {
    const Tensor norm = nn::utils::get_total_norm(filled, {.norm_type = p});
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

std::vector<Tensor> norms_of_gradients(const std::vector<Tensor>& params, double p) {
  std::vector<Tensor> whole;
  std::vector<std::pair<Group, std::vector<Tensor>>> divided;  // gradients by group
  for (const Tensor& param : params) {
    if (!param.grad().defined()) continue;
    const auto sharding = find_sharding(param);
    if (!sharding) {
      whole.push_back(param.grad());
      continue;
    }
    const Group& group = sharding->group();
    auto found = std::find_if(divided.begin(), divided.end(),
                              [&](const auto& entry) { return entry.first == group; });
    if (found == divided.end()) found = divided.insert(found, {group, {}});
    found->second.push_back(param.grad());
  }
  std::vector<Tensor> norms;
  if (!whole.empty()) norms.push_back(nn::utils::get_total_norm(whole, {.norm_type = p}));
  for (const auto& [group, grads] : divided) norms.push_back(norm_of_parts(grads, p, group));
  return norms;
}

Tensor total_norm(const std::vector<Tensor>& norms, const nn::utils::ClipOptions& options) {
  // A single norm is not rounded again. Norms of order 0 are numbers of tensors.
  if (norms.size() == 1 && !options.error_if_nonfinite) return norms[0];
  if (options.norm_type == 0 && !norms.empty()) return stack(norms).sum();
  return nn::utils::get_total_norm(norms, options);
}

}  // namespace taper::distributed
