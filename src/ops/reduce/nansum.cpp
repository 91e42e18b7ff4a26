#include "ops/reduce/nansum.h"

#include "ops/forms.h"
#include "ops/reduce/reduce_kernel.h"

namespace taper {

void NanSum::infer(ShapeInference& i) const {
  const reduce::Mask mask = reduce::mask_of(dim, i.rank(0), op.function());
  const DType default_result_dtype = is_floating_point(i.dtype(0)) ? i.dtype(0) : DType::i64;
  i.set_output(reduce::result_shape(i.shape(0), mask, keepdim),
               dtype.value_or(default_result_dtype));
}

void NanSum::backward(BackwardContext<NanSum>& b) const {
  const Tensor x = b.input<0>();
  b[0] = reduce::restore_dims(b.grad(), x.shape(), dim, keepdim, op.function()) *
         x.isnan().logical_not();
}

template <> void reference_kernel(const NanSum& o, const KernelArgs& k) {
  const View& in = k.in[0];
  const reduce::Mask mask = reduce::mask_of(o.dim, in.shape->size(), o.op.function());
  kernel::in_compute_type(in.dtype, [&]<class T>(T) {
    const auto totals = reduce::fold_reference<T>(in, mask, T{}, [](T& t, T x) {
      if (x == x) t = kernel::plus(t, x);
    });
    reduce::store_results(k.out[0], [&](std::size_t i) { return totals[i]; });
  });
}

template <> bool cpu_kernel(const NanSum& o, const KernelArgs& k) {
  // A wider result dtype requests accumulation in that dtype.
  if (k.out[0].dtype != k.in[0].dtype) return false;
  const reduce::Mask mask = reduce::mask_of(o.dim, k.in[0].shape->size(), o.op.function());
  return reduce::store_fold(reduce::Fold::sum_non_nan, k, mask);
}

TAPER_DEFINE_OP(nansum, NanSum);

Tensor nansum(const Tensor& x, const Dims& dims, bool keepdim, std::optional<DType> dtype) {
  return run(NanSum{dims, keepdim, dtype}, x);
}
Tensor ops::ReduceMethods::nansum(const Dims& dims, bool keepdim,
                                  std::optional<DType> dtype) const {
  return taper::nansum(self_of(this), dims, keepdim, dtype);
}

}  // namespace taper
