// Gradients that are reduced to one rank each.
#include "core/check.h"
#include "dist/reducer.h"
#include "taper/autograd/grad_mode.h"

namespace taper::distributed {
namespace {

/// Number of buckets whose reduction may be pending. A rank that is ahead of others waits, instead
/// of storing the gradients that they have not received.
constexpr std::size_t kMaxPendingBuckets = 2;

}  // namespace

void Reducer::shard_gradients(std::vector<int> owners) {
  if (hook_) fail<RuntimeError>("shard_gradients: a communication hook is registered");
  if (expects_gradients_ || finished_passes_ > 0)
    fail<RuntimeError>("shard_gradients: expected a call before the first forward pass");
  if (group_->size() == 1) return;
  owners_ = std::move(owners);
  reduced_.resize(params_.size());
  set_buckets(first_assignment());
}

void Reducer::check_not_accumulated(std::size_t param) {
  // The gradient of the last pass is that of all ranks, and on this rank only: a sum of it and that
  // of this pass cannot be averaged.
  const Reduced& last = reduced_[param];
  if (!last.grad.defined() || is_used_[param]) return;
  if (params_[param].grad().is_same(last.grad) && last.grad.version() == last.version + 1)
    fail<RuntimeError>(
        "DistributedDataParallel: the gradient of parameter {} was reduced to this rank and "
        "accumulates that of another pass. With sharded gradients, call zero_grad before each "
        "pass, and accumulate under no_sync.",
        names_[param]);
}

void Reducer::move_to_bucket(std::size_t param, const Tensor& view) {
  const Tensor grad = params_[param].grad();
  if (!is_used_[param] && grad.defined() && grad.is_same(reduced_[param].grad)) {
    const NoGrad no_grad;
    view.zero_();  // the result of an earlier pass
    return;
  }
  store_in_bucket(param, view);
  params_[param].set_grad(Tensor());
}

void Reducer::release_completed() {
  for (; first_pending_ < next_bucket_; ++first_pending_) {
    Bucket& bucket = buckets_[first_pending_];
    const bool is_within_limit = next_bucket_ - first_pending_ <= kMaxPendingBuckets;
    if (is_within_limit && !bucket.work.is_completed()) return;
    if (bucket.owner == group_->rank()) continue;
    bucket.work.wait();
    bucket.work = {};
    release(bucket);
  }
}

void Reducer::finish_owned(Bucket& bucket) {
  if (bucket.owner == group_->rank())
    for (std::size_t k = 0; k < bucket.params.size(); ++k)
      store_reduced(bucket.params[k], bucket.views[k]);
  release(bucket);
}

void Reducer::store_reduced(std::size_t param, const Tensor& view) {
  if (is_unused_everywhere_[param]) return;
  const Tensor grad = params_[param].grad();
  if (grad.defined())
    grad.add_(view);  // the result of an earlier pass; this rank did not use the parameter
  else
    params_[param].set_grad(view);
  const Tensor& stored = params_[param].grad();
  reduced_[param] = {.grad = stored, .version = stored.version()};
}

void Reducer::store_shadowed(const Bucket& bucket, const Tensor& buffer) {
  if (bucket.owner != group_->rank()) return;
  std::int64_t offset = 0;
  for (const std::size_t i : bucket.params) {
    params_[i].set_grad(Tensor());
    store_reduced(i, buffer.narrow(0, offset, params_[i].numel()).view(params_[i].shape()));
    offset += params_[i].numel();
  }
}

void Reducer::release(Bucket& bucket) {
  bucket.views.clear();
  bucket.buffer = {};
}

}  // namespace taper::distributed
