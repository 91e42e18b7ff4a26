// Affine maps.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

struct LinearOptions {
  bool bias = true;
  TAPER_FACTORY_OPTIONS
};

/// y = x W^T + b for the last dimension: `(..., in_features)` to `(..., out_features)`.
/// PyTorch: torch.nn.Linear.
///
/// weight `(out_features, in_features)` and bias `(out_features)` start uniform in [-k, k),
/// k = 1 / sqrt(in_features).
class Linear : public Module {
 public:
  /// Throws ValueError for negative sizes.
  Linear(IntArg in_features, IntArg out_features, const LinearOptions& options = {});

  std::int64_t in_features, out_features;
  Parameter weight;
  std::optional<Parameter> bias;
  TAPER_LAYER(Linear)

  /// Draws the initial values again.
  void reset_parameters();
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;

 protected:
  /// With in_features unknown: parameters are uninitialized.
  Linear(std::nullopt_t, IntArg out_features, const LinearOptions& options);
};

/// Gives its input back. Takes any arguments and ignores them. PyTorch: torch.nn.Identity.
class Identity : public Module {
 public:
  template <class... Ignored>
  requires(!(std::is_base_of_v<Module, std::remove_cvref_t<Ignored>> ||
             ...)) explicit Identity(const Ignored&...) {}
  TAPER_LAYER(Identity)

  Tensor forward(const Tensor& input) const { return input; }
};

}  // namespace nn
}  // namespace taper
