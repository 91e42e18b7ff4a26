#include "dist/shard_unit.h"

#include <algorithm>
#include <map>
#include <unordered_map>

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

void ShardUnit::unshard() {
  if (is_gathered_) return;
  const NoGrad no_grad;
  // One collective per element type of the gathered parameters.
  std::map<DType, std::vector<ShardedParameter*>> by_dtype;
  for (ShardedParameter& p : params_) by_dtype[p.full.dtype()].push_back(&p);
  for (const auto& [dtype, list] : by_dtype) {
    std::int64_t total = 0;
    for (const ShardedParameter* p : list) total += p->padded_numel();
    const Tensor mine = zeros(total, {.dtype = dtype});
    std::int64_t offset = 0;
    for (const ShardedParameter* p : list) {
      mine.narrow(0, offset, p->local.numel()).copy_(p->local.detach().view({-1}));
      offset += p->padded_numel();
    }
    const Tensor all = empty({shard_group_->size(), total}, {.dtype = dtype});
    all_gather_into_tensor(all, mine, {.group = shard_group_});
    offset = 0;
    for (ShardedParameter* p : list) {
      const Tensor rows = all.narrow(1, offset, p->padded_numel()).reshape({-1});
      p->full.set_data(rows.narrow(0, 0, p->shape().numel()).view(p->shape()).clone());
      offset += p->padded_numel();
    }
  }
  is_gathered_ = true;
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
  is_gathered_ = false;  // the rows may have changed since they were gathered
  unshard();
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
  if (options_.reshard_after_forward || !has_gradient) reshard();
}

void ShardUnit::queue_pass_end() {
  if (has_callback_) return;
  has_callback_ = true;
  autograd::queue_callback([self = weak_from_this()] {
    if (const auto unit = self.lock()) unit->on_pass_end();
  });
}

void ShardUnit::prepare_backward() {
  queue_pass_end();
  unshard();
}

void ShardUnit::on_gradient(std::size_t /*i*/) {
  if (++num_ready_ < num_trainable_) return;
  finish_gradients();
  // A frozen parameter may still be required by nodes that follow.
  if (!has_frozen_) reshard();
}

void ShardUnit::on_pass_end() {
  has_callback_ = false;
  if (num_ready_ > 0) finish_gradients();
  reshard();
}

void ShardUnit::finish_gradients() {
  num_ready_ = 0;
  const NoGrad no_grad;
  accumulate_gradients();
  if (requires_gradient_sync_) reduce_gradients();
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

void ShardUnit::reduce_gradients() {
  std::map<DType, std::vector<std::size_t>> by_dtype;
  for (std::size_t i = 0; i < params_.size(); ++i)
    if (params_[i].accumulated.defined()) by_dtype[reduce_dtype(params_[i])].push_back(i);
  for (const auto& [dtype, list] : by_dtype) reduce_group(list, dtype);
  for (ShardedParameter& p : params_) p.accumulated = Tensor();
}

void ShardUnit::reduce_group(const std::vector<std::size_t>& params, DType dtype) {
  const int ranks = shard_group_->size();
  std::int64_t total = 0;
  for (const std::size_t i : params) total += params_[i].padded_numel();
  const Tensor all = zeros({ranks, total}, {.dtype = dtype});
  std::int64_t offset = 0;
  for (const std::size_t i : params) {
    const ShardedParameter& p = params_[i];
    const Tensor rows = zeros(ranks * p.padded_numel(), {.dtype = dtype});
    rows.narrow(0, 0, p.shape().numel()).copy_(p.accumulated.reshape({-1}));
    all.narrow(1, offset, p.padded_numel()).copy_(rows.view({ranks, p.padded_numel()}));
    offset += p.padded_numel();
  }
  const int world = ranks * (replicate_group_ ? replicate_group_->size() : 1);
  const bool predivides = dtype != DType::f32 && dtype != DType::bf16;
  const ReduceOp op = predivides ? ReduceOp::sum : ReduceOp::avg;
  if (predivides) all.div_(predivisor(world));
  const Tensor mine = empty(total, {.dtype = dtype});
  reduce_scatter_tensor(mine, all, {.op = op, .group = shard_group_});
  if (replicate_group_) all_reduce(mine, {.op = op, .group = replicate_group_});
  if (predivides) mine.div_(world / predivisor(world));
  offset = 0;
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
