#include "taper/core/detail/uninitialized.h"

#include "core/check.h"
#include "core/tensor_impl.h"

namespace taper {

Tensor new_uninitialized(LazyKind kind, DType dtype, Device device) {
  Tensor t = new_tensor({0}, dtype, device);
  impl(t).lazy = kind;
  return t;
}

LazyKind lazy_kind(const Tensor& t) { return t.defined() ? impl(t).lazy : LazyKind::no; }

void materialize(const Tensor& t, const Shape& shape, DType dtype, Device device) {
  if (lazy_kind(t) == LazyKind::no)
    fail<RuntimeError>("materialize: the tensor is already initialized: got shape {}", t.shape());
  t.set_data(new_tensor(shape, dtype, device));
  impl(t).lazy = LazyKind::no;
}

void throw_uninitialized(const Tensor& t, std::string_view op) { throw_uninitialized(impl(t), op); }

void throw_uninitialized(const TensorImpl& t, std::string_view op) {
  fail<ValueError>(
      "Attempted to use an uninitialized parameter in {}. This error happens when you are using a "
      "`LazyModule` or explicitly manipulating `torch.nn.parameter.{}` objects. When using "
      "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling "
      "torch functions",
      op, kind_name(t.lazy));
}

}  // namespace taper
