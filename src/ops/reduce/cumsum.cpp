#include "ops/reduce/cumsum.h"

#include <algorithm>
#include <vector>

#include "cpu/threads.h"
#include "ops/forms.h"
#include "ops/kernel/slices.h"
#include "ops/reduce/dims.h"

namespace taper {

void CumSum::infer(ShapeInference& i) const {
  wrap_dim(dim, i.rank(0), op.name);
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

namespace {

/// Computes `inner` adjacent cumulative sums of `n` elements each in row-major memory, from the
/// last element to the first if `reversed` is true.
template <class T>
void cumsum_slices(const T* x, T* y, std::int64_t n, std::int64_t inner, bool reversed) {
  const std::int64_t step = reversed ? -inner : inner;
  if (reversed) x += (n - 1) * inner, y += (n - 1) * inner;
  if (inner == 1) {
    double total = 0;
    for (std::int64_t i = 0; i < n; ++i, x += step, y += step)
      *y = static_cast<T>(total += static_cast<double>(*x));
    return;
  }
  std::vector<double> totals(static_cast<std::size_t>(inner));
  for (std::int64_t i = 0; i < n; ++i, x += step, y += step)
    for (std::int64_t j = 0; j < inner; ++j) {
      double& total = totals[static_cast<std::size_t>(j)];
      y[j] = static_cast<T>(total += static_cast<double>(x[j]));
    }
}

template <class T> bool cumsum_fast(const CumSum& o, const KernelArgs& k) {
  const View &in = k.in[0], &out = k.out[0];
  const auto d = static_cast<std::size_t>(wrap_dim(o.dim, in.shape->size(), o.op.name));
  std::int64_t inner = 1;
  for (std::size_t e = d + 1; e < in.shape->size(); ++e) inner *= (*in.shape)[e];
  const std::int64_t n = (*in.shape)[d], each = n * inner;
  const auto* x = reinterpret_cast<const T*>(in.data);
  auto* y = reinterpret_cast<T*>(out.data);
  constexpr std::int64_t kGrain = 1 << 14;
  cpu::parallel_for(0, in.numel / each, std::max<std::int64_t>(1, kGrain / each),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i)
                        cumsum_slices(x + i * each, y + i * each, n, inner, o.reverse);
                    });
  return true;
}

}  // namespace

template <> bool cpu_kernel(const CumSum& o, const KernelArgs& k) {
  const View &in = k.in[0], &out = k.out[0];
  if (in.dtype != out.dtype || in.numel == 0 || in.shape->empty() || !is_contiguous(in) ||
      !is_contiguous(out))
    return false;
  if (in.dtype == DType::f32) return cumsum_fast<float>(o, k);
  return in.dtype == DType::f64 && cumsum_fast<double>(o, k);
}

TAPER_DEFINE_OP(cumsum, CumSum);

Tensor cumsum(const Tensor& x, IntArg dim, std::optional<DType> dtype) {
  return run(CumSum{dim, dtype}, x);
}
Tensor ops::ReduceMethods::cumsum(IntArg dim, std::optional<DType> dtype) const {
  return run(CumSum{dim, dtype}, self_of(this));
}

}  // namespace taper
