#include "ops/indexing/advanced_index_kernel.h"

#include <cstring>
#include <type_traits>

#include "ops/copy/copy_kernel.h"
#include "ops/indexing/add_scaled.h"
#include "ops/indexing/selected_runs.h"

namespace taper::indexing {
namespace {

/// Calls f(index in the base, index in the selection) for each element of the selection.
template <class F>
void for_each_selected_element(const AdvancedIndexView& p, const Shape& selection, F&& f) {
  const std::size_t first = position_of_indices(p.dims), index_rank = p.index.shape->size() - 1;
  kernel::for_each_index(selection, [&](const Shape& at) {
    Shape base_index = Shape::filled(p.base.shape->size(), 0), in_index{0};
    for (std::size_t d = 0; d < index_rank; ++d) in_index.push_back(at[first + d]);
    std::size_t next = 0;  // the next dimension of the selection that is not an index dimension
    for (std::size_t d = 0; d < base_index.size(); ++d) {
      if (contains(p.dims, d)) continue;
      if (next == first) next += index_rank;
      base_index[d] = at[next++];
    }
    for (std::size_t k = 0; k < p.dims.size(); ++k) {
      const auto d = static_cast<std::size_t>(p.dims[k]);
      in_index[0] = static_cast<std::int64_t>(k);
      const auto i = kernel::load<std::int64_t>(kernel::element(p.index, in_index), p.index.dtype);
      base_index[d] = kernel::checked_index(i, (*p.base.shape)[d], d, p.negative, p.op);
    }
    f(base_index, at);
  });
}

void copy_unless_same_memory(const View& base, const View& before) {
  if (base.data != before.data && !kernel::copy_fast(base, before))
    kernel::copy_elements(base, before);
}

template <class T>
void add_runs(const SelectedRuns& runs, const View& base, const View& selection) {
  constexpr std::conditional_t<is_narrow_float<T>, float, T> scale = 1;
  runs.for_each_in_order(
      [&](std::int64_t to, std::int64_t from, std::int64_t first, std::int64_t n) {
        T* const a = reinterpret_cast<T*>(base.data + to) + first;
        const T* const b = reinterpret_cast<const T*>(selection.data + from) + first;
        if constexpr (!is_narrow_float<T>)
          if (n == 1) {
            *a += *b;
            return;
          }
        add_scaled(a, b, n, scale);
      });
}

/// Copies runs from the selection to the base, or in the opposite direction.
template <bool ToBase>
void copy_runs(const SelectedRuns& runs, const View& base, const View& selection) {
  const std::int64_t size = kernel::element_size(base);
  const auto visit = [&](auto&& f) {
    if constexpr (ToBase)
      runs.for_each_in_order(f);
    else
      runs.for_each(f);
  };
  const auto copy_whole = [&]<std::size_t Bytes>() {
    visit([&](std::int64_t a, std::int64_t b, std::int64_t, std::int64_t) {
      std::byte *const in_base = base.data + a, *const in_selection = selection.data + b;
      std::memcpy(ToBase ? in_base : in_selection, ToBase ? in_selection : in_base, Bytes);
    });
  };
  switch (runs.length() * size) {  // copies of constant size are single instructions
    case 1: return copy_whole.template operator()<1>();
    case 2: return copy_whole.template operator()<2>();
    case 4: return copy_whole.template operator()<4>();
    case 8: return copy_whole.template operator()<8>();
    default: break;
  }
  visit([&](std::int64_t a, std::int64_t b, std::int64_t first, std::int64_t n) {
    std::byte *const in_base = base.data + a + first * size, *const in_selection =
                                                                 selection.data + b + first * size;
    std::memcpy(ToBase ? in_base : in_selection, ToBase ? in_selection : in_base,
                static_cast<std::size_t>(n * size));
  });
}

/// Reads elements of a vector in one pass, which also checks the indices. Returns false if the
/// operands have another form.
bool read_vector(const AdvancedIndexView& p, const View& selection) {
  if (p.base.shape->size() != 1 || p.index.dtype != DType::i64 || !is_contiguous(p.index) ||
      !is_contiguous(selection))
    return false;
  const auto* const index = reinterpret_cast<const std::int64_t*>(p.index.data);
  const std::int64_t size = (*p.base.shape)[0], step = (*p.base.strides)[0];
  visit_element_size(selection.dtype, [&]<class T>(T) {
    const T* const from = reinterpret_cast<const T*>(p.base.data);
    T* const to = reinterpret_cast<T*>(selection.data);
    const auto read = [=](std::int64_t i, std::int64_t at) { to[i] = from[step * at]; };
    cpu::parallel_for(0, selection.numel, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
      if (p.negative)
        for_each_checked_index<true>(index, begin, end, size, 0, p.op, read);
      else
        for_each_checked_index<false>(index, begin, end, size, 0, p.op, read);
    });
  });
  return true;
}

/// Sets the elements of runs of the base to one element.
void fill_runs(const SelectedRuns& runs, const View& base, const std::byte* value) {
  visit_dtype(base.dtype, [&]<class T>(T) {
    T element;
    std::memcpy(&element, value, sizeof(T));
    runs.for_each_in_order([&](std::int64_t to, std::int64_t, std::int64_t first, std::int64_t n) {
      std::fill_n(reinterpret_cast<T*>(base.data + to) + first, n, element);
    });
  });
}

}  // namespace

