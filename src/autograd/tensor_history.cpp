// Autograd methods of Tensor: requires_grad, grad, grad_fn and detach.
#include "autograd/history.h"
#include "core/check.h"
#include "core/never_destroyed.h"
#include "taper/autograd/autograd.h"
#include "taper/core/tensor.h"

namespace taper {

bool Tensor::requires_grad() const {
  TensorImpl& t = defined_impl(*this);
  if (is_stale_view(t)) return static_cast<bool>(edge_of(t));
  return t.has_grad();
}

const Tensor& Tensor::set_requires_grad(bool value) const {
  TensorImpl& t = defined_impl(*this);
  if (value && !taper::is_floating_point(t.dtype))
    fail<DTypeError>(
        "requires_grad_: only Tensors of floating point dtype can require gradients: got {}",
        t.dtype);
  if (!is_leaf()) {
    if (!value)
      fail<RuntimeError>(
          "requires_grad_: you can only change requires_grad flags of leaf variables. If you want "
          "to use a computed variable in a subgraph that doesn't require differentiation use "
          "detach().");
    return *this;
  }
  if (value && t.inference && !tls.inference)
    fail<RuntimeError>(
        "requires_grad_: Setting requires_grad=True on inference tensor outside InferenceMode is "
        "not allowed.");
  t.requires_grad = value;
  return *this;
}

bool Tensor::is_leaf() const {
  TensorImpl& t = defined_impl(*this);
  return !edge_of(t).node;
}

const Tensor& Tensor::grad() const {
  static const NeverDestroyed<Tensor> none;
  const TensorImpl& t = defined_impl(*this);
  return t.extra ? t.extra->grad : *none;
}

void Tensor::set_grad(const Tensor& g) const {
  TensorImpl& t = defined_impl(*this);
  if (!g.defined()) {
    if (t.extra) t.extra->grad = Tensor();
    return;
  }
  if (g.is_same(*this)) fail<RuntimeError>("set_grad: can't assign Variable as its own grad");
  if (g.dtype() != t.dtype)
    fail<DTypeError>("set_grad: assigned grad has data of a different type: got {}, expected {}",
                     g.dtype(), t.dtype);
  if (!(g.device() == t.device()))
    fail<DeviceError>(
        "set_grad: assigned grad has data located on a different device: got {}, "
        "expected {}",
        g.device(), t.device());
  if (!(g.shape() == t.shape))
    fail<ShapeError>("set_grad: assigned grad has data of a different size: got {}, expected {}",
                     g.shape(), t.shape);
  t.autograd_meta().grad = g;
}

GradFn Tensor::grad_fn() const { return GradFn(edge_of(defined_impl(*this)).node); }

Tensor Tensor::detach() const {
  TensorImpl& t = defined_impl(*this);
  Ref<TensorImpl> d = t.alias();
  d->inference = t.inference;
  return Tensor(std::move(d));
}

const Tensor& Tensor::detach_() const {
  TensorImpl& t = defined_impl(*this);
  if (t.base) fail<RuntimeError>("detach_: Can't detach views in-place. Use detach() instead.");
  if (t.extra && t.extra->retains_grad && t.node) clear_retains_grad(*t.node, &t);
  t.node.reset();
  t.output_nr = 0;
  t.requires_grad = false;
  return *this;
}

Tensor Tensor::data() const {
  Tensor d = detach();
  d.impl()->own_version = Ref<VersionCounter>::adopt(new VersionCounter);
  return d;
}

}  // namespace taper
