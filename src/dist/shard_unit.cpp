#include "dist/shard_unit.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/add_to.h"
#include "core/check.h"
#include "dist/rank_context.h"
#include "taper/autograd/autograd.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"

namespace taper::distributed {
namespace {

constexpr std::string_view kOwner = "fully_shard";

/// Calls `f` on the tensors of a nested value and replaces them by its results.
template <class F> void replace_tensors(Value& value, F& f) {
  if (value.is_tensor()) {
    value = f(value.as_tensor());
  } else if (value.is_list() || value.is_tuple()) {
    Values items = value.as_sequence();
    for (Value& item : items) replace_tensors(item, f);
    value = value.is_list() ? Value::list(std::move(items)) : Value::tuple(std::move(items));
  } else if (value.is_dict()) {
    Value copy = value.as_dict().copy();
    for (const auto& [key, item] : value.as_dict()) {
      Value replaced = item;
      replace_tensors(replaced, f);
      copy.as_dict().set(key, replaced);
    }
    value = copy;
  }
}

Tensor convert_floating(const Tensor& t, DType dtype) {
  return t.is_floating_point() && t.dtype() != dtype ? t.to(dtype) : t;
}

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

std::int64_t ShardedParameter::padded_numel() const {
  Shape rows = shape();
  rows[0] = piece_of_rank(rows[0], sharding->group()->size(), 0).size;
  return rows.numel();
}

ShardUnit::ShardUnit(nn::Module& module, const FullyShardOptions& options) : options_(options) {
  const DeviceMesh& mesh = options.mesh;
  shard_group_ = mesh.ndim() == 0 ? default_group() : mesh.get_group(mesh.ndim() - 1);
  if (mesh.ndim() == 2) replicate_group_ = mesh.get_group(0);
  std::unordered_map<const TensorImpl*, std::size_t> index;
  for (const nn::NamedModule& entry : module.named_modules()) {
    const Value own = entry.module->own_parameters();
    for (const auto& [key, value] : own.as_dict()) {
      if (!value.is_tensor()) continue;
      const Tensor& p = value.as_tensor();
      const std::string name = (entry.name.empty() ? "" : entry.name + ".") + key.as_string();
      if (const auto sharding = find_sharding(p)) {
        if (sharding->owner() != kOwner)
          fail<RuntimeError>("fully_shard: parameter '{}' is divided by {} already", name,
                             sharding->owner());
        continue;
      }
      if (p.dim() == 0) fail<ValueError>("fully_shard: parameter '{}' has no dimensions", name);
      const auto [it, is_new] = index.try_emplace(p.impl(), params_.size());
      if (is_new) params_.push_back({.name = name, .local = p, .dtype = p.dtype()});
      params_[it->second].locations.push_back({entry.module, key.as_string()});
    }
  }
  for (ShardedParameter& p : params_) shard(p);
}

/// Replaces the data of a parameter by the rows of the rank.
void ShardUnit::shard(ShardedParameter& p) const {
  const NoGrad no_grad;
  p.sharding = Sharding::create(p.local, p.name, 0, shard_group_, kOwner);
  const Tensor mine = p.sharding->local(p.local.detach()).clone();
  p.full = empty({0}, {.dtype = options_.mp_policy.param_dtype.value_or(p.dtype)});
  p.full.set_requires_grad(p.local.requires_grad());
  p.local.set_grad(Tensor());
  p.local.set_data(mine);
}

/// Completes the construction: hooks require a shared pointer to the unit.
void ShardUnit::attach() {
  for (std::size_t i = 0; i < params_.size(); ++i) {
    ShardedParameter& p = params_[i];
    has_frozen_ = has_frozen_ || !p.full.requires_grad();
    if (!p.full.requires_grad()) continue;
    ++num_trainable_;
    p.hook =
        p.full.register_post_accumulate_grad_hook([this, i](const Tensor&) { on_gradient(i); });
  }
}

ShardUnit::~ShardUnit() {
  for (const ShardedParameter& p : params_) p.hook.remove();
}

void ShardUnit::swap_members(bool full) {
  for (ShardedParameter& p : params_)
    for (const ShardedParameter::Location& at : p.locations)
      at.module->get_parameter(at.name) = nn::Parameter::of(full ? p.full : p.local);
}

void ShardUnit::start_unshard(Pass pass) {
  // Rows may have changed since a gather for another pass, and before each forward pass.
  if (gathers_for_ == pass || (pass == Pass::backward && is_gathered_)) return;
  gathers_.clear();
  gathers_for_ = pass;
  const NoGrad no_grad;
  // One collective per element type of the gathered parameters.
  std::map<DType, std::vector<ShardedParameter*>> by_dtype;
  for (ShardedParameter& p : params_) by_dtype[p.full.dtype()].push_back(&p);
  for (auto& [dtype, list] : by_dtype) {
    std::int64_t total = 0;
    for (const ShardedParameter* p : list) total += p->padded_numel();
    const Tensor mine = zeros(total, {.dtype = dtype});
    std::int64_t offset = 0;
    for (const ShardedParameter* p : list) {
      mine.narrow(0, offset, p->local.numel()).copy_(p->local.detach().view({-1}));
      offset += p->padded_numel();
    }
    const Tensor all = empty({shard_group_->size(), total}, {.dtype = dtype});
    const Work work = all_gather_into_tensor(all, mine, {.group = shard_group_, .async_op = true});
    gathers_.push_back({std::move(list), all, work});
  }
}

void ShardUnit::unshard(Pass pass) {
  if (pass == Pass::backward && is_gathered_) return;
  start_unshard(pass);
  const NoGrad no_grad;
  for (const Gather& gather : gathers_) {
    gather.work.wait();
    std::int64_t offset = 0;
    for (ShardedParameter* p : gather.params) {
      // A copy of the rows, or all of the buffer if the unit has one parameter.
      const Tensor rows = gather.all.narrow(1, offset, p->padded_numel()).reshape({-1});
      p->full.set_data(rows.narrow(0, 0, p->shape().numel()).view(p->shape()));
      offset += p->padded_numel();
    }
  }
  discard_gathers();
  is_gathered_ = true;
}

void ShardUnit::prefetch(const Units& units, Pass pass) const {
  for (const auto& weak : units)
    if (const auto unit = weak.lock()) unit->start_unshard(pass);
}

/// Returns the unit that completed forward before this one, and precedes it in backward.
ShardUnit::Units ShardUnit::preceding_unit() const {
  Units preceding;
  for (const auto& weak : schedule_->forward_order) {
    const auto unit = weak.lock();
    if (unit.get() == this) return preceding;
    if (unit) preceding = {unit};
  }
  return {};
}

void ShardUnit::record_forward() {
  if (!schedule_->pass.expired()) return;  // activations are computed again
  auto& order = schedule_->forward_order;
  std::erase_if(order, [&](const auto& weak) {
    const auto unit = weak.lock();
    return !unit || unit.get() == this;
  });
  order.push_back(weak_from_this());
}

void ShardUnit::reshard() {
  if (!is_gathered_) return;
  for (ShardedParameter& p : params_) p.full.set_data(empty({0}, {.dtype = p.full.dtype()}));
  is_gathered_ = false;
}

void ShardUnit::before_forward(Values& args) {
  if (const auto dtype = options_.mp_policy.param_dtype;
      dtype && options_.mp_policy.cast_forward_inputs) {
    const auto cast = [&](const Tensor& t) { return convert_floating(t, *dtype); };
    for (Value& arg : args) replace_tensors(arg, cast);
  }
  // Activations that are computed again during backward use the gather for backward.
  const Pass pass = schedule_->pass.expired() ? Pass::forward : Pass::backward;
  unshard(pass);
  if (pass == Pass::forward) prefetch(forward_prefetch_, pass);
  num_ready_ = 0;
  swap_members(true);
}

void ShardUnit::after_forward(Value& result) {
  swap_members(false);
  if (const auto dtype = options_.mp_policy.output_dtype) {
    const auto cast = [&](const Tensor& t) { return convert_floating(t, *dtype); };
    replace_tensors(result, cast);
  }
  bool has_gradient = false;
  const auto add_hook = [&](const Tensor& t) {
    if (t.requires_grad() && is_grad_enabled()) {
      has_gradient = true;
      t.register_hook([self = weak_from_this()](const Tensor&) {
        if (const auto unit = self.lock()) unit->prepare_backward();
        return Tensor();
      });
    }
    return t;
  };
  Value visited = result;
  replace_tensors(visited, add_hook);
  if (has_gradient) record_forward();
  if (options_.reshard_after_forward || !has_gradient) reshard();
}

void ShardUnit::queue_pass_end() {
  if (!pass_.expired()) return;
  if (const auto unit = schedule_->reducing.lock(); unit && schedule_->pass.expired())
    unit->reductions_.clear();  // of a pass that failed
  const auto pass = std::make_shared<char>();
  pass_ = schedule_->pass = pass;
  autograd::queue_callback([self = weak_from_this(), pass] {
    if (const auto unit = self.lock()) unit->on_pass_end();
  });
}

void ShardUnit::prepare_backward() {
  queue_pass_end();
  unshard(Pass::backward);
  prefetch(backward_prefetch_.empty() ? preceding_unit() : backward_prefetch_, Pass::backward);
}

void ShardUnit::on_gradient(std::size_t /*i*/) {
  if (++num_ready_ < num_trainable_) return;
  finish_gradients();
  // A frozen parameter may still be required by nodes that follow.
  if (!has_frozen_) reshard();
}

void ShardUnit::on_pass_end() {
  pass_.reset();
  if (num_ready_ > 0) finish_gradients();
  finish_reduction();
  reshard();
  // Units that the pass has not reached.
  for (const auto& weak : schedule_->forward_order)
    if (const auto unit = weak.lock()) unit->discard_gathers();
}

void ShardUnit::discard_gathers() {
  gathers_.clear();
  gathers_for_ = Pass::none;
}

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
