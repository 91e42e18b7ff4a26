// Stochastic gradient descent.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

struct SGDOptions {
  Scalar lr = 1e-3;               ///< learning rate
  Scalar momentum = 0;            ///< how much of the last step is kept
  Scalar dampening = 0;           ///< how little of the new gradient enters the momentum
  Scalar weight_decay = 0;        ///< L2 penalty
  bool nesterov = false;          ///< look ahead along the momentum; needs one, without dampening
  bool maximize = false;          ///< climb instead
  std::optional<bool> foreach{};  ///< kept for files: every step is one fused pass here
  std::optional<bool> fused{};    ///< the same
};

/// Moves each parameter p against its gradient g, in one pass over its elements:
///
///     g = ±g + weight_decay * p
///     b = momentum * b + (1 - dampening) * g    (the first time: b = g)
///     p = p - lr * (nesterov ? g + momentum * b : b)
///
/// without the middle line if momentum is 0. State: `momentum_buffer`. PyTorch: torch.optim.SGD.
///
///     optim::SGD opt(net.parameters(), {.lr = 0.1, .momentum = 0.9});
///
/// Throws ValueError for negative numbers, for nesterov without momentum or with dampening, and for
/// an empty list of parameters.
class SGD : public Optimizer {
 public:
  explicit SGD(Params params, const SGDOptions& options = {});
  std::string_view type_name() const override { return "SGD"; }

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