std::size_t position_of_indices(const Shape& dims) {
  for (std::size_t k = 1; k < dims.size(); ++k)
    if (dims[k] != dims[k - 1] + 1) return 0;
  return static_cast<std::size_t>(dims[0]);
}

Shape selection_shape(const Shape& base, const Shape& dims, const Shape& index) {
  Shape result;
  for (std::size_t d = 0; d < base.size(); ++d)
    if (!contains(dims, d)) result.push_back(base[d]);
  std::size_t at = position_of_indices(dims);
  for (std::size_t d = 1; d < index.size(); ++d) result.insert(at++, index[d]);
  return result;
}

void read_reference(const AdvancedIndexView& p, const View& selection) {
  for_each_selected_element(p, *selection.shape, [&](const Shape& base, const Shape& at) {
    kernel::copy_element(kernel::element(selection, at), selection.dtype,
                         kernel::element(p.base, base), p.base.dtype);
  });
}

void read_fast(const AdvancedIndexView& p, const View& selection) {
  if (!read_vector(p, selection)) copy_runs<false>(SelectedRuns(p, selection), p.base, selection);
}

void write_reference(const AdvancedIndexView& p, const View& before, const View& values,
                     bool accumulate) {
  const Shape shape = selection_shape(*p.base.shape, p.dims, *p.index.shape);
  Shape strides;
  const View selection = expand_view(values, shape, strides);
  for_each_selected_element(p, shape,
                            [](const Shape&, const Shape&) {});  // throws for indices out of range
  copy_unless_same_memory(p.base, before);
  for_each_selected_element(p, shape, [&](const Shape& base, const Shape& at) {
    std::byte* to = kernel::element(p.base, base);
    if (accumulate)
      kernel::add_element(to, p.base.dtype, kernel::element(selection, at), selection.dtype);
    else
      kernel::copy_element(to, p.base.dtype, kernel::element(selection, at), selection.dtype);
  });
}

bool write_fast(const AdvancedIndexView& p, const View& before, const View& values,
                bool accumulate) {
  const DType dtype = p.base.dtype;
  if (values.dtype != dtype || (accumulate && !is_floating_point(dtype))) return false;
  const Shape shape = selection_shape(*p.base.shape, p.dims, *p.index.shape);
  Shape strides;
  const View selection = expand_view(values, shape, strides);
  const bool fills = !accumulate && values.numel == 1;
  const SelectedRuns runs(p, selection, fills);
  copy_unless_same_memory(p.base, before);
  if (fills)
    fill_runs(runs, p.base, values.data);
  else if (!accumulate)
    copy_runs<true>(runs, p.base, selection);
  else
    visit_dtype(dtype, [&]<class T>(T) {
      if constexpr (is_floating_element<T>) add_runs<T>(runs, p.base, selection);
    });
  return true;
}

}  // namespace taper::indexing
