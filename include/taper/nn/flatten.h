// Flatten and Unflatten layers.
#pragma once
#include <cstdint>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/optional_fields.h"
#include "taper/nn/layer.h"
#include "taper/ops/call_arguments.h"

namespace TAPER_API taper {
namespace nn {

/// Options of Flatten.
struct FlattenOptions {
  ::taper::detail::FieldsByName by_name{};
  IntArg start_dim = 1;  ///< first dimension to flatten
  IntArg end_dim = -1;   ///< last dimension to flatten
  TAPER_OPTIONS(start_dim, end_dim)
};

/// Flattens dimensions start_dim to end_dim, inclusive, into one. By default, `(N, C, H, W)`
/// becomes `(N, C * H * W)`. PyTorch: torch.nn.Flatten.
class Flatten : public Layer<Flatten, Configured<FlattenOptions>> {
 public:
  explicit Flatten(const FlattenOptions& options = {}) : Layer(options) {}
  template <::taper::detail::IntegerArgument I> explicit Flatten(I first, IntArg last = -1)
      : Layer(FlattenOptions{.start_dim = first, .end_dim = last}) {}

  TAPER_LAYER(Flatten)

  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Expands dimension `dim` into dimensions of sizes `unflattened_size`, one of which may be -1 and
/// is inferred. PyTorch: torch.nn.Unflatten.
class Unflatten : public Layer<Unflatten> {
 public:
  Unflatten(IntArg which, const Shape& sizes) : dim(which), unflattened_size(sizes) {}

  std::int64_t dim;
  Shape unflattened_size;
  TAPER_LAYER(Unflatten)

  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

}  // namespace nn
}  // namespace taper
