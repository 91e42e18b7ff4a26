#include "taper/distributions/transform.h"

#include <mutex>
#include <ostream>
#include <typeinfo>

#include "distributions/shapes.h"
#include "taper/distributions/transforms.h"

namespace taper::distributions::transforms {

/// Tensors of the last call.
struct Transform::Cache {
  std::mutex mutex;
  Tensor x, y;
};

namespace {

/// View of the inverse of a transform.
class InverseTransform : public TransformOf<InverseTransform> {
 public:
  explicit InverseTransform(const AnyTransform& forward)
      : TransformOf("_InverseTransform"), forward_(forward) {}
  AnyTransform inv() const override { return forward_; }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override {
    return -forward_->log_abs_det_jacobian(y, x);
  }
  Constraint domain() const override { return forward_->codomain(); }
  Constraint codomain() const override { return forward_->domain(); }
  bool bijective() const override { return forward_->bijective(); }
  TensorOrNumber sign() const override { return forward_->sign(); }
  Shape forward_shape(const Shape& shape) const override { return forward_->inverse_shape(shape); }
  Shape inverse_shape(const Shape& shape) const override { return forward_->forward_shape(shape); }
  std::string str() const override { return "_InverseTransform(" + forward_->str() + ")"; }
  bool equals(const Transform& other) const override {
    const auto* o = dynamic_cast<const InverseTransform*>(&other);
    return o && forward_->equals(*o->forward_);
  }

 protected:
  Tensor compute(const Tensor& x) const override { return forward_->inverse(x); }
  Tensor compute_inverse(const Tensor& y) const override { return forward_(y); }
  void set_cache(std::int64_t size) override { forward_ = forward_->with_cache(size); }

 private:
  AnyTransform forward_;
};

}  // namespace

Tensor Transform::operator()(const Tensor& x) const {
  if (!cache_) return compute(x);
  {
    const std::lock_guard lock(cache_->mutex);
    if (cache_->x.is_same(x)) return cache_->y;
  }
  const Tensor y = compute(x);
  const std::lock_guard lock(cache_->mutex);
  cache_->x = x, cache_->y = y;
  return y;
}
Tensor Transform::inverse(const Tensor& y) const {
  if (!cache_) return compute_inverse(y);
  {
    const std::lock_guard lock(cache_->mutex);
    if (cache_->y.is_same(y)) return cache_->x;
  }
  const Tensor x = compute_inverse(y);
  const std::lock_guard lock(cache_->mutex);
  cache_->x = x, cache_->y = y;
  return x;
}

AnyTransform Transform::inv() const { return InverseTransform(*this); }
Tensor Transform::log_abs_det_jacobian(const Tensor&, const Tensor&) const {
  not_implemented("log_abs_det_jacobian");
}
TensorOrNumber Transform::sign() const { not_implemented("sign"); }
Tensor Transform::compute(const Tensor&) const { not_implemented("forward"); }
Tensor Transform::compute_inverse(const Tensor&) const { not_implemented("inverse"); }
void Transform::not_implemented(const char* member) const {
  fail<NotImplementedError>("{}: {} is not implemented", name_, member);
}

std::int64_t Transform::event_dim() const {
  const std::int64_t in = domain().event_dim(), out = codomain().event_dim();
  if (in != out)
    fail<ValueError>("{}: please use either domain().event_dim() or codomain().event_dim()", str());
  return in;
}

AnyTransform Transform::with_cache(IntArg cache_size) const {
  const std::int64_t size = cache_size;
  if (size != 0 && size != 1) fail<ValueError>("cache_size must be 0 or 1: got {}", size);
  std::shared_ptr<Transform> copy = clone();
  copy->cache_ = size ? std::make_shared<Cache>() : nullptr;
  copy->set_cache(size);
  return AnyTransform(std::shared_ptr<const Transform>(std::move(copy)));
}
void Transform::set_cache(std::int64_t) {}

bool Transform::equals(const Transform& other) const { return typeid(*this) == typeid(other); }

std::ostream& operator<<(std::ostream& stream, const Transform& transform) {
  return stream << transform.str();
}

}  // namespace taper::distributions::transforms
