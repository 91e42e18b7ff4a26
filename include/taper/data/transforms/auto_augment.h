// Policies of automatic augmentation, which apply random operations to an image.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/data/transforms/numbers.h"
#include "taper/data/transforms/transform.h"

namespace TAPER_API taper {
namespace data::transforms {

// The operations and the ranges of their magnitudes are listed in docs/transforms.md. Images have 1
// or 3 channels. `forward` accepts a single image; the observer of the context receives {"op",
// "magnitude"} for each operation.

/// Base class of the policies.
class AugmentationPolicy : public Transform {
 public:
  /// Throws ValueError unless there is one image, ShapeError unless it has 1 or 3 channels.
  std::vector<Tensor> forward(const std::vector<Tensor>& images,
                              const TransformContext& context = {}) const final;
  /// Augments an image with numbers of the default generator; `params` are not used.
  Tensor transform(const Tensor& image, const Value& params) const final;

 protected:
  AugmentationPolicy(std::string interpolation, Numbers fill)
      : interpolation_(std::move(interpolation)), fill_(std::move(fill)) {}
  /// Applies random operations to an image.
  virtual Tensor augment(const Tensor& image, const TransformContext& context) const = 0;
  /// Applies an operation and reports it to the observer.
  Tensor apply_operation(const Tensor& image, const std::string& op, double magnitude,
                         const TransformContext& context) const;

 private:
  std::string interpolation_;
  Numbers fill_;
};

/// Options of AutoAugment.
struct AutoAugmentOptions {
  std::string policy = "imagenet";        ///< "imagenet", "cifar10" or "svhn"
  std::string interpolation = "nearest";  ///< as in WarpOptions
  Numbers fill{};                         ///< as in WarpOptions
};

/// Applies one of 25 pairs of operations, each with its probability and magnitude (Cubuk et al.,
/// 2019). Throws ValueError for an unknown policy. PyTorch: torchvision.transforms.v2.AutoAugment.
class AutoAugment final : public AugmentationPolicy {
 public:
  explicit AutoAugment(AutoAugmentOptions options = {});
  std::string name() const override { return "AutoAugment"; }

 private:
  Tensor augment(const Tensor& image, const TransformContext& context) const override;
  std::string policy_;
};

/// Options of RandAugment.
struct RandAugmentOptions {
  std::int64_t num_ops = 2;               ///< number of operations
  std::int64_t magnitude = 9;             ///< index of the magnitude of all operations
  std::int64_t num_magnitude_bins = 31;   ///< number of different magnitudes
  std::string interpolation = "nearest";  ///< as in WarpOptions
  Numbers fill{};                         ///< as in WarpOptions
};

/// Applies random operations with a common magnitude (Cubuk et al., 2020). Throws ValueError for a
/// negative number of operations or a magnitude outside of [0, num_magnitude_bins).
/// PyTorch: torchvision.transforms.v2.RandAugment.
class RandAugment final : public AugmentationPolicy {
 public:
  explicit RandAugment(RandAugmentOptions options = {});
  std::string name() const override { return "RandAugment"; }

 private:
  Tensor augment(const Tensor& image, const TransformContext& context) const override;
  std::int64_t num_ops_, magnitude_, num_magnitude_bins_;
};

/// Options of TrivialAugmentWide.
struct TrivialAugmentWideOptions {
  std::int64_t num_magnitude_bins = 31;   ///< number of different magnitudes
  std::string interpolation = "nearest";  ///< as in WarpOptions
  Numbers fill{};                         ///< as in WarpOptions
};

/// Applies one random operation with a random magnitude (Mueller and Hutter, 2021). Throws
/// ValueError unless the number of magnitudes is positive.
/// PyTorch: torchvision.transforms.v2.TrivialAugmentWide.
class TrivialAugmentWide final : public AugmentationPolicy {
 public:
  explicit TrivialAugmentWide(TrivialAugmentWideOptions options = {});
  std::string name() const override { return "TrivialAugmentWide"; }

 private:
  Tensor augment(const Tensor& image, const TransformContext& context) const override;
  std::int64_t num_magnitude_bins_;
};

/// Options of AugMix.
struct AugMixOptions {
  std::int64_t severity = 3;       ///< magnitudes are drawn from the first of 10; 1 to 10
  std::int64_t mixture_width = 3;  ///< number of chains of operations
  std::int64_t chain_depth = -1;   ///< operations of a chain; if not positive, random 1 to 3
  double alpha = 1;                ///< of the Dirichlet distributions of the weights
  bool all_ops = true;             ///< includes brightness, color, contrast and sharpness
  std::string interpolation = "bilinear";  ///< as in WarpOptions
  Numbers fill{};                          ///< as in WarpOptions
};

/// Returns a random mixture of an image and of chains of operations on it (Hendrycks et al., 2020).
/// Throws ValueError for a severity outside of [1, 10], and for a width or alpha that is not
/// positive. PyTorch: torchvision.transforms.v2.AugMix.
class AugMix final : public AugmentationPolicy {
 public:
  explicit AugMix(AugMixOptions options = {});
  std::string name() const override { return "AugMix"; }

 private:
  Tensor augment(const Tensor& image, const TransformContext& context) const override;
  AugMixOptions options_;
};

}  // namespace data::transforms
}  // namespace taper
