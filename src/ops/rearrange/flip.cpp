#include "ops/rearrange/flip.h"

#include "ops/copy/copy_kernel.h"
#include "ops/forms.h"
#include "ops/kernel/element.h"
#include "ops/reduce/dims.h"

namespace taper {
namespace {

/// View of the elements of `in` in the order of the output.
struct Reversed {
  Shape strides;
  View view;

  Reversed(const View& in, const Shape& dims) : strides(*in.strides), view(in) {
    for (const std::int64_t dim : dims) {
      if (strides.empty() || in.numel == 0) continue;
      const auto d = static_cast<std::size_t>(wrap_dim(dim, strides.size(), "flip"));
      view.data += ((*in.shape)[d] - 1) * strides[d] * kernel::element_size(in);
      strides[d] = -strides[d];
    }
    view.strides = &strides;
  }
  Reversed(const Reversed&) = delete;
  Reversed& operator=(const Reversed&) = delete;
};

}  // namespace

void Flip::infer(ShapeInference& i) const {
  if (!dims.empty()) reduce::mask_of(dims, std::max<std::size_t>(1, i.rank(0)), op.function());
  i.set_output(i.shape(0), i.dtype(0));
}

template <> void reference_kernel(const Flip& o, const KernelArgs& k) {
  kernel::copy_elements(k.out[0], Reversed(k.in[0], o.dims).view);
}
template <> bool cpu_kernel(const Flip& o, const KernelArgs& k) {
  return kernel::copy_fast(k.out[0], Reversed(k.in[0], o.dims).view);
}

TAPER_DEFINE_OP(flip, Flip);

Tensor flip(const Tensor& x, const Dims& dims) { return run(Flip{dims}, x); }
Tensor fliplr(const Tensor& x) {
  if (x.dim() < 2) fail<ShapeError>("fliplr: Input must be >= 2-d: got shape {}", x.shape());
  return flip(x, 1);
}
Tensor flipud(const Tensor& x) {
  if (x.dim() < 1) fail<ShapeError>("flipud: Input must be >= 1-d: got shape {}", x.shape());
  return flip(x, 0);
}

namespace ops {
Tensor RearrangeMethods::flip(const Dims& dims) const { return taper::flip(self_of(this), dims); }
Tensor RearrangeMethods::fliplr() const { return taper::fliplr(self_of(this)); }
Tensor RearrangeMethods::flipud() const { return taper::flipud(self_of(this)); }
}  // namespace ops

}  // namespace taper
