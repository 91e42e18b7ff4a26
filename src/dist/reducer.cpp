#include "dist/reducer.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/check.h"
#include "core/references.h"
#include "dist/reduction.h"
#include "dist/tensor_buffers.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"

namespace taper::distributed {
namespace {

constexpr std::int64_t kMiBytes = std::int64_t{1} << 20;

std::int64_t cap_bytes(double mebibytes) {
  return static_cast<std::int64_t>(std::min(mebibytes * static_cast<double>(kMiBytes), 0x1p62));
}

std::vector<std::int64_t> default_limits() { return {kMiBytes, 25 * kMiBytes}; }

}  // namespace

BucketAssignment Reducer::first_assignment() const {
  std::vector<std::int64_t> limits = {std::numeric_limits<std::int64_t>::max()};
  if (options_.find_unused_parameters && !options_.static_graph) {
    limits = default_limits();
    if (options_.bucket_cap_mb) limits = {cap_bytes(*options_.bucket_cap_mb)};
  }
  std::vector<std::size_t> order(params_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  BucketAssignment buckets = assign_buckets(params_, order, limits, owners_);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.front() > b.front(); });
  return buckets;
}

Reducer::Reducer(std::vector<std::string> names, std::vector<Tensor> params, Group group,
                 const DistributedDataParallelOptions& options)
    : names_(std::move(names)),
      params_(std::move(params)),
      group_(std::move(group)),
      options_(options),
      locations_(params_.size()),
      is_ready_(params_.size()),
      is_used_(params_.size()),
      hook_calls_(params_.size()),
      is_unused_everywhere_(params_.size()) {
  if (searches_unused()) is_unused_everywhere_.flip();
  // One rank has nothing to reduce, unless a communication hook observes the buckets.
  if (group_->size() > 1) register_hooks();
}

void Reducer::set_hook(CommHook hook) {
  if (shards_gradients())
    fail<RuntimeError>("register_comm_hook: gradients are reduced to one rank each");
  hook_ = std::move(hook);
  if (handles_.empty()) register_hooks();
}

Reducer::~Reducer() {
  for (const RemovableHandle& handle : handles_) handle.remove();
}

void Reducer::register_hooks() {
  set_buckets(first_assignment());
  for (std::size_t i = 0; i < params_.size(); ++i)
    handles_.push_back(params_[i].register_post_accumulate_grad_hook(
        [this, i](const Tensor&) { on_gradient(i); }));
}

void Reducer::set_buckets(const BucketAssignment& assignment) {
  buckets_.clear();
  for (const std::vector<std::size_t>& list : assignment) {
    for (std::size_t k = 0; k < list.size(); ++k) locations_[list[k]] = {buckets_.size(), k};
    Bucket bucket;
    bucket.params = list;
    if (shards_gradients())
      bucket.owner = owners_[list[0]];
    else
      allocate(bucket);
    buckets_.push_back(std::move(bucket));
  }
}

Tensor Reducer::new_buffer(const Bucket& bucket) const {
  std::int64_t count = 0;
  for (const std::size_t i : bucket.params) count += params_[i].numel();
  const Tensor& first = params_[bucket.params[0]];
  return empty(count, {.dtype = first.dtype(), .device = first.device()});
}

bool Reducer::is_kept(const Bucket& bucket) const {
  bool is_kept = count_tensors_of_storage(bucket.buffer) > bucket.views.size() + 1;
  for (std::size_t k = 0; k < bucket.params.size(); ++k) {
    const Tensor& view = bucket.views[k];
    if (params_[bucket.params[k]].grad().is_same(view)) return false;  // it accumulates
    is_kept |= count_handles(view) > 1;
  }
  return is_kept;
}

void Reducer::allocate(Bucket& bucket) {
  const NoGrad no_grad;
  bucket.views.clear();
  bucket.buffer = new_buffer(bucket);
  std::int64_t offset = 0;
  for (const std::size_t i : bucket.params) {
    const Tensor& p = params_[i];
    bucket.views.push_back(bucket.buffer.narrow(0, offset, p.numel()).view(p.shape()));
    offset += p.numel();
  }
}

bool Reducer::searches_unused() const {
  return options_.find_unused_parameters || (options_.static_graph && finished_passes_ == 0);
}

bool Reducer::records_order() const {
  if (has_agreed_) return false;
  return options_.static_graph ? finished_passes_ == 1 : !options_.find_unused_parameters;
}

int Reducer::divisor() const { return divisor_.value_or(group_->size()); }

