#include "dist/shard_unit.h"

#include <map>
#include <unordered_map>
#include <utility>

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
    value = value.with_items(std::move(items));
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

std::int64_t ShardUnit::gathered_bytes() const {
  std::size_t bytes = 0;
  for (const ShardedParameter& p : params_) bytes += p.full.nbytes();
  for (const Gather& gather : gathers_) bytes += gather.all.nbytes();
  return static_cast<std::int64_t>(bytes);
}

}  // namespace taper::distributed
