// MixUp and CutMix: transforms that combine the examples of a batch.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "taper/core/api.h"
#include "taper/data/transforms/transform.h"

namespace TAPER_API taper {
namespace data::transforms {

/// Options of MixUp and CutMix.
struct MixOptions {
  double alpha = 1;  ///< of the distribution Beta(alpha, alpha) of the weights; positive
  std::optional<std::int64_t> num_classes{};  ///< required if labels are indices
};

/// Base class of MixUp and CutMix. A call combines each image of a batch `(N, C, H, W)`, and its
/// label, with the one before it in the batch. Labels are indices `(N)` or probabilities
/// `(N, num_classes)`; those of the result are probabilities.
class MixTransform {
 public:
  /// Throws ValueError unless alpha is positive.
  MixTransform(std::string name, MixOptions options);
  virtual ~MixTransform() = default;
  const std::string& name() const { return name_; }

  /// Returns the parameters of a call, a dict.
  virtual Value make_params(const Tensor& images, const Generator& generator) const = 0;
  /// Combines images with given parameters.
  virtual Tensor transform(const Tensor& images, const Value& params) const = 0;
  /// Combines labels with given parameters.
  Tensor transform_labels(const Tensor& labels, const Value& params) const;
  /// Returns the combined images and labels. Throws ValueError if the shapes do not match, or if
  /// labels are indices and `num_classes` is not given.
  [[nodiscard]] std::pair<Tensor, Tensor> operator()(const Tensor& images, const Tensor& labels,
                                                     const TransformContext& context = {}) const;

 protected:
  /// Draws the weight of the images from Beta(alpha, alpha).
  double draw_weight(const Generator& generator) const;
  /// Returns the weight of the labels.
  virtual double label_weight(const Value& params) const = 0;

 private:
  /// Returns labels as probabilities.
  Tensor probabilities(const Tensor& labels) const;

  std::string name_;
  MixOptions options_;
};

/// Returns lam * image + (1 - lam) * other image. Images must be floating-point tensors. Parameter:
/// lam. PyTorch: torchvision.transforms.v2.MixUp.
class MixUp final : public MixTransform {
 public:
  explicit MixUp(MixOptions options = {}) : MixTransform("MixUp", options) {}
  Value make_params(const Tensor& images, const Generator& generator) const override;
  Tensor transform(const Tensor& images, const Value& params) const override;

 private:
  double label_weight(const Value& params) const override;
};

/// Replaces a random rectangle of each image by that of the other image. Parameters: box (left,
/// top, right, bottom), lam_adjusted (share of the remaining area).
/// PyTorch: torchvision.transforms.v2.CutMix.
class CutMix final : public MixTransform {
 public:
  explicit CutMix(MixOptions options = {}) : MixTransform("CutMix", options) {}
  Value make_params(const Tensor& images, const Generator& generator) const override;
  Tensor transform(const Tensor& images, const Value& params) const override;

 private:
  double label_weight(const Value& params) const override;
};

}  // namespace data::transforms
}  // namespace taper
