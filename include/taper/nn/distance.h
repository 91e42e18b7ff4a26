// Distance and bilinear layers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/functional/distance.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

using CosineSimilarityOptions = functional::CosineSimilarityFuncOptions;

/// Computes x1 x2 / (max(|x1|, eps) * max(|x2|, eps)) along `dim`.
/// PyTorch: torch.nn.CosineSimilarity.
class CosineSimilarity : public Layer<CosineSimilarity, Configured<CosineSimilarityOptions>> {
 public:
  explicit CosineSimilarity(const CosineSimilarityOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(CosineSimilarity)
  static constexpr const char* forward_signature = "x1, x2";
  Tensor forward(const Tensor& x1, const Tensor& x2) const;
};

using PairwiseDistanceOptions = functional::PairwiseDistanceFuncOptions;

/// Computes the p-norm of x1 - x2 + eps along the last dimension.
/// PyTorch: torch.nn.PairwiseDistance.
class PairwiseDistance : public Layer<PairwiseDistance> {
 public:
  explicit PairwiseDistance(const PairwiseDistanceOptions& options = {})
      : norm(options.p), eps(options.eps), keepdim(options.keepdim) {}
  explicit PairwiseDistance(detail::NoOptions) : PairwiseDistance(PairwiseDistanceOptions{}) {}
  double norm, eps;
  bool keepdim;
  TAPER_LAYER(PairwiseDistance)
  static constexpr const char* forward_signature = "x1, x2";
  Tensor forward(const Tensor& x1, const Tensor& x2) const;
};

/// Options of Bilinear.
struct BilinearOptions {
  bool bias = true;  ///< adds a learnable bias
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(bias)
};

/// Computes y_k = x1^T W_k x2 + b_k: `(*, in1_features)` and `(*, in2_features)` to
/// `(*, out_features)`. PyTorch: torch.nn.Bilinear.
///
/// weight `(out_features, in1_features, in2_features)` and bias `(out_features)` are initialized
/// from the uniform distribution on [-k, k), k = 1 / sqrt(in1_features).
class Bilinear : public Layer<Bilinear> {
 public:
  /// Throws ValueError if in1_features is not positive or another size is negative.
  Bilinear(IntArg in1_features, IntArg in2_features, IntArg out_features,
           const BilinearOptions& options = {});
  std::int64_t in1_features, in2_features, out_features;
  Parameter weight;
  std::optional<Parameter> bias;
  TAPER_LAYER(Bilinear)
  static constexpr const char* forward_signature = "input1, input2";

  /// Re-initializes all parameters from the default generator.
  void reset_parameters();
  Tensor forward(const Tensor& input1, const Tensor& input2) const;
  std::string extra_repr() const override;
};

}  // namespace nn
}  // namespace taper
