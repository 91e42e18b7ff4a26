// Kernels of scatter_reduce.
#include "ops/copy/copy_kernel.h"
#include "ops/indexing/indexed_layout.h"
#include "ops/indexing/scatter_reduce.h"
#include "ops/kernel/dense.h"

namespace taper {

indexing::ScatterReduction indexing::reduction_named(std::string_view name, std::string_view op) {
  if (name == "sum") return ScatterReduction::sum;
  if (name == "prod") return ScatterReduction::prod;
  if (name == "mean") return ScatterReduction::mean;
  if (name == "amax") return ScatterReduction::amax;
  if (name == "amin") return ScatterReduction::amin;
  fail<ValueError>("{}: reduce argument must be either sum, prod, mean, amax or amin, got '{}'", op,
                   name);
}

namespace {

using indexing::reduction_named;
using indexing::ScatterReduction;

template <class T> T combine(ScatterReduction how, T a, T b) {
  switch (how) {
    case ScatterReduction::sum:
    case ScatterReduction::mean: return kernel::plus(a, b);
    case ScatterReduction::prod: return kernel::times(a, b);
    // Without branches: b replaces a if it is more extreme or NaN.
    case ScatterReduction::amax: return ((b > a) | (b != b)) ? b : a;
    case ScatterReduction::amin: return ((b < a) | (b != b)) ? b : a;
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
template <class T, class F> void visit_reduction(ScatterReduction how, F&& f) {
  const auto fixed = [&]<ScatterReduction R>() { f([](T a, T b) { return combine(R, a, b); }); };
  switch (how) {
    case ScatterReduction::sum:
    case ScatterReduction::mean: return fixed.template operator()<ScatterReduction::sum>();
    case ScatterReduction::prod: return fixed.template operator()<ScatterReduction::prod>();
    case ScatterReduction::amax: return fixed.template operator()<ScatterReduction::amax>();
    case ScatterReduction::amin: return fixed.template operator()<ScatterReduction::amin>();
  }
}

/// Returns true if the index depends on the position along dimension d only.
bool is_index_of_slices(const View& index, std::size_t d) {
  for (std::size_t e = 0; e < index.shape->size(); ++e)
    if (e != d && (*index.shape)[e] != 1 && (*index.strides)[e] != 0) return false;
  return index.dtype == DType::i64;
}

/// Reduces slices along dimension d. Returns false for operands that reduce_dense handles.
template <class T> bool reduce_slices(const ScatterReduce& o, const KernelArgs& k, std::size_t d,
                                      ScatterReduction how) {
  const View &x = k.in[0], &index = k.in[1], &out = k.out[0];
  const Shape &from = *index.shape, &to = *out.shape;
  if (!o.include_self || how == ScatterReduction::mean || index.numel == 0) return false;
  if (!is_index_of_slices(index, d) || from.size() != to.size()) return false;
  indexing::IndexedLayout layout{.count = from[d], .size = to[d], .dim = d};
  for (std::size_t e = 0; e < to.size(); ++e) {
    if (e == d) continue;
    if (from[e] != to[e]) return false;
    (e < d ? layout.outer : layout.inner) *= to[e];
  }
  std::vector<std::int64_t> at(static_cast<std::size_t>(layout.count));
  const std::int64_t step = (*index.strides)[d];
  for (std::size_t i = 0; i < at.size(); ++i)
    at[i] = reinterpret_cast<const std::int64_t*>(index.data)[static_cast<std::int64_t>(i) * step];
  indexing::check_indices(at.data(), layout.count, layout, "scatter_reduce");
  const kernel::DenseInput<T> src(k.in[2]);
  if (out.data != x.data && !kernel::copy_fast(out, x)) kernel::copy_elements(out, x);
  visit_reduction<T>(how, [&](auto reduce) {
    indexing::for_each_column_block(
        layout.outer, layout.count, layout.inner,
        [&](std::int64_t plane, std::int64_t first, std::int64_t end) {
          for (std::int64_t i = 0; i < layout.count; ++i) {
            T* const row = reinterpret_cast<T*>(out.data) +
                           (plane * layout.size + at[static_cast<std::size_t>(i)]) * layout.inner;
            const T* const values = src.data() + (plane * layout.count + i) * layout.inner;
            for (std::int64_t j = first; j < end; ++j) row[j] = reduce(row[j], values[j]);
          }
        });
  });
  return true;
}

template <class T> bool reduce_dense(const ScatterReduce& o, const KernelArgs& k) {
  const View &x = k.in[0], &out = k.out[0];
  const ScatterReduction how = reduction_named(o.reduce, "scatter_reduce");
  const auto dim = static_cast<std::size_t>(o.dim < 0 ? o.dim + std::ssize(*out.shape) : o.dim);
  if (reduce_slices<T>(o, k, dim, how)) return true;
  const kernel::DenseInput<std::int64_t> index(k.in[1]);
  const kernel::DenseInput<T> src(k.in[2]);
  const Shape strides = contiguous_strides(*k.in[1].shape);
  const auto layout = indexing::indexed_layout(kernel::view_of(index, k.in[1], strides), out, dim);
  if (!layout) return false;
  indexing::check_indices(index.data(), k.in[1].numel, *layout, "scatter_reduce");
  if (out.data != x.data && !kernel::copy_fast(out, x)) kernel::copy_elements(out, x);
  T* const to = reinterpret_cast<T*>(out.data);
  const T* const from = src.data();
  // Numbers of elements that each output is reduced from, where they matter.
  std::vector<std::int64_t> counts;
  if (!o.include_self || how == ScatterReduction::mean)
    counts.assign(static_cast<std::size_t>(out.numel), o.include_self);
  visit_reduction<T>(how, [&](auto reduce) {
    if (counts.empty()) {
      indexing::for_each_indexed_in_order(
          *layout, index.data(),
          [&](std::int64_t i, std::int64_t p) { to[p] = reduce(to[p], from[i]); });
      return;
    }
    indexing::for_each_indexed_in_order(*layout, index.data(), [&](std::int64_t i, std::int64_t p) {
      const bool is_first = counts[static_cast<std::size_t>(p)]++ == 0;
      to[p] = is_first ? from[i] : reduce(to[p], from[i]);
    });
  });
  if (how == ScatterReduction::mean)
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
  const ScatterReduction how = reduction_named(o.reduce, "scatter_reduce");
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
                   if (how == ScatterReduction::mean && counts[i] > 1) v = average(v, counts[i]);
                   kernel::store(out.data + at[0], out.dtype, v);
                   ++i;
                 });
  });
}

}  // namespace taper
