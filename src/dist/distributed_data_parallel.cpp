#include "taper/dist/distributed_data_parallel.h"

#include "core/check.h"
#include "dist/coalesced.h"
#include "dist/rank_context.h"
#include "dist/reducer.h"
#include "dist/sharding.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"
#include "taper/dist/init.h"
#include "taper/dist/objects.h"
#include "taper/dist/zero_redundancy_optimizer.h"

namespace taper::distributed {
namespace {

/// Parameters and buffers of a module, by name.
struct ModuleTensors {
  std::vector<std::string> names{};
  std::vector<Tensor> tensors{};

  void add(const std::vector<nn::NamedTensor>& list) {
    for (const nn::NamedTensor& entry : list) {
      names.push_back(entry.name);
      tensors.push_back(entry.value);
    }
  }
};

Group group_of(const nn::Module& module, const DistributedDataParallelOptions& options) {
  const Group group = resolve_group(options.process_group);
  if (group->rank() < 0)
    fail<ValueError>("DistributedDataParallel: the caller is not a member of the process group");
  for (const Tensor& p : module.parameters())
    reject_division_in(group, p, "DistributedDataParallel");
  return group;
}

std::unique_ptr<Reducer> make_reducer(const nn::Module& module, const Group& group,
                                      const DistributedDataParallelOptions& options) {
  std::vector<std::string> names;
  std::vector<Tensor> params;
  for (const nn::NamedTensor& p : module.named_parameters())
    if (p.value.requires_grad()) names.push_back(p.name), params.push_back(p.value);
  if (params.empty())
    fail<ValueError>(
        "DistributedDataParallel is not needed when a module doesn't have any parameters that "
        "require a gradient.");
  if (options.bucket_cap_mb && !(*options.bucket_cap_mb > 0))
    fail<ValueError>("DistributedDataParallel: bucket_cap_mb must be positive, got {}",
                     *options.bucket_cap_mb);
  return std::make_unique<Reducer>(std::move(names), std::move(params), group, options);
}

/// Returns the sum over all ranks.
std::int64_t sum_over_ranks(std::int64_t value, const Group& group, ReduceOp op = ReduceOp::sum) {
  const Tensor t = full({1}, value);
  all_reduce(t, {.op = op, .group = group});
  return t.item<std::int64_t>();
}

}  // namespace

class DistributedDataParallel::Impl {
 public:
  Impl(nn::Module& module, const DistributedDataParallelOptions& options)
      : module_(module),
        options_(options),
        group_(group_of(module, options)),
        reducer_(make_reducer(module, group_, options)) {
    ModuleTensors all;
    all.add(module.named_parameters());
    all.add(module.named_buffers());
    if (options.init_sync) {
      check_equal_on_ranks("parameters and buffers", all.names, all.tensors, group_);
      broadcast_coalesced(all.tensors, 0, group_);
    }
    if (group_->size() > 1) observe_forward();
  }
  ~Impl() { pre_hook_.remove(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  nn::Module& module() const { return module_; }
  bool has_comm_hook() const { return reducer_->has_hook(); }
  void set_comm_hook(CommHook hook) {
    reducer_->set_hook(std::move(hook));
    if (group_->size() == 1) observe_forward();
  }
  void shard_gradients(const Group& group, const SharedFunction<int(const Tensor&)>& owner_of) {
    if (group != group_)
      fail<ValueError>("shard_gradients: the optimizer has a different process group");
    std::vector<int> owners;
    for (std::size_t i = 0; i < reducer_->params().size(); ++i) {
      owners.push_back(owner_of(reducer_->params()[i]));
      if (owners.back() < 0)
        fail<ValueError>("shard_gradients: the optimizer does not have the parameter {}",
                         reducer_->name_of(i));
    }
    reducer_->shard_gradients(std::move(owners));
  }
  bool set_sync(bool sync) { return std::exchange(syncs_gradients_, sync); }

  void join(const SharedFunction<void()>& f, const JoinOptions& options) {
    if (!options.enable) return f();
    if (options.optimizer && options.optimizer->group() != group_)
      fail<ValueError>("join: the optimizer has a different process group");
    struct Scope {
      Impl& impl;
      ~Scope() {
        impl.set_announce(false);
        impl.join_ = nullptr;
        impl.reducer_->set_divisor({});
      }
    } scope{*this};
    join_ = &options;
    set_announce(true);
    f();
    set_announce(false);
    bool is_last = true;
    while (const std::int64_t event = sum_over_ranks(0, group_)) {
      if (options.throw_on_early_termination) {
        sum_over_ranks(1, group_);
        fail<RuntimeError>("Rank {} exhausted all inputs.", get_rank());
      }
      if (event >= kOptimizerCall)
        shadow_optimizer_call();
      else
        shadow_step();
      is_last = false;
    }
    sync_module(is_last);
  }

 private:
  /// Events of which ranks with inputs inform those without, by the sum over the ranks.
  static constexpr std::int64_t kForward = 1, kOptimizerCall = 1 << 20;

  void observe_forward() {
    pre_hook_ =
        module_.register_forward_pre_hook([this](nn::Module&, Values&) { before_forward(); });
  }

  void before_forward() {
    // One rank may evaluate or sample alone: only training with gradients is collective.
    if (!is_grad_enabled()) return;
    const bool syncs = syncs_gradients_;
    if (join_) {
      const std::int64_t active = notify_joined_ranks(kForward);
      if (!join_->divide_by_initial_world_size) reducer_->set_divisor(static_cast<int>(active));
    }
    if (needs_buffer_sync()) sync_buffers(true);
    if (join_) sum_over_ranks(syncs_gradients_, group_);
    syncs_buffers_ = syncs;
    if (syncs) reducer_->prepare_for_backward();
  }

  bool needs_buffer_sync() const {
    return syncs_buffers_ && options_.forward_sync_buffers && module_.training &&
           !module_.buffers().empty();
  }

  /// Copies the buffers of rank 0 or, within `join`, of the largest rank that has inputs.
  void sync_buffers(bool has_inputs) {
    const int source = join_ ? largest_rank(has_inputs) : 0;
    try {
      broadcast_coalesced(module_.buffers(), source, group_);
    } catch (const Error& error) {
      throw_error(error.kind(),
                  format_message("DistributedDataParallel: each forward pass in training mode that "
                                 "records gradients broadcasts the buffers of rank {}, unless "
                                 "forward_sync_buffers is false: every rank must take part: {}",
                                 source, error.message()));
    }
  }

  /// Returns the largest rank of the group for which `condition` is true.
  int largest_rank(bool condition) {
    return static_cast<int>(sum_over_ranks(condition ? group_->rank() : -1, group_, ReduceOp::max));
  }

  /// Informs ranks without inputs of an event. Returns the number of ranks with inputs.
  std::int64_t notify_joined_ranks(std::int64_t event) {
    const std::int64_t active = sum_over_ranks(event, group_) / event;
    if (join_->throw_on_early_termination && sum_over_ranks(0, group_) != 0)
      fail<RuntimeError>(
          "Detected at least one rank that exhausted inputs. Throwing across all ranks.");
    return active;
  }

  void set_announce(bool announces) {
    if (!join_ || !join_->optimizer) return;
    if (announces)
      join_->optimizer->set_announce([this](const Value& call) { return announce(call); });
    else
      join_->optimizer->set_announce({});
  }

  /// See ZeroRedundancyOptimizer::Announce.
  int announce(const Value& call) {
    if (notify_joined_ranks(kOptimizerCall) == group_->size()) return -1;
    const int source = largest_rank(true);
    Values calls{call};
    broadcast_object_list(calls, get_global_rank(group_, source), group_);
    return source;
  }

  /// Takes part in a call of the optimizer of the other ranks.
  void shadow_optimizer_call() {
    const int source = largest_rank(false);
    Values calls{Value()};
    broadcast_object_list(calls, get_global_rank(group_, source), group_);
    join_->optimizer->repeat_call(calls[0], source);
  }

  /// Calls the collectives of a step of the other ranks.
  void shadow_step() {
    if (needs_buffer_sync()) sync_buffers(false);
    syncs_buffers_ = sum_over_ranks(0, group_) != 0;
    if (syncs_buffers_) reducer_->shadow_backward();
  }

  void sync_module(bool is_last) {
    const int source = largest_rank(is_last);
    ModuleTensors all;
    all.add(module_.named_parameters());
    if (options_.forward_sync_buffers) all.add(module_.named_buffers());
    broadcast_coalesced(all.tensors, source, group_);
  }

  nn::Module& module_;
  DistributedDataParallelOptions options_;
  Group group_;
  std::unique_ptr<Reducer> reducer_;
  RemovableHandle pre_hook_;
  bool syncs_gradients_ = true;        ///< false under no_sync
  bool syncs_buffers_ = true;          ///< before the next forward pass
  const JoinOptions* join_ = nullptr;  ///< null outside of join
};

DistributedDataParallel::DistributedDataParallel(nn::Module& module,
                                                 const DistributedDataParallelOptions& options)
    : impl_(std::make_unique<Impl>(module, options)) {}
DistributedDataParallel::~DistributedDataParallel() = default;

nn::Module& DistributedDataParallel::module() const { return impl_->module(); }

Value DistributedDataParallel::state_dict() const {
  return impl_->module().state_dict({.prefix = "module."});
}

nn::IncompatibleKeys DistributedDataParallel::load_state_dict(const Value& state_dict) {
  return impl_->module().load_state_dict(state_dict, {.strip_prefixes = {"module."}});
}

void DistributedDataParallel::register_comm_hook(CommHook hook) {
  if (impl_->has_comm_hook()) fail<RuntimeError>("register_comm_hook can only be called once.");
  if (!hook) fail<ValueError>("register_comm_hook: the hook is empty");
  impl_->set_comm_hook(std::move(hook));
}

void DistributedDataParallel::shard_gradients(const Group& group,
                                              const SharedFunction<int(const Tensor&)>& owner_of) {
  impl_->shard_gradients(group, owner_of);
}

DistributedDataParallel::NoSync::NoSync(DistributedDataParallel& ddp)
    : ddp_(ddp), before_(ddp.impl_->set_sync(false)) {}
DistributedDataParallel::NoSync::~NoSync() { ddp_.impl_->set_sync(before_); }

void DistributedDataParallel::join(const SharedFunction<void()>& f, const JoinOptions& options) {
  impl_->join(f, options);
}

}  // namespace taper::distributed
