// Transforms that consist of other transforms.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/data/transforms/transform.h"

namespace TAPER_API taper {
namespace data::transforms {

/// Base class of the transforms that consist of others. Throws ValueError for an empty list.
class TransformList : public Transform {
 public:
  TransformList(const std::string& name, std::vector<AnyTransform> transforms);
  const std::vector<AnyTransform>& transforms() const { return transforms_; }

 protected:
  /// Applies all transforms, one after the other.
  std::vector<Tensor> apply_all(std::vector<Tensor> images, const TransformContext& context) const;

 private:
  std::vector<AnyTransform> transforms_;
};

/// Applies transforms one after the other. PyTorch: torchvision.transforms.v2.Compose.
class Compose final : public TransformList {
 public:
  explicit Compose(std::vector<AnyTransform> transforms);
  std::string name() const override { return "Compose"; }
  std::vector<Tensor> forward(const std::vector<Tensor>& images,
                              const TransformContext& context = {}) const override;
};

/// Applies all transforms, one after the other, with probability p, otherwise none. Throws
/// ValueError if p is not in [0, 1]. PyTorch: torchvision.transforms.v2.RandomApply.
class RandomApply final : public TransformList {
 public:
  explicit RandomApply(std::vector<AnyTransform> transforms, double p = 0.5);
  std::string name() const override { return "RandomApply"; }
  std::vector<Tensor> forward(const std::vector<Tensor>& images,
                              const TransformContext& context = {}) const override;

 private:
  double p_;
};

/// Applies one of the transforms, chosen with probabilities proportional to `p`; by default, with
/// equal probabilities. Throws ValueError for negative weights, or if their number does not match,
/// or their sum is not positive. PyTorch:
/// torchvision.transforms.v2.RandomChoice.
class RandomChoice final : public TransformList {
 public:
  explicit RandomChoice(std::vector<AnyTransform> transforms, std::vector<double> p = {});
  std::string name() const override { return "RandomChoice"; }
  std::vector<Tensor> forward(const std::vector<Tensor>& images,
                              const TransformContext& context = {}) const override;

 private:
  Tensor probabilities_;
};

/// Applies all transforms in a random order. PyTorch: torchvision.transforms.v2.RandomOrder.
class RandomOrder final : public TransformList {
 public:
  explicit RandomOrder(std::vector<AnyTransform> transforms);
  std::string name() const override { return "RandomOrder"; }
  std::vector<Tensor> forward(const std::vector<Tensor>& images,
                              const TransformContext& context = {}) const override;
};

/// Applies a function to each image. PyTorch: torchvision.transforms.v2.Lambda.
class Lambda final : public Transform {
 public:
  explicit Lambda(SharedFunction<Tensor(const Tensor&)> function)
      : function_(std::move(function)) {}
  TAPER_TRANSFORM(Lambda)

 private:
  SharedFunction<Tensor(const Tensor&)> function_;
};

}  // namespace data::transforms
}  // namespace taper
