// Gradients of a ShardUnit: accumulation, and reduction to the rows of the rank.
#include <map>
#include <utility>

#include "core/add_to.h"
#include "dist/shard_unit.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"

namespace taper::distributed {
namespace {

/// Returns the number by which gradients are divided before the sum, so that neither the sum nor
/// the terms leave the range of float16. As in PyTorch, float64 is treated alike.
int predivisor(int ranks) {
  int factor = 1;
  while (ranks % factor == 0 && ranks / factor > factor) factor *= 2;
  return factor;
}

/// Returns true for types whose gradients are divided before and after the sum.
bool is_predivided(DType dtype) { return dtype != DType::f32 && dtype != DType::bf16; }
ReduceOp reduction_op(DType dtype) { return is_predivided(dtype) ? ReduceOp::sum : ReduceOp::avg; }

}  // namespace

void ShardUnit::finish_gradients() {
  num_ready_ = 0;
  const NoGrad no_grad;
  accumulate_gradients();
  if (requires_gradient_sync_) start_reduction();
}

DType ShardUnit::reduce_dtype(const ShardedParameter& p) const {
  return options_.mp_policy.reduce_dtype.value_or(p.dtype);
}

/// Moves the gradients of this pass to the sums of those that were not reduced.
void ShardUnit::accumulate_gradients() {
  for (ShardedParameter& p : params_) {
    const Tensor grad = p.full.grad();
    if (!grad.defined()) continue;
    add_to(p.accumulated, grad.to(reduce_dtype(p)));
    p.full.set_grad(Tensor());
  }
}

/// Starts the reduction, which continues during the backward pass of the next unit. It waits for
/// that of the preceding unit, so that the buffers of one exist at a time.
void ShardUnit::start_reduction() {
  if (const auto unit = schedule_->reducing.lock()) unit->finish_reduction();
  std::map<DType, std::vector<std::size_t>> by_dtype;
  for (std::size_t i = 0; i < params_.size(); ++i)
    if (params_[i].accumulated.defined()) by_dtype[reduce_dtype(params_[i])].push_back(i);
  for (const auto& [dtype, list] : by_dtype) reductions_.push_back(reduce_group(list, dtype));
  for (ShardedParameter& p : params_) p.accumulated = Tensor();
  schedule_->reducing = weak_from_this();
  if (pass_.expired()) finish_reduction();
}

ShardUnit::Reduction ShardUnit::reduce_group(const std::vector<std::size_t>& params,
                                             DType dtype) const {
  const int ranks = shard_group_->size();
  std::int64_t total = 0;
  for (const std::size_t i : params) total += params_[i].padded_numel();
  const Tensor all = empty({ranks, total}, {.dtype = dtype});
  std::int64_t offset = 0;
  for (const std::size_t i : params) {
    const ShardedParameter& p = params_[i];
    Tensor rows = p.accumulated.reshape({-1});
    const std::int64_t padding = ranks * p.padded_numel() - rows.numel();
    if (padding > 0) rows = cat({rows, zeros(padding, {.dtype = dtype})});
    all.narrow(1, offset, p.padded_numel()).copy_(rows.view({ranks, p.padded_numel()}));
    offset += p.padded_numel();
  }
  if (is_predivided(dtype)) all.div_(predivisor(ranks * num_replicas()));
  const Tensor mine = empty(total, {.dtype = dtype});
  const ReduceOptions options{.op = reduction_op(dtype), .group = shard_group_, .async_op = true};
  return {params, dtype, mine, reduce_scatter_tensor(mine, all, options)};
}

void ShardUnit::finish_reduction() {
  const NoGrad no_grad;
  for (const Reduction& reduction : std::exchange(reductions_, {})) finish_group(reduction);
}

void ShardUnit::finish_group(const Reduction& reduction) {
  const auto& [params, dtype, mine, work] = reduction;
  work.wait();
  const int world = shard_group_->size() * num_replicas();
  if (replicate_group_) all_reduce(mine, {.op = reduction_op(dtype), .group = replicate_group_});
  if (is_predivided(dtype)) mine.div_(world / predivisor(world));
  std::int64_t offset = 0;
  for (const std::size_t i : params) {
    const ShardedParameter& p = params_[i];
    const Shape shape = p.sharding->local_shape();
    add_gradient_rows(p, mine.narrow(0, offset, shape.numel()).view(shape));
    offset += p.padded_numel();
  }
}

void ShardUnit::add_gradient_rows(const ShardedParameter& p, const Tensor& rows) const {
  const Tensor grad = p.local.grad();
  if (grad.defined())
    grad.add_(rows.to(p.dtype));
  else
    p.local.set_grad(rows.to(p.dtype, {.copy = true}));
}

}  // namespace taper::distributed