std::string Reducer::names_of(const std::vector<std::size_t>& params) const {
  std::string text;
  for (const std::size_t i : params) text += (text.empty() ? "" : ", ") + names_[i];
  return text;
}

void Reducer::prepare_for_backward() {
  if (is_in_pass_) {
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < params_.size(); ++i)
      if (!is_ready_[i]) missing.push_back(i);
    fail<RuntimeError>(
        "DistributedDataParallel: Expected to have finished reduction in the prior iteration "
        "before starting a new one: rank {} has no gradient of the parameters {}. Set "
        "find_unused_parameters if passes do not use all parameters.",
        get_rank(), names_of(missing));
  }
  rebuild_buckets();
  expects_gradients_ = true;
  next_bucket_ = first_pending_ = 0;
  std::fill(is_ready_.begin(), is_ready_.end(), false);
  std::fill(hook_calls_.begin(), hook_calls_.end(), std::size_t{0});
  for (Bucket& bucket : buckets_) bucket.pending = bucket.params.size();
  order_.clear();
  for (std::size_t i = 0; i < reduced_.size(); ++i)
    if (!params_[i].grad().is_same(reduced_[i].grad)) reduced_[i] = {};
}

void Reducer::start_pass() {
  is_in_pass_ = true;
  if (has_callback_) return;
  has_callback_ = true;
  autograd::queue_callback([this] { on_pass_end(); });
}

void Reducer::on_gradient(std::size_t param) {
  if (shards_gradients()) check_not_accumulated(param);
  is_used_[param] = true;
  if (!expects_gradients_) return;
  start_pass();
  ++hook_calls_[param];
  if (options_.static_graph) {
    // A parameter of several nested passes is complete with the last of them.
    if (expected_calls_.empty() || hook_calls_[param] < expected_calls_[param]) return;
  }
  if (is_ready_[param])
    fail<RuntimeError>(
        "DistributedDataParallel: Expected to mark a variable ready only once: the gradient of "
        "parameter {} was computed twice after one forward pass. Use static_graph if nested passes "
        "share it.",
        names_[param]);
  mark_ready(param);
  launch_ready_buckets();
}

void Reducer::mark_ready(std::size_t param) {
  if (records_order()) order_.push_back(param);
  is_ready_[param] = true;
  Bucket& bucket = buckets_[locations_[param].bucket];
  const bool is_first = bucket.pending == bucket.params.size();
  if (!bucket.buffer.defined() || (is_first && is_kept(bucket))) allocate(bucket);
  const Tensor& view = bucket.views[locations_[param].index];
  if (shards_gradients())
    move_to_bucket(param, view);
  else
    store_in_bucket(param, view);
  --bucket.pending;
}

void Reducer::store_in_bucket(std::size_t param, const Tensor& view) {
  const NoGrad no_grad;
  const Tensor grad = params_[param].grad();
  if (!grad.defined()) {
    view.zero_();
    return;
  }
  const bool scales = !hook_ && divisor() != 1;
  // A parameter may have been converted since the bucket was allocated.
  const bool is_alike =
      grad.is_contiguous() && grad.dtype() == view.dtype() && grad.shape() == view.shape();
  if (!(scales && is_alike) && !grad.is_set_to(view)) view.copy_(grad);
  if (scales)
    scale_elements(writable_elements(view), readable_elements(is_alike ? grad : view), view.numel(),
                   view.dtype(), 1.0 / divisor());
}

void Reducer::launch_ready_buckets() {
  while (next_bucket_ < buckets_.size() && buckets_[next_bucket_].pending == 0)
    launch(next_bucket_++);
  if (shards_gradients()) release_completed();
}

Work Reducer::reduce(std::size_t index, const Tensor& buffer) {
  const Bucket& bucket = buckets_[index];
  if (hook_) {
    const NoGrad no_grad;
    std::vector<Tensor> gradients, parameters;
    for (const std::size_t i : bucket.params) parameters.push_back(params_[i]);
    std::int64_t offset = 0;
    for (const Tensor& p : parameters) {
      gradients.push_back(buffer.narrow(0, offset, p.numel()).view(p.shape()));
      offset += p.numel();
    }
    return hook_(group_, GradBucket(index, index + 1 == buckets_.size(), buffer,
                                    std::move(gradients), std::move(parameters)));
  }
  RawCall call;
  call.kind = bucket.owner < 0 ? RawCall::Kind::all_reduce : RawCall::Kind::reduce;
  call.root = bucket.owner;
  call.receive = writable_elements(buffer), call.count = buffer.numel();
  call.dtype = buffer.dtype();
  call.detail =
      format_message("{} in bucket {} ({})", buffer.shape(), index, names_of(bucket.params));
  call.tensors = {buffer};
  return group_->start(std::move(call));
}

