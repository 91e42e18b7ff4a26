// RankExchange: numbers and values of the ranks that train a module together.
#pragma once
#include <span>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace train::detail {

/// Collectives that Trainer requires. Implemented by taper::distributed for its default group.
class RankExchange {
 public:
  virtual ~RankExchange() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Replace each number by its sum, or its maximum, over all ranks.
  virtual void sum(std::span<double> numbers) const = 0;
  virtual void max(std::span<double> numbers) const = 0;
  /// Returns the values of all ranks, in rank order.
  virtual Values all_gather(const Value& value) const = 0;
  /// Return true if each rank has only a part of the parameter, of the state of the optimizer, or
  /// of the gradients of its parameters.
  virtual bool is_sharded(const Tensor& parameter) const = 0;
  virtual bool has_sharded_state(const optim::Optimizer& optimizer) const = 0;
  virtual bool has_sharded_gradients(const optim::Optimizer& optimizer) const = 0;
};

/// Function that returns the exchange of the calling rank; null if it trains alone.
using RankExchangeProvider = const RankExchange* (*)();
/// Sets the provider, which is null until process groups are initialized.
void set_rank_exchange(RankExchangeProvider provider) noexcept;
/// Returns the exchange of the calling rank; null if it trains alone.
const RankExchange* rank_exchange();

}  // namespace train::detail
}  // namespace taper
