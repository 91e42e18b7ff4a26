// Transform: base class of invertible maps with computable Jacobian determinants.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "taper/distributions/constraints.h"

namespace TAPER_API taper {
namespace distributions::transforms {

class AnyTransform;

/// Abstract base class of maps of tensors with the logarithm of the absolute determinant of the
/// Jacobian. Transforms are values. PyTorch: torch.distributions.transforms.Transform.
class Transform {
 public:
  virtual ~Transform() = default;

  /// Returns the value at `x`. With a cache, the tensors of the last call are stored, and
  /// `inverse` of the result is `x` itself.
  Tensor operator()(const Tensor& x) const;
  /// Returns the inverse at `y`. PyTorch: `transform.inv(y)`.
  Tensor inverse(const Tensor& y) const;
  /// Returns the inverse map. PyTorch: torch.distributions.transforms.Transform.inv.
  virtual AnyTransform inv() const;
  /// Returns log |dy / dx| for y = transform(x): the shape of the input without the dimensions of
  /// an event. PyTorch: torch.distributions.transforms.Transform.log_abs_det_jacobian.
  virtual Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const;
  /// Return the constraints of valid inputs and outputs. PyTorch:
  /// torch.distributions.transforms.Transform.domain,
  /// torch.distributions.transforms.Transform.codomain.
  virtual Constraint domain() const = 0;
  virtual Constraint codomain() const = 0;
  /// Returns true if the map is one-to-one.
  /// PyTorch: torch.distributions.transforms.Transform.bijective.
  virtual bool bijective() const { return false; }
  /// Returns the sign of the derivative of a monotone map, +1 or -1, or a tensor of signs. Throws
  /// NotImplementedError for other maps. PyTorch: torch.distributions.transforms.Transform.sign.
  virtual TensorOrNumber sign() const;
  /// Returns the number of dimensions of an event. Throws ValueError if those of domain and
  /// codomain differ. PyTorch: torch.distributions.transforms.Transform.event_dim.
  std::int64_t event_dim() const;
  /// Return the shape of the output for that of an input, and vice versa. PyTorch:
  /// torch.distributions.transforms.Transform.forward_shape,
  /// torch.distributions.transforms.Transform.inverse_shape.
  virtual Shape forward_shape(const Shape& shape) const { return shape; }
  virtual Shape inverse_shape(const Shape& shape) const { return shape; }
  /// Returns the transform with a cache of the given size. Throws ValueError unless it is 0 or 1.
  /// PyTorch: torch.distributions.transforms.Transform.with_cache.
  AnyTransform with_cache(IntArg cache_size = 1) const;
  /// Returns Python's printed form: "ExpTransform()".
  virtual std::string str() const { return std::string(name_) + "()"; }
  /// Returns true if `other` is known to compute the same map. PyTorch: `a == b`.
  virtual bool equals(const Transform& other) const;
  /// Returns a copy.
  virtual std::shared_ptr<Transform> clone() const = 0;

 protected:
  explicit Transform(const char* name) : name_(name) {}
  Transform(const Transform&) = default;
  Transform& operator=(const Transform&) = default;

  virtual Tensor compute(const Tensor& x) const;
  virtual Tensor compute_inverse(const Tensor& y) const;
  virtual void set_cache(std::int64_t size);
  [[noreturn]] void not_implemented(const char* member) const;

 private:
  struct Cache;
  const char* name_;
  std::shared_ptr<Cache> cache_;
};

/// Copyable holder of a transform of any class.
class AnyTransform {
 public:
  AnyTransform(const Transform& transform) : held_(transform.clone()) {}
  AnyTransform(std::shared_ptr<const Transform> transform) : held_(std::move(transform)) {}
  const Transform& operator*() const { return *held_; }
  const Transform* operator->() const { return held_.get(); }
  Tensor operator()(const Tensor& x) const { return (*held_)(x); }
  /// Returns the transform as a T; null if it has another class.
  template <class T> const T* as() const { return dynamic_cast<const T*>(held_.get()); }

 private:
  std::shared_ptr<const Transform> held_;
};

/// Implements `clone` of a class T: `class ExpTransform : public TransformOf<ExpTransform>`.
template <class T> class TransformOf : public Transform {
 public:
  std::shared_ptr<Transform> clone() const override {
    return std::make_shared<T>(static_cast<const T&>(*this));
  }

 protected:
  using Transform::Transform;
};

std::ostream& operator<<(std::ostream& stream, const Transform& transform);

}  // namespace distributions::transforms
}  // namespace taper
