// In-place forms of views, which change the shape and the strides of a tensor.
#include "autograd/history.h"
#include "core/thread_local_state.h"
#include "ops/forms.h"

namespace taper {
namespace {

/// Assigns the geometry and the history of `view`, a view of `self`, to `self`.
const Tensor& become_view(const Tensor& self, const Tensor& view, std::string_view op) {
  TensorImpl &t = impl(self), &v = impl(view);
  check_inplace_history(self, op, tls.grad && self.requires_grad());
  t.shape = v.shape, t.strides = v.strides;
  t.offset = v.offset, t.numel = v.numel;
  t.contiguous = v.contiguous;
  if (v.node) {
    if (t.node) clear_retains_grad(*t.node, &t);
    t.node = v.node;
    t.output_nr = v.output_nr;
  }
  t.version().fetch_add(1, std::memory_order_relaxed);
  return self;
}

}  // namespace

namespace ops {
const Tensor& ViewMethods::squeeze_() const {
  return become_view(self_of(this), squeeze(), "squeeze");
}
const Tensor& ViewMethods::squeeze_(const Dims& dims) const {
  return become_view(self_of(this), squeeze(dims), "squeeze");
}
const Tensor& ViewMethods::unsqueeze_(IntArg dim) const {
  return become_view(self_of(this), unsqueeze(dim), "unsqueeze");
}
const Tensor& ViewMethods::transpose_(IntArg dim0, IntArg dim1) const {
  return become_view(self_of(this), transpose(dim0, dim1), "transpose");
}
const Tensor& ViewMethods::swapaxes_(IntArg axis0, IntArg axis1) const {
  return transpose_(axis0, axis1);
}
const Tensor& ViewMethods::swapdims_(IntArg dim0, IntArg dim1) const {
  return transpose_(dim0, dim1);
}
const Tensor& ViewMethods::t_() const { return become_view(self_of(this), t(), "t"); }
const Tensor& ViewMethods::as_strided_(const Shape& size, const Shape& stride,
                                       std::optional<IntArg> storage_offset) const {
  return become_view(self_of(this), as_strided(size, stride, storage_offset), "as_strided");
}
}  // namespace ops

}  // namespace taper
