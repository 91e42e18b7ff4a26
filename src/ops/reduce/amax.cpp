#include "ops/reduce/amax.h"

#include "ops/forms.h"
#include "ops/reduce/reduce_kernel.h"

namespace taper {

template <bool Largest, bool All> void MinMaxOver<Largest, All>::infer(ShapeInference& i) const {
  const reduce::Mask mask = reduce::mask_of(dim, i.rank(0), op.function());
  reduce::check_has_elements(i, dim);
  i.set_output(reduce::result_shape(i.shape(0), mask, keepdim), i.dtype(0));
}

template <bool Largest, bool All>
void MinMaxOver<Largest, All>::backward(BackwardContext<MinMaxOver>& b) const {
  const Tensor x = b.template input<0>();
  const auto restore = [&](const Tensor& t) {
    return reduce::restore_dims(t, x.shape(), dim, keepdim, op.function());
  };
  const Tensor extremum = restore(b.template output<0>());
  Tensor is_extremum = x == extremum;
  // As in PyTorch, NaN elements receive the gradient of max(), and NaN spreads through the gradient
  // of amax.
  if (All) is_extremum = is_extremum.logical_or(x.isnan().logical_and(extremum.isnan()));
  b[0] = is_extremum * (restore(b.grad()) / is_extremum.sum(dim.value_or(Dims{}), true));
}

namespace {

template <bool Largest>
void min_max_over_reference(const std::optional<Shape>& dim, const KernelArgs& k) {
  const View& in = k.in[0];
  const reduce::Mask mask = reduce::mask_of(dim, in.shape->size(), Largest ? "amax" : "amin");
  kernel::in_compute_type(in.dtype, [&]<class T>(T) {
    const auto best =
        reduce::fold_reference<T>(in, mask, std::optional<T>(), [](std::optional<T>& b, T x) {
          if (!b || reduce::is_more_extreme<Largest>(x, *b)) b = x;
        });
    reduce::store_results(k.out[0], [&](std::size_t i) { return *best[i]; });
  });
}

template <bool Largest>
bool min_max_over_fast(const std::optional<Shape>& dim, const KernelArgs& k) {
  const reduce::Mask mask = reduce::mask_of(dim, k.in[0].shape->size(), Largest ? "amax" : "amin");
  return reduce::store_fold(Largest ? reduce::Fold::max : reduce::Fold::min, k, mask);
}

}  // namespace

#define TAPER_MIN_MAX_OVER(name, O, largest)                           \
  template <> void reference_kernel(const O& o, const KernelArgs& k) { \
    min_max_over_reference<largest>(o.dim, k);                         \
  }                                                                    \
  template <> bool cpu_kernel(const O& o, const KernelArgs& k) {       \
    return min_max_over_fast<largest>(o.dim, k);                       \
  }                                                                    \
  TAPER_DEFINE_OP(name, O)

using Amax = MinMaxOver<true, false>;
using Amin = MinMaxOver<false, false>;
using MaxAll = MinMaxOver<true, true>;
using MinAll = MinMaxOver<false, true>;
TAPER_MIN_MAX_OVER(amax, Amax, true);
TAPER_MIN_MAX_OVER(amin, Amin, false);
TAPER_MIN_MAX_OVER(max_all, MaxAll, true);
TAPER_MIN_MAX_OVER(min_all, MinAll, false);

Tensor amax(const Tensor& x, const Dims& dims, bool keepdim) { return run(Amax{dims, keepdim}, x); }
Tensor amin(const Tensor& x, const Dims& dims, bool keepdim) { return run(Amin{dims, keepdim}, x); }
Tensor max(const Tensor& x) { return run(MaxAll{}, x); }
Tensor min(const Tensor& x) { return run(MinAll{}, x); }
Tensor max(const Tensor& x, const Tensor& other) { return maximum(x, other); }
Tensor min(const Tensor& x, const Tensor& other) { return minimum(x, other); }

namespace ops {
Tensor ReduceMethods::amax(const Dims& dims, bool keepdim) const {
  return run(Amax{dims, keepdim}, self_of(this));
}
Tensor ReduceMethods::amin(const Dims& dims, bool keepdim) const {
  return run(Amin{dims, keepdim}, self_of(this));
}
Tensor ReduceMethods::max() const { return run(MaxAll{}, self_of(this)); }
Tensor ReduceMethods::min() const { return run(MinAll{}, self_of(this)); }
Tensor ReduceMethods::max(const Tensor& other) const { return maximum(self_of(this), other); }
Tensor ReduceMethods::min(const Tensor& other) const { return minimum(self_of(this), other); }
}  // namespace ops

}  // namespace taper
