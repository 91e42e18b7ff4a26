// Batch normalisation.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/nn/layer.h"

namespace taper::nn {

struct BatchNormOptions {
  double eps = 1e-5;  ///< added to the variance
  /// Weight of a batch in the running statistics; none: the plain average of all batches.
  std::optional<double> momentum = 0.1;
  bool affine = true;  ///< learn a weight and a bias per channel
  bool track_running_stats = true;
  bool bias = true;                ///< false with affine: a weight only
  std::optional<DType> dtype{};    ///< default: default_dtype()
  std::optional<Device> device{};  ///< default: cpu
};

/// What the three have. In training each channel is brought to mean 0 and variance 1 by the
/// statistics of the batch, which move the running ones; in evaluation by the running ones, if they
/// are tracked. weight `(C)` starts at 1, bias `(C)` at 0. State: weight, bias, running_mean,
/// running_var, num_batches_tracked; files older than layout 2 lack the last.
class BatchNormBase : public Module {
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
  BatchNormBase(std::int64_t features, const BatchNormOptions& options);
  explicit BatchNormBase(const BatchNormBase&) = default;
  BatchNormBase(BatchNormBase&&) noexcept = default;
  BatchNormBase& operator=(BatchNormBase&&) = default;
  /// Throws ValueError for a rank outside of [least, most].
  Tensor normalised(const Tensor& input, std::int64_t least, std::int64_t most);
};

/// Over `(N, C)` or `(N, C, L)`. PyTorch: torch.nn.BatchNorm1d.
class BatchNorm1d : public BatchNormBase {
 public:
  explicit BatchNorm1d(std::int64_t features, const BatchNormOptions& options = {})
      : BatchNormBase(features, options) {}
  TAPER_LAYER(BatchNorm1d)
  Tensor forward(const Tensor& input);
};

/// Over `(N, C, H, W)`. PyTorch: torch.nn.BatchNorm2d.
class BatchNorm2d : public BatchNormBase {
 public:
  explicit BatchNorm2d(std::int64_t features, const BatchNormOptions& options = {})
      : BatchNormBase(features, options) {}
  TAPER_LAYER(BatchNorm2d)
  Tensor forward(const Tensor& input);
};

/// Over `(N, C, D, H, W)`. PyTorch: torch.nn.BatchNorm3d.
class BatchNorm3d : public BatchNormBase {
 public:
  explicit BatchNorm3d(std::int64_t features, const BatchNormOptions& options = {})
      : BatchNormBase(features, options) {}
  TAPER_LAYER(BatchNorm3d)
  Tensor forward(const Tensor& input);
};

}  // namespace taper::nn
