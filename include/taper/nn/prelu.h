// PReLU layer.
#pragma once
#include <concepts>

#include "taper/core/api.h"
#include "taper/nn/layer.h"
#include "taper/nn/parameter.h"

namespace TAPER_API taper {
namespace nn {

/// Options of PReLU.
struct PReLUOptions {
  IntArg num_parameters = 1;  ///< 1, or the number of channels
  FloatArg init = 0.25;       ///< initial slope
  TAPER_FACTORY_OPTIONS
};

/// Applies PReLU(x) = x if x > 0, otherwise weight * x, to an input `(N, C, *)`, where `weight` has
/// one element, or one per channel. PyTorch: torch.nn.PReLU.
///
/// weight, of shape `(num_parameters)`, is initialized to `init`.
class PReLU : public Layer<PReLU> {
 public:
  explicit PReLU(const PReLUOptions& options = {});
  explicit PReLU(detail::NoOptions) : PReLU(PReLUOptions{}) {}
  template <std::convertible_to<IntArg> N>
  explicit PReLU(N parameters, const PReLUOptions& options = {})
      : PReLU(PReLUOptions{parameters, options.init, options.dtype, options.device}) {}

  std::int64_t num_parameters;
  double init;
  Parameter weight;
  TAPER_LAYER(PReLU)

  /// Resets weight to `init`.
  void reset_parameters();
  /// Throws ShapeError unless num_parameters is 1 or the number of channels.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

}  // namespace nn
}  // namespace taper
