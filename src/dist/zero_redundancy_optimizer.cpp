#include "taper/dist/zero_redundancy_optimizer.h"

#include <map>

#include "core/check.h"
#include "dist/coalesced.h"
#include "dist/norm_over_ranks.h"
#include "dist/rank_context.h"
#include "dist/tensor_buffers.h"
#include "dist/zero_partition.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/dist/collectives.h"
#include "taper/dist/objects.h"
#include "taper/optim/make.h"

namespace taper::distributed {
namespace {

std::size_t as_index(int rank) { return static_cast<std::size_t>(rank); }

/// Copies the options of groups, such as learning rates that a scheduler has set.
void copy_options(const std::vector<optim::ParamGroup>& from,
                  const std::vector<optim::ParamGroup>& to) {
  for (std::size_t g = 0; g < from.size(); ++g)
    for (const auto& [name, value] : from[g].options().as_dict())
      to[g].options().as_dict().set(name, value);
}

/// Calls `f(group, position, local_id)` for the parameters of a rank, whose optimizer numbers them
/// consecutively.
template <class F> void for_each_owned(const ZeroPartition& partition, std::size_t rank, F&& f) {
  std::int64_t id = 0;
  for (std::size_t g = 0; g < partition.num_groups(); ++g)
    for (const std::size_t i : partition.positions(rank, g)) f(g, i, id++);
}

}  // namespace

/// The partition and the local optimizer, whose defaults the base class requires.
struct ZeroRedundancyOptimizer::Prepared {
  optim::Params params;
  Group group;
  ZeroPartition partition;
  std::unique_ptr<optim::Optimizer> local{};

  Prepared(optim::Params given, const OptimizerFactory& factory, const Group& given_group)
      : params(std::move(given)),
        group(resolve_group(given_group)),
        partition(group->rank() < 0 ? 1 : group->size()) {
    if (group->rank() < 0)
      fail<ValueError>("ZeroRedundancyOptimizer: the caller is not a member of the process group");
    if (params.groups().empty())
      fail<ValueError>("ZeroRedundancyOptimizer: optimizer got an empty parameter list");
    std::vector<optim::ParamGroup> mine;
    for (const optim::ParamGroup& each : params.groups()) {
      partition.add_group(each.params());
      mine.push_back(
          partition.local_group(as_index(group->rank()), partition.num_groups() - 1, each));
    }
    local = factory(optim::Params(std::move(mine)));
    if (!local) fail<ValueError>("ZeroRedundancyOptimizer: the factory returned null");
  }
};

struct ZeroRedundancyOptimizer::Impl {
  Group group;
  ZeroPartition partition;
  std::unique_ptr<optim::Optimizer> local;
  bool is_consolidated = false;
  bool uses_buckets = false;
  bool shards_gradients = false;
  /// Per rank: contiguous memory of the parameters by dtype, if they are views of it.
  std::vector<std::vector<Tensor>> buckets{};

  std::size_t rank() const { return as_index(group->rank()); }
  std::size_t size() const { return as_index(group->size()); }

  /// Assigns groups that were added to the optimizer.
  void follow(const std::vector<optim::ParamGroup>& groups) {
    if (partition.num_groups() == groups.size()) return;
    while (partition.num_groups() < groups.size()) {
      const std::size_t g = partition.num_groups();
      partition.add_group(groups[g].params());
      local->add_param_group(partition.local_group(rank(), g, groups[g]));
    }
    if (uses_buckets) build_buckets();
  }

  void build_buckets() {
    const NoGrad no_grad;
    buckets.assign(size(), {});
    for (std::size_t r = 0; r < size(); ++r) {
      std::map<DType, std::vector<Tensor>> by_dtype;
      for (const Tensor& p : partition.params(r)) by_dtype[p.dtype()].push_back(p);
      for (const auto& [dtype, params] : by_dtype) {
        const Tensor flat = concatenate("ZeroRedundancyOptimizer", params);
        std::int64_t offset = 0;
        for (const Tensor& p : params) {
          p.set_data(flat.narrow(0, offset, p.numel()).view(p.shape()));
          offset += p.numel();
        }
        buckets[r].push_back(flat);
      }
    }
  }

