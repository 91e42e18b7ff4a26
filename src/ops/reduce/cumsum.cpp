#include "ops/reduce/cumsum.h"

#include "ops/forms.h"
#include "ops/kernel/slices.h"
#include "ops/reduce/dims.h"

namespace taper {

void CumSum::infer(ShapeInference& i) const {
  wrap_dim(dim, i.rank(0), op.function());
  i.set_output(i.shape(0), dtype.value_or(is_floating_point(i.dtype(0)) ? i.dtype(0) : DType::i64));
}

template <> void reference_kernel(const CumSum& o, const KernelArgs& k) {
  const Shape& shape = *k.in[0].shape;
  const std::int64_t n = kernel::slice_length(shape, o.dim);
  kernel::in_compute_type(k.out[0].dtype, [&]<class T>(T) {
    kernel::for_each_slice<2>(shape, o.dim, {&k.in[0], &k.out[0]}, [&](const auto& slices) {
      T total{};
      for (std::int64_t step = 0; step < n; ++step) {
        const std::int64_t i = o.reverse ? n - 1 - step : step;
        total = kernel::plus(total, slices[0].template get<T>(i));
        slices[1].set(i, total);
      }
    });
  });
}

TAPER_DEFINE_OP(cumsum, CumSum);

Tensor cumsum(const Tensor& x, IntArg dim, std::optional<DType> dtype) {
  return run(CumSum{dim, dtype}, x);
}
Tensor ops::ReduceMethods::cumsum(IntArg dim, std::optional<DType> dtype) const {
  return run(CumSum{dim, dtype}, self_of(this));
}

}  // namespace taper
