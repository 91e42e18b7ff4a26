#include "taper/dist/zero_redundancy_optimizer.h"

#include <map>

#include "core/check.h"
#include "dist/norm_over_ranks.h"
#include "dist/optimizer_tensors.h"
#include "dist/rank_context.h"
#include "dist/sharding.h"
#include "dist/tensor_buffers.h"
#include "dist/zero_impl.h"
#include "taper/autograd/grad_mode.h"
#include "taper/optim/make.h"

namespace taper::distributed {
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
      for (const Tensor& p : each.params()) reject_division_in(group, p, "ZeroRedundancyOptimizer");
      partition.add_group(each.params());
      mine.push_back(
          partition.local_group(as_index(group->rank()), partition.num_groups() - 1, each));
    }
    local = factory(optim::Params(std::move(mine)));
    if (!local) fail<ValueError>("ZeroRedundancyOptimizer: the factory returned null");
  }
};

void ZeroRedundancyOptimizer::Impl::build_buckets() {
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
  std::vector<Tensor> scaled = impl_->partition.params(impl_->rank());
  if (impl_->announce) {
    announce("clip_grad_norm_",
             Value::list({max_norm, options.norm_type, options.error_if_nonfinite}));
    // The step provides other ranks with the gradients of their parameters.
    if (!impl_->shards_gradients) scaled = numbered_params(*this);
  }
  const Tensor total = norm_of_gradients(options.norm_type);
  // Throws if it is not finite.
  if (options.error_if_nonfinite) std::ignore = nn::utils::get_total_norm({{total}}, options);
  nn::utils::clip_grads_with_norm_(scaled, max_norm, total);
  return total;
}

Tensor ZeroRedundancyOptimizer::run_step(const SharedFunction<Tensor()>* closure) {
  impl_->follow(param_groups());
  copy_options(param_groups(), impl_->local->param_groups());
  Tensor loss;
  if (closure && impl_->announce) {
    loss = impl_->local->step([&] {
      const Tensor value = (*closure)();
      announce_step();
      return value;
    });
  } else if (closure) {
    loss = impl_->local->step(*closure);
  } else {
    if (impl_->announce) announce_step();
    impl_->local->step();
  }
  copy_options(impl_->local->param_groups(), param_groups());
  impl_->send_params();
  return loss;
}

}  // namespace taper::distributed
