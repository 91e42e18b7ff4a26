// Transform: base class of the transforms of images.
#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/shared_function.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace data::transforms {

/// Random numbers of a call of a transform, and an optional observer.
struct TransformContext {
  Generator generator = default_generator();
  /// Called with the class name and the parameters when a transform, or one inside it, has drawn
  /// parameters. Policies call it with {"op", "magnitude"} for each operation.
  SharedFunction<void(const std::string& name, const Value& params)> on_params{};
};

/// Transform of images of shape (..., C, H, W). `make_params` draws the random parameters of a
/// call, `transform` applies them to an image. A transform does not change when it is called, so
/// that it can be used by several threads, with a generator each.
/// PyTorch: torchvision.transforms.v2.Transform.
class Transform {
 public:
  virtual ~Transform() = default;
  /// Returns the class name.
  virtual std::string name() const = 0;
  /// Returns the parameters of a call with these images, a dict. Most classes draw from the
  /// generator. The default is an empty dict.
  virtual Value make_params(const std::vector<Tensor>& images, const Generator& generator) const;
  /// Applies the transform with given parameters to one image.
  virtual Tensor transform(const Tensor& image, const Value& params) const;
  /// Transforms images with the same parameters. Some classes return more images than they receive.
  virtual std::vector<Tensor> forward(const std::vector<Tensor>& images,
                                      const TransformContext& context = {}) const;
  /// Transforms one image. Throws ValueError if the result is not one image.
  Tensor operator()(const Tensor& image, const TransformContext& context = {}) const;

 protected:
  /// Draws parameters, reports them to the observer, and transforms the images.
  std::vector<Tensor> apply(const std::vector<Tensor>& images,
                            const TransformContext& context) const;
};

/// Base class of the transforms that are applied with probability p, otherwise return the images
/// unchanged.
class ProbableTransform : public Transform {
 public:
  /// Throws ValueError if p is not in [0, 1].
  explicit ProbableTransform(double p);
  std::vector<Tensor> forward(const std::vector<Tensor>& images,
                              const TransformContext& context = {}) const override;

 private:
  double p_;
};

/// Shared handle of a transform of any class. A transform converts to it.
class AnyTransform {
 public:
  template <std::derived_from<Transform> T> AnyTransform(T transform)
      : transform_(std::make_shared<const T>(std::move(transform))) {}
  /// Throws ValueError for a null pointer.
  AnyTransform(std::shared_ptr<const Transform> transform);

  const Transform& operator*() const { return *transform_; }
  const Transform* operator->() const { return transform_.get(); }
  Tensor operator()(const Tensor& image, const TransformContext& context = {}) const {
    return (*transform_)(image, context);
  }

 private:
  std::shared_ptr<const Transform> transform_;
};

}  // namespace data::transforms
}  // namespace taper

/// Members of a transform class.
#define TAPER_TRANSFORM(Name)                                                           \
  std::string name() const override { return #Name; }                                   \
  ::taper::Tensor transform(const ::taper::Tensor& image, const ::taper::Value& params) \
      const override;
/// As TAPER_TRANSFORM, for a class with parameters.
#define TAPER_RANDOM_TRANSFORM(Name)                                     \
  TAPER_TRANSFORM(Name)                                                  \
  ::taper::Value make_params(const std::vector<::taper::Tensor>& images, \
                             const ::taper::Generator& generator) const override;
