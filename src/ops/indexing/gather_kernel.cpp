// Kernels of gather and scatter: loops over slices along the indexed dimension.
#include "core/never_destroyed.h"
#include "ops/copy/copy_kernel.h"
#include "ops/indexing/gather.h"
#include "ops/indexing/indexed_layout.h"
#include "ops/kernel/index.h"
#include "ops/kernel/slices.h"

namespace taper {
namespace {

using kernel::Slice1d;

/// Calls f(index value, i, slices) for each element of `index`, where i is its position along `dim`
/// and `slices` are the slices of index, x and other along `dim` that contain it. Throws IndexError
/// naming `op` if an index value is out of range for x.
template <class F> void for_each_index_element(const View& index, const View& x, const View& other,
                                               std::int64_t dim, std::string_view op, F&& f) {
  // A 0-dim tensor may be combined with a vector of one element.
  static const NeverDestroyed<Shape> one(Shape{1});
  View views[3] = {index, x, other};
  if (index.shape->size() <= 1)
    for (View& v : views)
      if (v.shape->empty()) v.shape = &*one, v.strides = &*one;
  const Shape& shape = *views[0].shape;
  const auto d = static_cast<std::size_t>(wrap_dim(dim, shape.size(), op));
  const std::int64_t n = shape[d], size = (*views[1].shape)[d];
  kernel::for_each_slice<3>(shape, dim, {&views[0], &views[1], &views[2]}, [&](const auto& slices) {
    for (std::int64_t i = 0; i < n; ++i)
      f(kernel::checked_index(slices[0].template get<std::int64_t>(i), size, d, false, op), i,
        slices);
  });
}

/// Throws IndexError if an index is out of range. Called before the first write, so that a failed
/// call leaves the output unchanged.
void check_index_range(const View& index, const View& x, std::int64_t dim, std::string_view op) {
  for_each_index_element(index, x, index, dim, op, [](std::int64_t, std::int64_t, const auto&) {});
}

/// Copies `x` to `out` unless they are the same memory.
void copy_unless_same_memory(const View& out, const View& x) {
  if (out.data != x.data && !kernel::copy_fast(out, x)) kernel::copy_elements(out, x);
}

template <class T> T* element_at(const Slice1d& slice, std::int64_t i) {
  return reinterpret_cast<T*>(slice.first + i * slice.step);
}

/// Returns the layout of index, input 1, and `indexed`, if `other` has the layout of the index.
std::optional<indexing::IndexedLayout> dense_layout(const KernelArgs& k, std::int64_t dim,
                                                    const View& indexed, const View& other) {
  const View& index = k.in[1];
  if (index.shape->empty() || !(*other.shape == *index.shape) || !is_contiguous(other)) return {};
  const std::int64_t d = dim < 0 ? dim + std::ssize(*index.shape) : dim;
  return indexing::indexed_layout(index, indexed, static_cast<std::size_t>(d));
}

/// Calls f(first element of the row in the index, in x) for the rows of a layout, in parallel.
template <class F> void for_each_row(const indexing::IndexedLayout& l, F&& f) {
  const std::int64_t grain = 1 + (1 << 14) / (1 + l.count);
  cpu::parallel_for(0, l.outer, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) f(r * l.count, r * l.size);
  });
}

/// As scatter_elements, in one pass over rows, which also checks the indices. The output must not
/// be the input, which a failed call must not modify.
template <class T, class I, class Write>
void scatter_rows(const KernelArgs& k, const indexing::IndexedLayout& l, const I* index,
                  std::string_view op, const View& source, Write&& write) {
  const T* const x = reinterpret_cast<const T*>(k.in[0].data);
  const T* const from = reinterpret_cast<const T*>(source.data);
  T* const out = reinterpret_cast<T*>(k.out[0].data);
  for_each_row(l, [&](std::int64_t first, std::int64_t row) {
    T* const to = out + row;
    std::copy_n(x + row, l.size, to);
    indexing::for_each_checked_index<false>(
        index, first, first + l.count, l.size, l.dim, op,
        [&](std::int64_t i, std::int64_t at) { write(to[at], from[i]); });
  });
}

/// Copies the input to the output and calls write(output element, element of `source`) for each
/// element of the index. Without `source`, an arbitrary element is passed.
template <class T, class Write> void scatter_elements(const KernelArgs& k, std::int64_t dim,
                                                      std::string_view op, const View* source,
                                                      Write&& write) {
  const View &index = k.in[1], &out = k.out[0];
  const auto layout = dense_layout(k, dim, out, source ? *source : index);
  if (layout && source && out.data != k.in[0].data && is_contiguous(k.in[0]) &&
      layout->inner == 1 && layout->outer >= cpu::available_threads())
    return indexing::visit_indices(index, [&](const auto* indices) {
      scatter_rows<T>(k, *layout, indices, op, *source, write);
    });
  if (!layout) {
    check_index_range(index, k.in[0], dim, op);
    copy_unless_same_memory(out, k.in[0]);
    for_each_index_element(index, out, source ? *source : index, dim, op,
                           [&](std::int64_t p, std::int64_t i, const auto& slices) {
                             T& to = *element_at<T>(slices[1], p);
                             write(to, source ? *element_at<T>(slices[2], i) : to);
                           });
    return;
  }
  indexing::visit_indices(index, [&](const auto* indices) {
    indexing::check_indices(indices, index.numel, *layout, op);
    copy_unless_same_memory(out, k.in[0]);
    T* const to = reinterpret_cast<T*>(out.data);
    const T* const from = source ? reinterpret_cast<const T*>(source->data) : nullptr;
    indexing::for_each_indexed_in_order(*layout, indices, [&](std::int64_t i, std::int64_t p) {
      write(to[p], from ? from[i] : to[p]);
    });
  });
}

