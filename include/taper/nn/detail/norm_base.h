// NormBase: common base of batch and instance normalization.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Options of the batch normalization layers.
struct BatchNormOptions {
  FloatArg eps = 1e-5;  ///< added to the variance
  /// Weight of the batch statistics in the running statistics; if empty, the running statistics are
  /// the cumulative average over all batches.
  std::optional<FloatArg> momentum = 0.1;
  bool affine = true;  ///< learns a weight and a bias per channel
  /// Maintains running statistics for evaluation.
  bool track_running_stats = true;
  bool bias = true;  ///< if false, `affine` learns a weight only
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(eps, momentum, affine, track_running_stats, bias)
};
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;
using BatchNorm3dOptions = BatchNormOptions;

/// Base of the normalization layers with statistics per channel. weight `(C)` is initialized to 1,
/// bias `(C)` to 0. State: weight, bias, running_mean, running_var, num_batches_tracked; the last
/// is absent from files older than version 2. PyTorch: torch.nn.modules.batchnorm._NormBase.
class NormBase : public Module {
 public:
  std::int64_t num_features;
  double eps;
  std::optional<double> momentum;
  bool affine, track_running_stats;
  std::optional<Parameter> weight, bias;
  std::optional<Buffer> running_mean, running_var, num_batches_tracked;

  /// Resets running_mean to 0, running_var to 1 and num_batches_tracked to 0.
  void reset_running_stats();
  /// Resets the running statistics, weight to 1 and bias to 0.
  void reset_parameters();
  std::int64_t version() const override { return 2; }
  void load_from_state_dict(LoadState& state) override;
  std::string extra_repr() const override;

 protected:
  /// Throws ValueError if `features` is negative. Without `features`, weight, bias and running
  /// statistics are uninitialized.
  NormBase(std::optional<std::int64_t> features, const BatchNormOptions& options);
  explicit NormBase(NormBase&) = default;
  NormBase(NormBase&&) noexcept = default;
  NormBase& operator=(NormBase&&) = default;
  /// Initializes the tensors of a lazy layer for an input with `features` channels. If tensors were
  /// loaded, their size takes precedence.
  void infer_from(std::int64_t features);

 private:
  void materialize(std::int64_t features);
};

}  // namespace nn
}  // namespace taper
