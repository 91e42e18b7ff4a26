// Linear and Identity layers.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Options of Linear.
struct LinearOptions {
  bool bias = true;  ///< adds a learnable bias
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(bias)
};

/// Applies y = x W^T + b to the last dimension: `(..., in_features)` to `(..., out_features)`.
/// PyTorch: torch.nn.Linear.
///
/// weight `(out_features, in_features)` and bias `(out_features)` are initialized from the uniform
/// distribution on [-k, k), k = 1 / sqrt(in_features).
class Linear : public Layer<Linear> {
 public:
  /// Throws ValueError if a size is negative.
  Linear(IntArg in_features, IntArg out_features, const LinearOptions& options = {});
  template <detail::OptionByPosition O>
  Linear(IntArg, IntArg, const O&, ...) = delete;  // options are named: {.bias = false}

  std::int64_t in_features, out_features;
  Parameter weight;
  std::optional<Parameter> bias;
  TAPER_LAYER(Linear)

  /// Re-initializes all parameters from the default generator.
  void reset_parameters();
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;

 protected:
  /// Creates uninitialized parameters because in_features is unknown.
  Linear(std::nullopt_t, IntArg out_features, const LinearOptions& options);
};

/// Returns its input unchanged. Constructor arguments are accepted and ignored.
/// PyTorch: torch.nn.Identity.
class Identity : public Layer<Identity> {
 public:
  template <class... Ignored>
  requires(!(std::is_base_of_v<Module, std::remove_cvref_t<Ignored>> ||
             ...)) explicit Identity(const Ignored&...) {}
  TAPER_LAYER(Identity)

  Tensor forward(const Tensor& input) const { return called(input); }
};

}  // namespace nn
}  // namespace taper
