#include "dist/rank_exchange.h"

#include <algorithm>
#include <optional>

#include "core/never_destroyed.h"
#include "dist/norm_over_ranks.h"
#include "dist/optimizer_tensors.h"
#include "dist/sharding.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"
#include "taper/dist/objects.h"
#include "taper/dist/sharded_state.h"
#include "taper/dist/zero_redundancy_optimizer.h"
#include "taper/optim/detail/found_inf.h"
#include "taper/train/detail/rank_exchange.h"

namespace taper::distributed {
namespace {

void reduce_over_ranks(std::span<double> numbers, ReduceOp op) {
  const Tensor all = tensor(std::span<const double>(numbers), Shape(numbers.size()));
  all_reduce(all, {.op = op});
  const auto reduced = all.data<double>();
  std::copy(reduced.begin(), reduced.end(), numbers.begin());
}

bool are_divided(const std::vector<Tensor>& params) {
  return std::any_of(params.begin(), params.end(), is_sharded);
}

ZeroRedundancyOptimizer* as_zero(optim::Optimizer* optimizer) {
  return dynamic_cast<ZeroRedundancyOptimizer*>(optimizer);
}

}  // namespace

class TrainerExchange final : public train::detail::RankExchange {
 public:
  int rank() const override { return get_rank(); }
  int size() const override { return get_world_size(); }
  void sum(std::span<double> numbers) const override { reduce_over_ranks(numbers, ReduceOp::sum); }
  void max(std::span<double> numbers) const override { reduce_over_ranks(numbers, ReduceOp::max); }
  Values all_gather(const Value& value) const override { return all_gather_object(value); }

  bool shares_batches(const nn::Module& module) const override {
    for (const Tensor& p : module.parameters())
      if (const auto sharding = find_sharding(p); sharding && sharding->owner() == kParallelOwner)
        return true;
    return false;
  }

  Tensor grad_norm(const nn::Module& module,
                   std::span<optim::Optimizer* const> optimizers) const override {
    const NoGrad no_grad;
    std::vector<Tensor> params = module.parameters();
    std::vector<Tensor> norms;
    for (optim::Optimizer* const optimizer : optimizers) {
      ZeroRedundancyOptimizer* const zero = as_zero(optimizer);
      if (!zero || !zero->has_sharded_gradients()) continue;
      norms.push_back(zero->norm_of_gradients(2));
      for (const Tensor& own : numbered_params(*zero))
        std::erase_if(params, [&](const Tensor& p) { return p.is_same(own); });
    }
    for (const Tensor& norm : norms_of_gradients(params, 2)) norms.push_back(norm);
    return total_norm(norms, {});
  }

  Value whole_state(const nn::Module& module) const override {
    if (!are_divided(module.parameters())) return module.state_dict();
    return get_model_state_dict(module, {.full_state_dict = true, .cpu_offload = true});
  }
  Value whole_state(optim::Optimizer& optimizer) const override {
    ZeroRedundancyOptimizer* const zero = as_zero(&optimizer);
    const Value state = zero ? zero->gather_state_dict() : optimizer.state_dict();
    const std::vector<Tensor> params = numbered_params(optimizer);
    if (state.is_none() || !are_divided(params)) return state;
    return gather_optimizer_tensors(state, params, rank() == 0);
  }
  void load_whole_state(nn::Module& module, const Value& state) const override {
    set_model_state_dict(module, state, {.full_state_dict = true});
  }
  void load_whole_state(optim::Optimizer& optimizer, const Value& state) const override {
    optimizer.load_state_dict(divide_optimizer_tensors(state, numbered_params(optimizer)));
  }
  Value own_state(optim::Optimizer& optimizer) const override {
    ZeroRedundancyOptimizer* const zero = as_zero(&optimizer);
    return zero ? zero->state_dict_of_rank() : optimizer.state_dict();
  }

  /// Implements amp::detail::FoundInfReduction.
  static std::optional<bool> found_inf(const optim::Optimizer& optimizer, std::optional<bool> own) {
    if (!is_initialized()) return own;
    std::vector<Group> groups;  // among whose ranks gradients are divided
    const auto add = [&](const Group& group) {
      if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
    };
    for (const Tensor& p : numbered_params(optimizer))
      if (const auto sharding = find_sharding(p)) add(sharding->group());
    const auto* const zero = dynamic_cast<const ZeroRedundancyOptimizer*>(&optimizer);
    if (zero && zero->has_sharded_gradients()) add(zero->group());
    if (groups.empty()) return own;
    // 0: no gradient, 1: all are finite, 2: one is not.
    const Tensor found = full({}, own ? (*own ? 2.0 : 1.0) : 0.0, {.dtype = DType::f64});
    for (const Group& group : groups) all_reduce(found, {.op = ReduceOp::max, .group = group});
    const auto number = found.item<double>();
    return number == 0 ? std::nullopt : std::optional(number == 2);
  }
};

void enable_rank_exchange() {
  amp::detail::set_found_inf_reduction(&TrainerExchange::found_inf);
  train::detail::set_rank_exchange([]() -> const train::detail::RankExchange* {
    static const NeverDestroyed<TrainerExchange> exchange;
    return is_initialized() ? &*exchange : nullptr;
  });
}

}  // namespace taper::distributed
