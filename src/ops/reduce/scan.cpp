// cumprod, cummax, cummin and logcumsumexp.
#include "ops/reduce/scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/forms.h"
#include "ops/kernel/parallel_slices.h"
#include "ops/reduce/cumsum.h"
#include "ops/reduce/recurrence.h"
#include "ops/reduce/reduce_kernel.h"
#include "ops/reduce/scan_rows.h"
#include "taper/core/factory.h"

namespace taper {

void CumProd::infer(ShapeInference& i) const {
  wrap_dim(dim, i.rank(0), op.function());
  i.set_output(i.shape(0), dtype.value_or(is_floating_point(i.dtype(0)) ? i.dtype(0) : DType::i64));
}

void CumProd::backward(BackwardContext<CumProd>& b) const {
  const Tensor& g = b.grad();
  const Tensor x = b.input<0>().to(g.dtype());
  if (x.numel() <= 1) {
    b[0] = g;
    return;
  }
  if (x.device().is_meta() || x.all().item<bool>()) {
    b[0] = run(CumSum{dim, {}, true}, g * x.cumprod(dim)) / x;
    return;
  }
  b[0] = cumprod_gradient(x, g, dim, false);
}

template <bool Largest> void CumExtreme<Largest>::infer(ShapeInference& i) const {
  wrap_dim(dim, i.rank(0), op.function());
  i.set_output(i.shape(0), i.dtype(0));
  i.set_output(i.shape(0), DType::i64);
}
template <bool Largest> void CumExtreme<Largest>::backward(BackwardContext<CumExtreme>& b) const {
  const Tensor full_grad = zeros_like(b.grad());
  b[0] = full_grad.scatter_add_(dim, b.template output<1>(), b.grad());
}

void LogCumSumExp::infer(ShapeInference& i) const {
  wrap_dim(dim, i.rank(0), op.function());
  i.set_output(i.shape(0), i.dtype(0));
}
void LogCumSumExp::backward(BackwardContext<LogCumSumExp>& b) const {
  const Tensor &x = b.input<0>(), &y = b.output<0>(), &g = b.grad();
  if (x.dim() == 0 || x.numel() == 0) {
    b[0] = g;
    return;
  }
  // Sums of g * exp(x - y) over all later elements, of the positive and the negative gradients in
  // logarithms, so that exp does not overflow. The logarithm of 0 is the lowest number instead of
  // -inf, whose differences would be NaN in the second derivative.
  const double lowest = g.dtype() == DType::f64   ? -std::numeric_limits<double>::max()
                        : g.dtype() == DType::f16 ? -65504.0
                        : g.dtype() == DType::bf16
                            ? -0x1.fep127
                            : static_cast<double>(-std::numeric_limits<float>::max());
  const auto part = [&](const Tensor& gradient) {
    const Tensor weight = taper::where(gradient > 0, gradient.log(), lowest) - y;
    return (weight.flip(dim).logcumsumexp(dim).flip(dim) + x).exp();
  };
  b[0] = part(g) - part(-g);
}

namespace {

/// Calls f(slice of the input, slices of the outputs, length) for each slice along `dim`, in
/// parallel if possible.
template <std::size_t N, class F> void scan(const KernelArgs& k, std::int64_t dim, F&& f) {
  std::array<const View*, N> views;
  views[0] = &k.in[0];
  for (std::size_t i = 1; i < N; ++i) views[i] = &k.out[i - 1];
  const Shape& shape = *k.in[0].shape;
  const std::int64_t n = kernel::slice_length(shape, dim);
  kernel::for_each_slice_in_parallel<N>(shape, dim, views,
                                        [&](const auto& slices) { f(slices, n); });
}

template <bool Largest> void scan_extremes(const CumExtreme<Largest>& o, const KernelArgs& k) {
  kernel::in_compute_type(k.in[0].dtype, [&]<class T>(T) {
    scan<3>(k, o.dim, [](const auto& slices, std::int64_t n) {
      T best{};
      std::int64_t at = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const T x = slices[0].template get<T>(i);
        if (i == 0 || !reduce::is_more_extreme<Largest>(best, x)) best = x, at = i;
        slices[1].set(i, best);
        slices[2].set(i, at);
      }
    });
  });
}

}  // namespace

template <> void reference_kernel(const CumProd& o, const KernelArgs& k) {
  kernel::in_compute_type(k.out[0].dtype, [&]<class T>(T) {
    scan<2>(k, o.dim, [](const auto& slices, std::int64_t n) {
      T total{1};
      for (std::int64_t i = 0; i < n; ++i) {
        total = kernel::times(total, slices[0].template get<T>(i));
        slices[1].set(i, total);
      }
    });
  });
}
template <> void reference_kernel(const CumExtreme<true>& o, const KernelArgs& k) {
  scan_extremes(o, k);
}
template <> void reference_kernel(const CumExtreme<false>& o, const KernelArgs& k) {
  scan_extremes(o, k);
}
template <> void reference_kernel(const LogCumSumExp& o, const KernelArgs& k) {
  scan<2>(k, o.dim, [](const auto& slices, std::int64_t n) {
    double total = -std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < n; ++i) {
      total = reduce::log_add_exp(slices[0].template get<double>(i), total);
      slices[1].set(i, total);
    }
  });
}

TAPER_DEFINE_OP(cumprod, CumProd);
TAPER_DEFINE_OP(cummax, CumExtreme<true>);
TAPER_DEFINE_OP(cummin, CumExtreme<false>);
TAPER_DEFINE_OP(logcumsumexp, LogCumSumExp);

Tensor cumprod(const Tensor& x, IntArg dim, std::optional<DType> dtype) {
  return run(CumProd{dim, dtype}, x);
}
std::pair<Tensor, Tensor> cummax(const Tensor& x, IntArg dim) {
  return run_pair(CumExtreme<true>{dim}, x);
}
std::pair<Tensor, Tensor> cummin(const Tensor& x, IntArg dim) {
  return run_pair(CumExtreme<false>{dim}, x);
}
Tensor logcumsumexp(const Tensor& x, IntArg dim) { return run(LogCumSumExp{dim}, x); }

namespace ops {
Tensor ScanMethods::cumprod(IntArg dim, std::optional<DType> dtype) const {
  return taper::cumprod(self_of(this), dim, dtype);
}
const Tensor& ScanMethods::cumsum_(IntArg dim, std::optional<DType> dtype) const {
  return run_inplace(CumSum{dim, dtype}, self_of(this));
}
const Tensor& ScanMethods::cumprod_(IntArg dim, std::optional<DType> dtype) const {
  return run_inplace(CumProd{dim, dtype}, self_of(this));
}
std::pair<Tensor, Tensor> ScanMethods::cummax(IntArg dim) const {
  return taper::cummax(self_of(this), dim);
}
std::pair<Tensor, Tensor> ScanMethods::cummin(IntArg dim) const {
  return taper::cummin(self_of(this), dim);
}
Tensor ScanMethods::logcumsumexp(IntArg dim) const {
  return taper::logcumsumexp(self_of(this), dim);
}
}  // namespace ops

}  // namespace taper
