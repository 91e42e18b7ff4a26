#include "dist/rank_exchange.h"

#include <algorithm>

#include "taper/core/factory.h"
#include "taper/dist/collectives.h"
#include "taper/dist/objects.h"
#include "taper/dist/sharded_state.h"
#include "taper/dist/zero_redundancy_optimizer.h"
#include "taper/train/detail/rank_exchange.h"

namespace taper::distributed {
namespace {

void reduce_over_ranks(std::span<double> numbers, ReduceOp op) {
  const Tensor all = tensor(std::span<const double>(numbers), Shape(numbers.size()));
  all_reduce(all, {.op = op});
  const auto reduced = all.data<double>();
  std::copy(reduced.begin(), reduced.end(), numbers.begin());
}

class DefaultGroupExchange final : public train::detail::RankExchange {
 public:
  int rank() const override { return get_rank(); }
  int size() const override { return get_world_size(); }
  void sum(std::span<double> numbers) const override { reduce_over_ranks(numbers, ReduceOp::sum); }
  void max(std::span<double> numbers) const override { reduce_over_ranks(numbers, ReduceOp::max); }
  Values all_gather(const Value& value) const override { return all_gather_object(value); }
  bool is_sharded(const Tensor& parameter) const override {
    return distributed::is_sharded(parameter);
  }
  bool has_sharded_state(const optim::Optimizer& optimizer) const override {
    return dynamic_cast<const ZeroRedundancyOptimizer*>(&optimizer) != nullptr;
  }
  bool has_sharded_gradients(const optim::Optimizer& optimizer) const override {
    const auto* const zero = dynamic_cast<const ZeroRedundancyOptimizer*>(&optimizer);
    return zero && zero->has_sharded_gradients();
  }
};

}  // namespace

void enable_rank_exchange() {
  train::detail::set_rank_exchange([]() -> const train::detail::RankExchange* {
    static const DefaultGroupExchange exchange;
    return is_initialized() && get_world_size() > 1 ? &exchange : nullptr;
  });
}

}  // namespace taper::distributed
