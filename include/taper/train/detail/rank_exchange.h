// RankExchange: numbers and values of the ranks that train a module together.
#pragma once
#include <span>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"
#include "taper/nn/module_base.h"
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
  /// Returns true if the ranks compute parts of the layers of the module for the same batch.
  virtual bool shares_batches(const nn::Module& module) const = 0;
  /// Returns the norm of the whole gradients of the parameters of a module, which the optimizers
  /// update. Collective.
  virtual Tensor grad_norm(const nn::Module& module,
                           std::span<optim::Optimizer* const> optimizers) const = 0;
  /// Return the state dict in the form of one process on rank 0, and one whose contents are
  /// unspecified on others. Collective.
  virtual Value whole_state(const nn::Module& module) const = 0;
  virtual Value whole_state(optim::Optimizer& optimizer) const = 0;
  /// Load such a state dict, of which the rank retains its part. Not collective.
  virtual void load_whole_state(nn::Module& module, const Value& state) const = 0;
  virtual void load_whole_state(optim::Optimizer& optimizer, const Value& state) const = 0;
  /// Returns a state dict with the part of this rank, which Optimizer::load_state_dict accepts. Not
  /// collective.
  virtual Value own_state(optim::Optimizer& optimizer) const = 0;
};

/// Function that returns the exchange of the calling rank; null if it is not one of a group.
using RankExchangeProvider = const RankExchange* (*)();
/// Sets the provider, which is null until process groups are initialized.
void set_rank_exchange(RankExchangeProvider provider) noexcept;
/// Returns the exchange of the calling rank; null if it is not one of a group.
const RankExchange* rank_exchange();

}  // namespace train::detail
}  // namespace taper
