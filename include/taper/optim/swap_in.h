// swap_in_optimizer_params_and_state: temporary replacement of parameters and state.
#pragma once
#include <vector>

#include "taper/core/api.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Guard whose destructor restores the parameters, options and state of an optimizer. The guard
/// must not outlive the optimizer.
class SwappedOptimizer {
 public:
  ~SwappedOptimizer();
  SwappedOptimizer(const SwappedOptimizer&) = delete;
  SwappedOptimizer& operator=(const SwappedOptimizer&) = delete;

 private:
  friend SwappedOptimizer swap_in_optimizer_params_and_state(Optimizer&, const Value&,
                                                             const Value&);
  SwappedOptimizer(Optimizer& optimizer, std::vector<ParamGroup> groups);
  static SwappedOptimizer swap(Optimizer& optimizer, const Value& parameters, const Value& state);

  Optimizer& optimizer_;
  std::vector<ParamGroup> original_groups_;
};

/// Replaces the parameters and the state of `optimizer` while the result exists, so that its steps
/// update the given tensors. `swapin_parameters` is a dict of tensors in the order of the
/// parameters of all groups; `swapin_optim_state` has the form of Optimizer::state_dict, and its
/// tensors are used without a copy.
///
///   {
///     const auto swapped = optim::swap_in_optimizer_params_and_state(opt, params, state);
///     opt.step();  // changes the tensors of params and state
///   }
///
/// Throws RuntimeError, without any change, if the number of tensors, groups or parameters of a
/// group differs or if an entry does not have the form of a state dict.
/// PyTorch: torch.optim.swap_in_optimizer_params_and_state.
[[nodiscard]] SwappedOptimizer swap_in_optimizer_params_and_state(Optimizer& optimizer,
                                                                  const Value& swapin_parameters,
                                                                  const Value& swapin_optim_state);

}  // namespace optim
}  // namespace taper
