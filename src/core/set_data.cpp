#include "core/check.h"
#include "core/tensor_impl.h"

namespace taper {

void Tensor::set_data(const Tensor& source) const {
  if (!impl_ || !source.impl_) fail<RuntimeError>("set_data: got an undefined tensor");
  TensorImpl& t = *impl_;
  const TensorImpl& s = *source.impl_;
  if (!is_leaf() || t.base)
    fail<RuntimeError>("set_data: got a {}, expected a leaf tensor that is not a view",
                       t.base ? "view" : "non-leaf tensor");
  if (t.requires_grad && !taper::is_floating_point(s.dtype))
    fail<DTypeError>("set_data: only Tensors of floating point dtype can require gradients: got {}",
                     s.dtype);
  if (&t == &s) return;
  t.storage = s.storage;
  t.shape = s.shape;
  t.strides = s.strides;
  t.offset = s.offset;
  t.numel = s.numel;
  t.dtype = s.dtype;
  t.contiguous = s.contiguous;
  t.own_version = s.own_version;
}

}  // namespace taper
