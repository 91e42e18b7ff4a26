// What batch and instance normalisation have in common.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

struct BatchNormOptions {
  double eps = 1e-5;  ///< added to the variance
  /// Weight of a batch in the running statistics; none: the plain average of all batches.
  std::optional<double> momentum = 0.1;
  bool affine = true;  ///< learn a weight and a bias per channel
  bool track_running_stats = true;
  bool bias = true;  ///< false with affine: a weight only
  TAPER_FACTORY_OPTIONS
};

/// weight `(C)` starts at 1, bias `(C)` at 0. State: weight, bias, running_mean, running_var,
/// num_batches_tracked; files older than layout 2 lack the last.
class NormBase : public Module {
 public:
  std::int64_t num_features;
  double eps;
  std::optional<double> momentum;
  bool affine, track_running_stats;
  std::optional<Parameter> weight, bias;
  std::optional<Buffer> running_mean, running_var, num_batches_tracked;

  /// Statistics as they were before the first batch.
  void reset_running_stats();
  /// That, and weight and bias as they were.
  void reset_parameters();
  std::int64_t version() const override { return 2; }
  void load_from_state_dict(LoadState& state) override;
  std::string extra_repr() const override;

 protected:
  /// Throws ValueError for a negative number. Without `features` all tensors are uninitialized.
  NormBase(std::optional<std::int64_t> features, const BatchNormOptions& options);
  explicit NormBase(NormBase&) = default;
  NormBase(NormBase&&) noexcept = default;
  NormBase& operator=(NormBase&&) = default;
  /// What the first call of a lazy one does, for an input of so many channels. Tensors that were
  /// loaded say better how many there are.
  void infer_from(std::int64_t features);

 private:
  void materialize(std::int64_t features);
};

}  // namespace nn
}  // namespace taper
