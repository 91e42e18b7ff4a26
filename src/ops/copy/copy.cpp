#include "ops/copy/copy.h"

#include "core/strides.h"
#include "ops/copy/copy_kernel.h"
#include "ops/forms.h"
#include "ops/kernel/reference.h"

namespace taper {

namespace kernel {
void copy_elements(const View& to, const View& from) {
  walk(*to.shape, std::array<const View*, 2>{&to, &from},
       [&](const std::array<std::int64_t, 2>& offsets) {
         convert(to.data + offsets[0], to.dtype, from.data + offsets[1], from.dtype);
       });
}
}  // namespace kernel

void Clone::infer(ShapeInference& i) const {
  const Shape& shape = i.shape(0);
  i.set_output(shape, i.dtype(0));
  if (stride.empty()) return;
  if (stride.size() != shape.size() ||
      stride != strides_in_format(shape, stride, MemoryFormat::preserve))
    i.fail("expected the strides of a dense tensor of shape {}, got {}", shape, stride);
  i.outs[0].strides = stride;
}

template <> void reference_kernel(const Clone&, const KernelArgs& k) {
  kernel::copy_elements(k.out[0], k.in[0]);
}
template <> void reference_kernel(const Cast&, const KernelArgs& k) {
  kernel::copy_elements(k.out[0], k.in[0]);
}
template <> void reference_kernel(const Copy&, const KernelArgs& k) {
  kernel::copy_elements(k.out[0], k.in[1]);
}
template <> bool cpu_kernel(const Clone&, const KernelArgs& k) {
  return kernel::copy_fast(k.out[0], k.in[0]);
}
template <> bool cpu_kernel(const Cast&, const KernelArgs& k) {
  return kernel::copy_fast(k.out[0], k.in[0]);
}
template <> bool cpu_kernel(const Copy&, const KernelArgs& k) {
  return kernel::copy_fast(k.out[0], k.in[1]);
}

TAPER_DEFINE_OP(clone, Clone);
TAPER_DEFINE_OP(to_copy, Cast);
TAPER_DEFINE_OP(copy, Copy);

namespace ops {

Tensor CopyMethods::clone() const { return run(Clone{}, self_of(this)); }

Tensor CopyMethods::contiguous() const {
  const Tensor& self = self_of(this);
  return self.is_contiguous() ? self : run(Clone{}, self);
}

Tensor CopyMethods::to(DType dtype) const {
  const Tensor& self = self_of(this);
  if (self.dtype() == dtype) return self;
  if (const TensorImpl& t = impl(self); t.lazy != LazyKind::no)
    return new_uninitialized(t.lazy, dtype, t.device());
  return run(Cast{dtype}, self);
}

Tensor CopyMethods::to(Device device, DType dtype) const { return to(dtype).to(device); }
Tensor CopyMethods::to(const Tensor& like) const { return to(like.device(), like.dtype()); }
Tensor CopyMethods::cpu() const { return to(Device::cpu()); }

const Tensor& CopyMethods::copy_(const Tensor& source, bool) const {
  const Tensor& self = self_of(this);
  if (self.is_same(source)) return self;
  if (source.defined() && !(source.device() == self.device()))
    return run_inplace(Copy{}, self, source.to(self.device()));
  return run_inplace(Copy{}, self, source);
}

}  // namespace ops
}  // namespace taper
