#include "ops/indexing/advanced_index_kernel.h"

#include <array>
#include <cstring>
#include <vector>

#include "ops/copy/copy_kernel.h"
#include "ops/kernel/index.h"

namespace taper::indexing {
namespace {

using kernel::element_size;

bool contains(const Shape& dims, std::size_t d) {
  for (std::int64_t e : dims)
    if (static_cast<std::size_t>(e) == d) return true;
  return false;
}

/// Returns `v` broadcast to `to`, with stride 0 in expanded dimensions.
View broadcast(const View& v, const Shape& to, Shape& strides) {
  strides = Shape::filled(to.size(), 0);
  const std::size_t lead = to.size() - v.shape->size();
  for (std::size_t d = lead; d < to.size(); ++d)
    if ((*v.shape)[d - lead] == to[d]) strides[d] = (*v.strides)[d - lead];
  return {v.data, &to, &strides, to.numel(), v.dtype, v.storage};
}

/// Calls f(index in the whole, index in the part) for each element of the part.
template <class F> void each_element(const AdvancedIndexView& p, const Shape& part, F&& f) {
  const std::size_t first = position_of_indices(p.dims), common = p.index.shape->size() - 1;
  kernel::for_each_index(part, [&](const Shape& at) {
    Shape in_whole = Shape::filled(p.whole.shape->size(), 0), in_index{0};
    for (std::size_t d = 0; d < common; ++d) in_index.push_back(at[first + d]);
    std::size_t next = 0;  // the next dimension of the part that is not an index dimension
    for (std::size_t d = 0; d < in_whole.size(); ++d) {
      if (contains(p.dims, d)) continue;
      if (next == first) next += common;
      in_whole[d] = at[next++];
    }
    for (std::size_t k = 0; k < p.dims.size(); ++k) {
      const auto d = static_cast<std::size_t>(p.dims[k]);
      in_index[0] = static_cast<std::int64_t>(k);
      const auto i = kernel::load<std::int64_t>(kernel::element(p.index, in_index), p.index.dtype);
      in_whole[d] = kernel::checked_index(i, (*p.whole.shape)[d], d, p.negative, p.op);
    }
    f(in_whole, at);
  });
}

void begin_from(const View& whole, const View& before) {
  if (whole.data != before.data && !kernel::copy_fast(whole, before))
    kernel::copy_elements(whole, before);
}

/// Byte offsets of an element in the whole and in the part.
using Offsets = std::array<std::int64_t, 2>;

/// Runs of contiguous elements that the part consists of: one run per pair of a selected index and
/// an offset.
struct Runs {
  std::vector<Offsets> places, offsets;
  std::int64_t length = 1;

  Runs(const AdvancedIndexView& p, const View& part) {
    const std::size_t first = position_of_indices(p.dims);
    add_at_index(p, part, first);
    Shape sizes, whole, own;
    const std::size_t common = p.index.shape->size() - 1;
    for (std::size_t d = 0, next = 0; d < p.whole.shape->size(); ++d) {
      if (contains(p.dims, d)) continue;
      if (next == first) next += common;
      sizes.push_back((*p.whole.shape)[d]);
      whole.push_back((*p.whole.strides)[d]);
      own.push_back((*part.strides)[next++]);
    }
    while (!sizes.empty() &&
           (sizes.back() == 1 || (whole.back() == length && own.back() == length))) {
      length *= sizes.back();
      for (Shape* s : {&sizes, &whole, &own}) s->erase(s->size() - 1);
    }
    const View a{nullptr, &sizes, &whole, 0, part.dtype, nullptr},
        b{nullptr, &sizes, &own, 0, part.dtype, nullptr};
    kernel::walk(sizes, std::array<const View*, 2>{&a, &b},
                 [&](const Offsets& at) { offsets.push_back(at); });
  }
  /// Calls f(address in the whole, address in the part) for each run.
  template <class F> void each(std::byte* whole, std::byte* part, F&& f) const {
    for (const Offsets& p : places)
      for (const Offsets& o : offsets) f(whole + p[0] + o[0], part + p[1] + o[1]);
  }