  void send_params() {
    for (std::size_t r = 0; r < size(); ++r) {
      const int source = static_cast<int>(r);
      if (!uses_buckets)
        broadcast_coalesced(partition.params(r), source, group);
      else
        for (const Tensor& bucket : buckets[r]) broadcast_coalesced({bucket}, source, group);
    }
  }
};

ZeroRedundancyOptimizer::ZeroRedundancyOptimizer(optim::Params params,
                                                 const OptimizerFactory& factory,
                                                 const ZeroRedundancyOptions& options)
    : ZeroRedundancyOptimizer(Prepared(std::move(params), factory, options.process_group),
                              options) {}

ZeroRedundancyOptimizer::ZeroRedundancyOptimizer(optim::Params params,
                                                 std::string_view optimizer_class,
                                                 const Value& optimizer_options,
                                                 const ZeroRedundancyOptions& options)
    : ZeroRedundancyOptimizer(
          std::move(params),
          [&](optim::Params mine) {
            return optim::make(optimizer_class, std::move(mine), optimizer_options);
          },
          options) {}

ZeroRedundancyOptimizer::ZeroRedundancyOptimizer(Prepared prepared,
                                                 const ZeroRedundancyOptions& options)
    : Optimizer(prepared.local->defaults().as_dict().copy()),
      impl_(std::make_unique<Impl>(Impl{.group = prepared.group,
                                        .partition = std::move(prepared.partition),
                                        .local = std::move(prepared.local),
                                        .uses_buckets = options.parameters_as_bucket_view})) {
  add_params(std::move(prepared.params));
  if (impl_->uses_buckets) impl_->build_buckets();
  register_state_dict_pre_hook([impl = impl_.get()](Optimizer&) {
    if (!impl->is_consolidated)
      fail<RuntimeError>(
          "Optimizer state has not been consolidated on this rank. Please call "
          "`consolidate_state_dict(to={})` on all ranks beforehand if you meant to save the global "
          "state.",
          get_rank());
  });
  register_load_state_dict_post_hook([this](Optimizer&) { load_local_state(); });
}

ZeroRedundancyOptimizer::~ZeroRedundancyOptimizer() = default;

optim::Optimizer& ZeroRedundancyOptimizer::local_optimizer() { return *impl_->local; }

std::vector<std::vector<std::vector<std::size_t>>> ZeroRedundancyOptimizer::partition() {
  impl_->follow(param_groups());
  std::vector<std::vector<std::vector<std::size_t>>> indices(impl_->size());
  for (std::size_t r = 0; r < impl_->size(); ++r) {
    std::size_t first = 0;
    for (std::size_t g = 0; g < param_groups().size(); ++g) {
      indices[r].emplace_back();
      for (const std::size_t i : impl_->partition.positions(r, g))
        indices[r].back().push_back(first + i);
      first += param_groups()[g].params().size();
    }
  }
  return indices;
}

void ZeroRedundancyOptimizer::shard_gradients(DistributedDataParallel& ddp) {
  impl_->follow(param_groups());
  ddp.shard_gradients(impl_->group, [&](const Tensor& parameter) {
    for (std::size_t r = 0; r < impl_->size(); ++r)
      for (const Tensor& p : impl_->partition.params(r))
        if (p.is_same(parameter)) return static_cast<int>(r);
    return -1;
  });
  impl_->shards_gradients = true;
}

bool ZeroRedundancyOptimizer::has_sharded_gradients() const { return impl_->shards_gradients; }

Tensor ZeroRedundancyOptimizer::norm_of_gradients(double p) {
  impl_->follow(param_groups());
  std::vector<Tensor> gradients;
  for (const Tensor& param : impl_->partition.params(impl_->rank()))
    if (param.grad().defined()) gradients.push_back(param.grad());
  return norm_over_ranks(gradients, p, impl_->group);
}

Ignorable<Tensor> ZeroRedundancyOptimizer::clip_grad_norm_(double max_norm,
                                                           const nn::utils::ClipOptions& options) {
  const NoGrad no_grad;
  const Tensor total = norm_of_gradients(options.norm_type);
  // Throws if it is not finite.
  if (options.error_if_nonfinite) std::ignore = nn::utils::get_total_norm({{total}}, options);
  nn::utils::clip_grads_with_norm_(impl_->partition.params(impl_->rank()), max_norm, total);
  return total;
}

Tensor ZeroRedundancyOptimizer::run_step(const SharedFunction<Tensor()>* closure) {
  impl_->follow(param_groups());
  copy_options(param_groups(), impl_->local->param_groups());
  Tensor loss;
  if (closure)
    loss = impl_->local->step(*closure);
  else
    impl_->local->step();
  copy_options(impl_->local->param_groups(), param_groups());
  impl_->send_params();
  return loss;
}

void ZeroRedundancyOptimizer::consolidate_state_dict(int to) {
  impl_->follow(param_groups());
  copy_options(param_groups(), impl_->local->param_groups());
  const Values states = gather_object(impl_->local->state_dict(), to, impl_->group);
  discard_collected_state();
  impl_->is_consolidated = !states.empty();
  for (std::size_t r = 0; r < states.size(); ++r) {
    const Value state = states[r]["state"];
    for_each_owned(impl_->partition, r, [&](std::size_t g, std::size_t i, std::int64_t id) {
      if (const Value* found = state.find(id)) groups()[g].state(i) = *found;
    });
  }
}

void ZeroRedundancyOptimizer::load_local_state() {
  impl_->follow(param_groups());
  copy_options(param_groups(), impl_->local->param_groups());
  Value state = Value::dict();
  for_each_owned(impl_->partition, impl_->rank(),
                 [&](std::size_t g, std::size_t i, std::int64_t id) {
                   if (!groups()[g].state(i).is_none()) state[id] = groups()[g].state(i);
                 });
  Value local = impl_->local->state_dict();
  local["state"] = state;
  impl_->local->load_state_dict(local);
  discard_collected_state();
}

void ZeroRedundancyOptimizer::discard_collected_state() {
  impl_->is_consolidated = false;
  for (optim::ParamGroup& group : groups())
    for (std::size_t i = 0; i < group.params().size(); ++i) group.state(i) = Value();
}

Value ZeroRedundancyOptimizer::gather_state_dict() {
  const bool was_consolidated = impl_->is_consolidated;
  consolidate_state_dict(impl_->group->ranks()[0]);
  if (!impl_->is_consolidated) return {};
  const Value state = state_dict();
  if (!was_consolidated) discard_collected_state();  // not to retain the state of all ranks
  return state;
}

Value ZeroRedundancyOptimizer::state_dict_of_rank() {
  impl_->follow(param_groups());
  const Value own = impl_->local->state_dict()["state"];
  for_each_owned(impl_->partition, impl_->rank(),
                 [&](std::size_t g, std::size_t i, std::int64_t id) {
                   if (const Value* found = own.find(id)) groups()[g].state(i) = *found;
                 });
  impl_->is_consolidated = true;
  const Value state = state_dict();
  discard_collected_state();
  return state;
}

}  // namespace taper::distributed
