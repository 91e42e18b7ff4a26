// Kernels of scatter_reduce.
#include "ops/copy/copy_kernel.h"
#include "ops/indexing/indexed_layout.h"
#include "ops/indexing/scatter_reduce.h"
#include "ops/kernel/dense.h"
#include "ops/reduce/reduce_kernel.h"

namespace taper {

indexing::Reduction indexing::reduction_named(std::string_view name, std::string_view op) {
  if (name == "sum") return Reduction::sum;
  if (name == "prod") return Reduction::prod;
  if (name == "mean") return Reduction::mean;
  if (name == "amax") return Reduction::amax;
  if (name == "amin") return Reduction::amin;
  fail<ValueError>("{}: reduce argument must be either sum, prod, mean, amax or amin, got '{}'", op,
                   name);
}

namespace {

using indexing::Reduction;
using indexing::reduction_named;

template <class T> T combine(Reduction how, T a, T b) {
  switch (how) {
    case Reduction::sum:
    case Reduction::mean: return kernel::plus(a, b);
    case Reduction::prod: return kernel::times(a, b);
    case Reduction::amax: return reduce::is_more_extreme<true>(b, a) ? b : a;
    case Reduction::amin: return reduce::is_more_extreme<false>(b, a) ? b : a;
  }
  return a;
}

/// Returns total / count; integers are rounded down.
template <class T> T average(T total, std::int64_t count) {
  if constexpr (std::is_integral_v<T>)
    return total / count - (total % count != 0 && total < 0);
  else
    return total / static_cast<T>(count);
}

/// Calls f with a function of two numbers of type T that computes the reduction.
template <class T, class F> void visit_reduction(Reduction how, F&& f) {
  const auto fixed = [&]<Reduction R>() { f([](T a, T b) { return combine(R, a, b); }); };
  switch (how) {
    case Reduction::sum:
    case Reduction::mean: return fixed.template operator()<Reduction::sum>();
    case Reduction::prod: return fixed.template operator()<Reduction::prod>();
    case Reduction::amax: return fixed.template operator()<Reduction::amax>();
    case Reduction::amin: return fixed.template operator()<Reduction::amin>();
  }
}

template <class T> bool reduce_dense(const ScatterReduce& o, const KernelArgs& k) {
  const View &x = k.in[0], &out = k.out[0];
  const kernel::DenseInput<std::int64_t> index(k.in[1]);
  const kernel::DenseInput<T> src(k.in[2]);
  const Shape strides = contiguous_strides(*k.in[1].shape);
  const std::int64_t d = o.dim < 0 ? o.dim + std::ssize(*out.shape) : o.dim;
  const auto layout = indexing::indexed_layout(kernel::view_of(index, k.in[1], strides), out,
                                               static_cast<std::size_t>(d));
  if (!layout) return false;
  indexing::check_indices(index.data(), k.in[1].numel, *layout, "scatter_reduce");
  if (out.data != x.data && !kernel::copy_fast(out, x)) kernel::copy_elements(out, x);
  const Reduction how = reduction_named(o.reduce, "scatter_reduce");
  T* const to = reinterpret_cast<T*>(out.data);
  const T* const from = src.data();
  // Numbers of elements that each output is reduced from, where they matter.
  std::vector<std::int64_t> counts;
  if (!o.include_self || how == Reduction::mean)
    counts.assign(static_cast<std::size_t>(out.numel), o.include_self);
  visit_reduction<T>(how, [&](auto reduce) {
    indexing::for_each_indexed_in_order(*layout, index.data(), [&](std::int64_t i, std::int64_t p) {
      const bool is_first = !counts.empty() && counts[static_cast<std::size_t>(p)]++ == 0;
      to[p] = is_first ? from[i] : reduce(to[p], from[i]);
    });
  });
  if (how == Reduction::mean)
    for (std::size_t p = 0; p < counts.size(); ++p)
      if (counts[p] > 1) to[p] = average(to[p], counts[p]);
  return true;
}

}  // namespace

template <> bool cpu_kernel(const ScatterReduce& o, const KernelArgs& k) {
  if (k.out[0].shape->empty() || !is_contiguous(k.out[0])) return false;
  switch (k.out[0].dtype) {
    case DType::f32: return reduce_dense<float>(o, k);
    case DType::f64: return reduce_dense<double>(o, k);
    case DType::i64: return reduce_dense<std::int64_t>(o, k);
    default: return false;
  }
}

template <> void reference_kernel(const ScatterReduce& o, const KernelArgs& k) {
  const View &x = k.in[0], &index = k.in[1], &src = k.in[2], &out = k.out[0];
  const Reduction how = reduction_named(o.reduce, "scatter_reduce");
  // Positions of the elements of the output in row-major order, where dimension `dim` is selected
  // by the index.
  const Shape steps = contiguous_strides(*out.shape);
  Shape starts = steps;
  std::int64_t size = 1, step = 1;
  std::size_t d = 0;
  if (!steps.empty()) {
    d = static_cast<std::size_t>(wrap_dim(o.dim, steps.size(), "scatter_reduce"));
    size = (*out.shape)[d], step = steps[d], starts[d] = 0;
  }
  const View start{nullptr, index.shape, &starts, index.numel, DType::u8, nullptr};
  kernel::in_compute_type(out.dtype, [&]<class T>(T) {
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(out.numel));
    kernel::walk(*x.shape, std::array<const View*, 1>{&x},
                 [&](const std::array<std::int64_t, 1>& at) {
                   values.push_back(kernel::load<T>(x.data + at[0], x.dtype));
                 });
    std::vector<std::int64_t> counts(values.size(), o.include_self);
    if (index.numel > 0)
      kernel::walk(*index.shape, std::array<const View*, 3>{&index, &src, &start},
                   [&](const std::array<std::int64_t, 3>& at) {
                     const auto i = kernel::load<std::int64_t>(index.data + at[0], index.dtype);
                     const auto to = static_cast<std::size_t>(
                         at[2] + step * kernel::checked_index(i, size, d, false, "scatter_reduce"));
                     const T v = kernel::load<T>(src.data + at[1], src.dtype);
                     values[to] = counts[to]++ == 0 ? v : combine(how, values[to], v);
                   });
    std::size_t i = 0;
    kernel::walk(*out.shape, std::array<const View*, 1>{&out},
                 [&](const std::array<std::int64_t, 1>& at) {
                   T v = values[i];
                   if (how == Reduction::mean && counts[i] > 1) v = average(v, counts[i]);
                   kernel::store(out.data + at[0], out.dtype, v);
                   ++i;
                 });
  });
}

}  // namespace taper