 private:
  void add_at_index(const AdvancedIndexView& p, const View& part, std::size_t first) {
    Shape sizes, index, own;
    for (std::size_t d = 1; d < p.index.shape->size(); ++d) {
      sizes.push_back((*p.index.shape)[d]);
      index.push_back((*p.index.strides)[d]);
      own.push_back((*part.strides)[first + d - 1]);
    }
    const View a{nullptr, &sizes, &index, 0, p.index.dtype, nullptr},
        b{nullptr, &sizes, &own, 0, part.dtype, nullptr};
    const std::int64_t step = (*p.index.strides)[0] * element_size(p.index);
    kernel::walk(sizes, std::array<const View*, 2>{&a, &b}, [&](const Offsets& at) {
      std::int64_t to = 0;
      for (std::size_t k = 0; k < p.dims.size(); ++k) {
        const auto d = static_cast<std::size_t>(p.dims[k]);
        const std::byte* from = p.index.data + at[0] + static_cast<std::int64_t>(k) * step;
        const auto i = kernel::load<std::int64_t>(from, p.index.dtype);
        to += kernel::checked_index(i, (*p.whole.shape)[d], d, p.negative, p.op) *
              (*p.whole.strides)[d];
      }
      places.push_back({to * element_size(p.whole), at[1]});
    });
  }
};

template <class T> void add_runs(const Runs& runs, const View& whole, const View& part) {
  runs.each(whole.data, part.data, [&](std::byte* to, const std::byte* from) {
    auto* a = reinterpret_cast<T*>(to);
    const auto* b = reinterpret_cast<const T*>(from);
    for (std::int64_t i = 0; i < runs.length; ++i) a[i] += b[i];
  });
}

/// Copies runs from the part to the whole, or in the opposite direction.
template <bool ToWhole> void copy_runs(const Runs& runs, const View& whole, const View& part) {
  const auto move = [&](std::size_t bytes) {
    runs.each(whole.data, part.data, [&](std::byte* a, std::byte* b) {
      std::memcpy(ToWhole ? a : b, ToWhole ? b : a, bytes);
    });
  };
  // A constant size compiles to a single move instruction.
  const std::size_t bytes = static_cast<std::size_t>(runs.length) * size_of(part.dtype);
  if (bytes == 4)
    move(4);
  else if (bytes == 8)
    move(8);
  else
    move(bytes);
}

}  // namespace

std::size_t position_of_indices(const Shape& dims) {
  for (std::size_t k = 1; k < dims.size(); ++k)
    if (dims[k] != dims[k - 1] + 1) return 0;
  return static_cast<std::size_t>(dims[0]);
}

Shape picked_shape(const Shape& whole, const Shape& dims, const Shape& index) {
  Shape result;
  for (std::size_t d = 0; d < whole.size(); ++d)
    if (!contains(dims, d)) result.push_back(whole[d]);
  std::size_t at = position_of_indices(dims);
  for (std::size_t d = 1; d < index.size(); ++d) result.insert(at++, index[d]);
  return result;
}

void read_reference(const AdvancedIndexView& p, const View& part) {
  each_element(p, *part.shape, [&](const Shape& whole, const Shape& at) {
    kernel::copy_element(kernel::element(part, at), part.dtype, kernel::element(p.whole, whole),
                         p.whole.dtype);
  });
}

void read_fast(const AdvancedIndexView& p, const View& part) {
  copy_runs<false>(Runs(p, part), p.whole, part);
}

void write_reference(const AdvancedIndexView& p, const View& before, const View& values,
                     bool accumulate) {
  const Shape shape = picked_shape(*p.whole.shape, p.dims, *p.index.shape);
  Shape strides;
  const View part = broadcast(values, shape, strides);
  each_element(p, shape, [](const Shape&, const Shape&) {});  // throws for indices out of range
  begin_from(p.whole, before);
  each_element(p, shape, [&](const Shape& whole, const Shape& at) {
    std::byte* to = kernel::element(p.whole, whole);
    if (accumulate)
      kernel::add_element(to, p.whole.dtype, kernel::element(part, at), part.dtype);
    else
      kernel::copy_element(to, p.whole.dtype, kernel::element(part, at), part.dtype);
  });
}

bool write_fast(const AdvancedIndexView& p, const View& before, const View& values,
                bool accumulate) {
  const DType dtype = p.whole.dtype;
  if (values.dtype != dtype || (accumulate && dtype != DType::f32 && dtype != DType::f64))
    return false;
  const Shape shape = picked_shape(*p.whole.shape, p.dims, *p.index.shape);
  Shape strides;
  const View part = broadcast(values, shape, strides);
  const Runs runs(p, part);
  begin_from(p.whole, before);
  if (!accumulate)
    copy_runs<true>(runs, p.whole, part);
  else if (dtype == DType::f32)
    add_runs<float>(runs, p.whole, part);
  else
    add_runs<double>(runs, p.whole, part);
  return true;
}

}  // namespace taper::indexing
