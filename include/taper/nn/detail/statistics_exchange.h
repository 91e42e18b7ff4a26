// StatisticsExchange: sums and copies of statistics over the ranks that train a module.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::detail {

/// Collectives that layers require. Implemented by taper::distributed for its default group.
class StatisticsExchange {
 public:
  virtual ~StatisticsExchange() = default;
  /// Returns the vector `t` `(n)` of all ranks as the rows of a matrix `(world, n)`.
  virtual Tensor all_gather(const Tensor& t) const = 0;
  /// Returns the sum of `t` over all ranks.
  virtual Tensor sum(const Tensor& t) const = 0;
};

/// Function that returns the exchange of the calling rank; null if it trains alone.
using StatisticsExchangeProvider = const StatisticsExchange* (*)();
/// Sets the provider, which is null until process groups are initialized.
void set_statistics_exchange(StatisticsExchangeProvider provider) noexcept;
/// Returns the exchange of the calling rank; null if it trains alone.
const StatisticsExchange* statistics_exchange();

}  // namespace nn::detail
}  // namespace taper