/// Gathers elements of rows in one pass, which also checks the indices.
template <class T, class I>
void gather_rows(const indexing::IndexedLayout& l, const I* index, const T* from, T* to) {
  for_each_row(l, [&](std::int64_t first, std::int64_t row) {
    const T* const x = from + row;
    indexing::for_each_checked_index<false>(
        index, first, first + l.count, l.size, l.dim, "gather",
        [=](std::int64_t i, std::int64_t at) { to[i] = x[at]; });
  });
}

}  // namespace

template <> void reference_kernel(const Gather& o, const KernelArgs& k) {
  for_each_index_element(k.in[1], k.in[0], k.out[0], o.dim, "gather",
                         [](std::int64_t p, std::int64_t i, const auto& slices) {
                           kernel::copy_element(
                               slices[2].first + i * slices[2].step, slices[2].dtype,
                               slices[1].first + p * slices[1].step, slices[1].dtype);
                         });
}
template <> bool cpu_kernel(const Gather& o, const KernelArgs& k) {
  const auto layout = dense_layout(k, o.dim, k.in[0], k.out[0]);
  indexing::visit_element_size(k.out[0].dtype, [&]<class T>(T) {
    if (!layout) {
      for_each_index_element(k.in[1], k.in[0], k.out[0], o.dim, "gather",
                             [](std::int64_t p, std::int64_t i, const auto& slices) {
                               *element_at<T>(slices[2], i) = *element_at<T>(slices[1], p);
                             });
      return;
    }
    indexing::visit_indices(k.in[1], [&](const auto* index) {
      T* const to = reinterpret_cast<T*>(k.out[0].data);
      const T* const from = reinterpret_cast<const T*>(k.in[0].data);
      if (layout->inner == 1 && layout->outer >= cpu::available_threads())
        return gather_rows(*layout, index, from, to);
      indexing::check_indices(index, k.in[1].numel, *layout, "gather");
      indexing::for_each_indexed(*layout, index,
                                 [&](std::int64_t i, std::int64_t p) { to[i] = from[p]; });
    });
  });
  return true;
}

template <> void reference_kernel(const Scatter& o, const KernelArgs& k) {
  check_index_range(k.in[1], k.in[0], o.dim, "scatter");
  copy_unless_same_memory(k.out[0], k.in[0]);
  for_each_index_element(k.in[1], k.out[0], k.in[2], o.dim, "scatter",
                         [](std::int64_t p, std::int64_t i, const auto& slices) {
                           kernel::copy_element(
                               slices[1].first + p * slices[1].step, slices[1].dtype,
                               slices[2].first + i * slices[2].step, slices[2].dtype);
                         });
}
template <> bool cpu_kernel(const Scatter& o, const KernelArgs& k) {
  indexing::visit_element_size(k.out[0].dtype, [&]<class T>(T) {
    scatter_elements<T>(k, o.dim, "scatter", &k.in[2], [](T& to, T from) { to = from; });
  });
  return true;
}

template <> void reference_kernel(const ScatterValue& o, const KernelArgs& k) {
  check_index_range(k.in[1], k.in[0], o.dim, "scatter");
  copy_unless_same_memory(k.out[0], k.in[0]);
  for_each_index_element(
      k.in[1], k.out[0], k.in[1], o.dim, "scatter",
      [&](std::int64_t p, std::int64_t, const auto& slices) { slices[1].set(p, o.value); });
}

template <> bool cpu_kernel(const ScatterValue& o, const KernelArgs& k) {
  indexing::visit_element_size(k.out[0].dtype, [&]<class T>(T) {
    T value;
    kernel::store(reinterpret_cast<std::byte*>(&value), k.out[0].dtype, o.value);
    scatter_elements<T>(k, o.dim, "scatter", nullptr, [value](T& to, T) { to = value; });
  });
  return true;
}

template <> void reference_kernel(const ScatterAdd& o, const KernelArgs& k) {
  check_index_range(k.in[1], k.in[0], o.dim, "scatter_add");
  copy_unless_same_memory(k.out[0], k.in[0]);
  for_each_index_element(k.in[1], k.out[0], k.in[2], o.dim, "scatter_add",
                         [](std::int64_t p, std::int64_t i, const auto& slices) {
                           kernel::add_element(
                               slices[1].first + p * slices[1].step, slices[1].dtype,
                               slices[2].first + i * slices[2].step, slices[2].dtype);
                         });
}
template <> bool cpu_kernel(const ScatterAdd& o, const KernelArgs& k) {
  const auto add_elements = [&]<class T>(T) {
    scatter_elements<T>(k, o.dim, "scatter_add", &k.in[2], [](T& to, T from) { to += from; });
    return true;
  };
  const auto add_narrow_elements = [&]<class T>(T) {
    scatter_elements<T>(k, o.dim, "scatter_add", &k.in[2], [](T& to, T from) {
      to = T(static_cast<float>(to) + static_cast<float>(from));
    });
    return true;
  };
  if (k.out[0].dtype == DType::bf16) return add_narrow_elements(BFloat16{});
  if (k.out[0].dtype == DType::f16) return add_narrow_elements(Half{});
  if (k.out[0].dtype == DType::f32) return add_elements(float{});
  if (k.out[0].dtype == DType::i64) return add_elements(std::uint64_t{});  // wraps around
  return k.out[0].dtype == DType::f64 && add_elements(double{});
}

}  // namespace taper
