#include "ops/indexing/advanced_index_kernel.h"

#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

#include "ops/copy/copy_kernel.h"
#include "ops/indexing/add_scaled.h"
#include "ops/kernel/index.h"

namespace taper::indexing {
namespace {

using kernel::element_size;

bool contains(const Shape& dims, std::size_t d) {
  for (std::int64_t e : dims)
    if (static_cast<std::size_t>(e) == d) return true;
  return false;
}

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

/// Byte offsets of an element in the base and in the selection.
using Offsets = std::array<std::int64_t, 2>;

/// Runs of contiguous elements that the selection consists of: one run per pair of a selected index
/// and an offset.
struct Runs {
  std::vector<Offsets> index_offsets, offsets;
  std::int64_t length = 1;

  Runs(const AdvancedIndexView& p, const View& selection) {
    const std::size_t first = position_of_indices(p.dims);
    add_index_offsets(p, selection, first);
    Shape sizes, base, selection_strides;
    const std::size_t index_rank = p.index.shape->size() - 1;
    for (std::size_t d = 0, next = 0; d < p.base.shape->size(); ++d) {
      if (contains(p.dims, d)) continue;
      if (next == first) next += index_rank;
      sizes.push_back((*p.base.shape)[d]);
      base.push_back((*p.base.strides)[d]);
      selection_strides.push_back((*selection.strides)[next++]);
    }
    while (!sizes.empty() &&
           (sizes.back() == 1 || (base.back() == length && selection_strides.back() == length))) {
      length *= sizes.back();
      for (Shape* s : {&sizes, &base, &selection_strides}) s->erase(s->size() - 1);
    }
    const View a{nullptr, &sizes, &base, 0, selection.dtype, nullptr},
        b{nullptr, &sizes, &selection_strides, 0, selection.dtype, nullptr};
    kernel::walk(sizes, std::array<const View*, 2>{&a, &b},
                 [&](const Offsets& at) { offsets.push_back(at); });
  }
  /// Calls f(address in the base, address in the selection) for each run.
  template <class F> void for_each(std::byte* base, std::byte* selection, F&& f) const {
    for (const Offsets& p : index_offsets)
      for (const Offsets& o : offsets) f(base + p[0] + o[0], selection + p[1] + o[1]);
  }

 private:
  void add_index_offsets(const AdvancedIndexView& p, const View& selection, std::size_t first) {
    Shape sizes, index, selection_strides;
    for (std::size_t d = 1; d < p.index.shape->size(); ++d) {
      sizes.push_back((*p.index.shape)[d]);
      index.push_back((*p.index.strides)[d]);
      selection_strides.push_back((*selection.strides)[first + d - 1]);
    }
    const View a{nullptr, &sizes, &index, 0, p.index.dtype, nullptr},
        b{nullptr, &sizes, &selection_strides, 0, selection.dtype, nullptr};
    const std::int64_t step = (*p.index.strides)[0] * element_size(p.index);
    kernel::walk(sizes, std::array<const View*, 2>{&a, &b}, [&](const Offsets& at) {
      std::int64_t to = 0;
      for (std::size_t k = 0; k < p.dims.size(); ++k) {
        const auto d = static_cast<std::size_t>(p.dims[k]);
        const std::byte* from = p.index.data + at[0] + static_cast<std::int64_t>(k) * step;
        const auto i = kernel::load<std::int64_t>(from, p.index.dtype);
        to += kernel::checked_index(i, (*p.base.shape)[d], d, p.negative, p.op) *
              (*p.base.strides)[d];
      }
      index_offsets.push_back({to * element_size(p.base), at[1]});
    });
  }
};

template <class T> void add_runs(const Runs& runs, const View& base, const View& selection) {
  constexpr std::conditional_t<is_narrow_float<T>, float, T> scale = 1;
  runs.for_each(base.data, selection.data, [&](std::byte* to, const std::byte* from) {
    add_scaled(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(from), runs.length, scale);
  });
}

/// Copies runs from the selection to the base, or in the opposite direction.
template <bool ToBase> void copy_runs(const Runs& runs, const View& base, const View& selection) {
  const auto copy_bytes = [&](std::size_t bytes) {
    runs.for_each(base.data, selection.data, [&](std::byte* a, std::byte* b) {
      std::memcpy(ToBase ? a : b, ToBase ? b : a, bytes);
    });
  };
  // A constant size compiles to a single move instruction.
  const std::size_t bytes = static_cast<std::size_t>(runs.length) * size_of(selection.dtype);
  if (bytes == 4)
    copy_bytes(4);
  else if (bytes == 8)
    copy_bytes(8);
  else
    copy_bytes(bytes);
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
  copy_runs<false>(Runs(p, selection), p.base, selection);
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
  const Runs runs(p, selection);
  copy_unless_same_memory(p.base, before);
  if (!accumulate)
    copy_runs<true>(runs, p.base, selection);
  else
    visit_dtype(dtype, [&]<class T>(T) {
      if constexpr (is_floating_element<T>) add_runs<T>(runs, p.base, selection);
    });
  return true;
}

}  // namespace taper::indexing