void Reducer::launch(std::size_t index) {
  buckets_[index].work = reduce(index, buckets_[index].buffer);
}

void Reducer::on_pass_end() {
  has_callback_ = false;
  if (!is_in_pass_) return;
  const bool is_first_static_pass = options_.static_graph && expected_calls_.empty();
  if (is_first_static_pass) expected_calls_ = hook_calls_;
  if (options_.static_graph || options_.find_unused_parameters) {
    // Parameters without a gradient in this pass contribute their gradient so far, or zeros.
    for (std::size_t i = 0; i < params_.size(); ++i)
      if (!is_ready_[i]) mark_ready(i);
    launch_ready_buckets();
  }
  if (next_bucket_ == buckets_.size()) finish_pass();
}

void Reducer::reduce_used(const std::vector<bool>& used) {
  if (!searches_unused()) return;
  const Tensor counts = zeros(params_.size(), {.dtype = DType::i32});
  for (std::size_t i = 0; i < used.size(); ++i) counts.mutable_data<std::int32_t>()[i] = used[i];
  all_reduce(counts, {.group = group_});
  for (std::size_t i = 0; i < used.size(); ++i)
    is_unused_everywhere_[i] = counts.data<std::int32_t>()[i] == 0;
}

void Reducer::finish_pass() {
  const NoGrad no_grad;
  reduce_used(is_used_);
  for (Bucket& bucket : buckets_) {
    bucket.work.wait();
    bucket.work = {};
    if (bucket.owner >= 0) {
      finish_owned(bucket);
      continue;
    }
    for (std::size_t k = 0; k < bucket.params.size(); ++k)
      write_back(bucket.params[k], bucket.views[k]);
  }
  if (records_order()) agree_on_order();
  std::fill(is_used_.begin(), is_used_.end(), false);
  expects_gradients_ = is_in_pass_ = false;
  ++finished_passes_;
}

void Reducer::write_back(std::size_t param, const Tensor& view) {
  if (is_unused_everywhere_[param]) return;
  const Tensor grad = params_[param].grad();
  if (grad.defined() && grad.is_set_to(view)) return;
  if (options_.gradient_as_bucket_view && view.dtype() == params_[param].dtype())
    params_[param].set_grad(view);
  else if (grad.defined())
    grad.copy_(view);
  else
    params_[param].set_grad(view.clone());
}

void Reducer::agree_on_order() {
  const Tensor order = empty(params_.size(), {.dtype = DType::i64});
  std::copy(order_.begin(), order_.end(), order.mutable_data<std::int64_t>().begin());
  RawCall call;
  call.kind = RawCall::Kind::broadcast;
  call.root = 0;
  call.receive = writable_elements(order), call.count = order.numel(), call.dtype = order.dtype();
  call.detail =
      format_message("{}, the order of gradients of DistributedDataParallel", order.shape());
  call.tensors = {order};
  group_->start(std::move(call)).wait();
  agreed_order_.assign(order.data<std::int64_t>().begin(), order.data<std::int64_t>().end());
  has_agreed_ = true;
}

void Reducer::rebuild_buckets() {
  if (agreed_order_.empty()) return;
  const NoGrad no_grad;
  set_buckets(assign_buckets(
      params_, std::exchange(agreed_order_, {}),
      options_.bucket_cap_mb ? std::vector{cap_bytes(*options_.bucket_cap_mb)} : default_limits(),
      owners_));
}

void Reducer::shadow_backward() {
  rebuild_buckets();
  const NoGrad no_grad;
  std::vector<Work> works;
  std::vector<Tensor> buffers;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    buffers.push_back(new_buffer(buckets_[i]).zero_());
    works.push_back(reduce(i, buffers.back()));
  }
  // As in PyTorch, a rank without inputs reports the parameters as used that any rank used in the
  // last pass.
  std::vector<bool> used = is_unused_everywhere_;
  used.flip();
  reduce_used(used);
  for (std::size_t i = 0; i < works.size(); ++i) {
    works[i].wait();
    store_shadowed(buckets_[i], buffers[i]);
  }
  if (records_order()) {
    order_.resize(params_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    agree_on_order();
  }
  ++finished_passes_;
}

}  // namespace taper::distributed
