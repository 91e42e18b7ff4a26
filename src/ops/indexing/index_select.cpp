#include "ops/indexing/index_select.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "ops/copy/copy_kernel.h"
#include "ops/forms.h"
#include "ops/indexing/add_scaled.h"
#include "ops/indexing/indexed_layout.h"

namespace taper {
namespace {

void check_index(const ShapeInference& i) {
  if (i.dtype(1) != DType::i64 && i.dtype(1) != DType::i32)
    i.fail<DTypeError>("Expected dtype int32 or int64 for index: got {}", i.dtype(1));
  if (i.rank(1) > 1) i.fail("Index is supposed to be a vector: got shape {}", i.shape(1));
}

/// Sequence of indices. Access throws IndexError if an index is negative or out of range.
struct Indices {
  const View& view;
  std::int64_t size;
  std::size_t dim;
  std::string_view op;
  std::int64_t operator[](std::int64_t i) const {
    const std::int64_t step = view.shape->empty() ? 0 : (*view.strides)[0];
    const auto v =
        kernel::load<std::int64_t>(view.data + i * step * kernel::element_size(view), view.dtype);
    return kernel::checked_index(v, size, dim, false, op);
  }
  /// Returns the first n indices.
  std::vector<std::int64_t> checked(std::int64_t n) const {
    std::vector<std::int64_t> all(static_cast<std::size_t>(n));
    if (view.dtype == DType::i64 && view.numel == n && is_contiguous(view)) {
      std::copy_n(reinterpret_cast<const std::int64_t*>(view.data), n, all.data());
      indexing::check_indices(all.data(), n, {.size = size, .dim = dim}, op);
    } else {
      for (std::int64_t i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = (*this)[i];
    }
    return all;
  }
};

/// Slices of equal size in memory: `outer` groups of slices of `inner` bytes each.
struct MemorySlices {
  std::int64_t outer = 1, inner = 1;
};
/// Computes the slices of dimension d. Returns false if the view is not contiguous.
bool row_major_slices(const View& v, std::size_t d, MemorySlices& s) {
  if (!is_contiguous(v)) return false;
  for (std::size_t e = 0; e < v.shape->size(); ++e)
    (e > d ? s.inner : s.outer) *= e == d ? 1 : (*v.shape)[e];
  s.inner *= kernel::element_size(v);
  return true;
}

}  // namespace

void IndexSelect::infer(ShapeInference& i) const {
  const auto d = static_cast<std::size_t>(wrap_dim(dim, i.rank(0), op.function()));
  check_index(i);
  Shape result = i.shape(0);
  const std::int64_t count = i.rank(1) == 0 ? 1 : i.shape(1)[0];
  if (!result.empty())
    result[d] = count;
  else if (count != 1)
    i.fail("index of a 0-dim tensor must have one element: got {}", count);
  i.set_output(result, i.dtype(0));
}

void IndexSelect::backward(BackwardContext<IndexSelect>& b) const {
  const Tensor full_grad = indexing::zeros_for(b.input_meta(0).shape, b.grad());
  b[0] = full_grad.index_add_(dim, b.input<1>(), b.grad());
}

void IndexAdd::infer(ShapeInference& i) const {
  const auto d = static_cast<std::size_t>(wrap_dim(dim, i.rank(0), op.function()));
  check_index(i);
  if (i.dtype(2) != i.dtype(0))
    i.fail<DTypeError>("self ({}) and source ({}) must have the same scalar type", i.dtype(0),
                       i.dtype(2));
  Shape expected_shape = i.shape(0);
  const std::int64_t count = i.rank(1) == 0 ? 1 : i.shape(1)[0];
  if (!expected_shape.empty()) expected_shape[d] = count;
  if (!(i.shape(2) == expected_shape))
    i.fail(
        "source of shape {} does not match: expected {} for input of shape {}, dim {} and {} "
        "indices",
        i.shape(2), expected_shape, i.shape(0), d, count);
  i.check_range(alpha, i.dtype(0));
  i.set_output(i.shape(0), i.dtype(0));
}

void IndexAdd::backward(BackwardContext<IndexAdd>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad();
  if (b.needs_input_grad(2)) {
    const Tensor selected = b.grad().index_select(dim, b.input<1>()).reshape(b.input_meta(2).shape);
    b[2] = alpha == Scalar(1) ? selected : selected * alpha;
  }
}

template <> void reference_kernel(const IndexSelect& o, const KernelArgs& k) {
  const View &x = k.in[0], &out = k.out[0];
  const auto d = static_cast<std::size_t>(wrap_dim(o.dim, x.shape->size(), "index_select"));
  const Indices index{k.in[1], x.shape->empty() ? 1 : (*x.shape)[d], d, "index_select"};
  kernel::for_each_index(*out.shape, [&](const Shape& at) {
    Shape from = at;
    if (!from.empty())
      from[d] = index[at[d]];
    else
      (void)index[0];
    kernel::copy_element(kernel::element(out, at), out.dtype, kernel::element(x, from), x.dtype);
  });
}

template <> bool cpu_kernel(const IndexSelect& o, const KernelArgs& k) {
  const View &x = k.in[0], &out = k.out[0];
  if (x.shape->empty()) return false;
  const auto d = static_cast<std::size_t>(wrap_dim(o.dim, x.shape->size(), "index_select"));
  MemorySlices from, to;
  if (!row_major_slices(x, d, from) || !row_major_slices(out, d, to)) return false;
  const std::int64_t size = (*x.shape)[d], count = (*out.shape)[d];
  const std::vector<std::int64_t> index = Indices{k.in[1], size, d, "index_select"}.checked(count);
  if (out.numel == 0) return true;
  const std::int64_t* const at = index.data();
  const std::int64_t inner = from.inner;
  // Rows of 2, 4 or 8 bytes are elements of type T.
  const auto copy_elements_of = [&]<class T>(T) {
    const T* const x_data = reinterpret_cast<const T*>(x.data);
    T* const out_data = reinterpret_cast<T*>(out.data);
    cpu::parallel_for(0, from.outer, 1 + (1 << 14) / count, [&](std::int64_t b, std::int64_t e) {
      for (std::int64_t n = b; n < e; ++n) {
        const T* const row = x_data + n * size;
        T* const to_row = out_data + n * count;
        for (std::int64_t i = 0; i < count; ++i) to_row[i] = row[at[i]];
      }
    });
  };
  switch (inner) {
    case 2: copy_elements_of(std::uint16_t{}); return true;
    case 4: copy_elements_of(std::uint32_t{}); return true;
    case 8: copy_elements_of(std::uint64_t{}); return true;
    default: break;
  }
  cpu::parallel_for(
      0, from.outer * count, 1 + (1 << 16) / inner, [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t i = b; i < e; ++i)
          std::memcpy(out.data + i * inner, x.data + (i / count * size + at[i % count]) * inner,
                      static_cast<std::size_t>(inner));
      });
  return true;
}

template <> void reference_kernel(const IndexAdd& o, const KernelArgs& k) {
  const View &x = k.in[0], &source = k.in[2], &out = k.out[0];
  const auto d = static_cast<std::size_t>(wrap_dim(o.dim, x.shape->size(), "index_add"));
  const Indices index{k.in[1], x.shape->empty() ? 1 : (*x.shape)[d], d, "index_add"};
  for (std::int64_t i = 0, n = k.in[1].numel; i < n; ++i) (void)index[i];
  if (out.data != x.data) kernel::copy_elements(out, x);
  kernel::for_each_index(*source.shape, [&](const Shape& at) {
    Shape to = at;
    if (!to.empty()) to[d] = index[at[d]];
    kernel::add_element(kernel::element(out, to), out.dtype, kernel::element(source, at),
                        source.dtype, o.alpha);
  });
}

namespace {
template <class T, class Scale>
void add_slices(const KernelArgs& k, const std::vector<std::int64_t>& index, std::int64_t size,
                const MemorySlices& s, Scale scale) {
  const auto count = std::ssize(index);
  const std::int64_t inner = s.inner / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t* const at = index.data();
  if constexpr (!is_narrow_float<T>)
    if (inner == 1) {
      cpu::parallel_for(
          0, s.outer, 1 + (1 << 14) / (1 + count), [&](std::int64_t b, std::int64_t e) {
            for (std::int64_t n = b; n < e; ++n) {
              T* const to = reinterpret_cast<T*>(k.out[0].data) + n * size;
              const T* const from = reinterpret_cast<const T*>(k.in[2].data) + n * count;
              for (std::int64_t i = 0; i < count; ++i) to[at[i]] += scale * from[i];
            }
          });
      return;
    }
  indexing::for_each_column_block(
      s.outer, count, inner, [&](std::int64_t n, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = 0; i < count; ++i) {
          T* const to = reinterpret_cast<T*>(k.out[0].data) + (n * size + at[i]) * inner;
          const T* const from = reinterpret_cast<const T*>(k.in[2].data) + (n * count + i) * inner;
          indexing::add_scaled(to + begin, from + begin, end - begin, scale);
        }
      });
}
}  // namespace

template <> bool cpu_kernel(const IndexAdd& o, const KernelArgs& k) {
  const View &x = k.in[0], &source = k.in[2], &out = k.out[0];
  if (x.shape->empty() || !is_floating_point(out.dtype)) return false;
  const auto d = static_cast<std::size_t>(wrap_dim(o.dim, x.shape->size(), "index_add"));
  MemorySlices from, to;
  if (!row_major_slices(source, d, from) || !row_major_slices(out, d, to)) return false;
  const std::int64_t size = (*x.shape)[d];
  const std::vector<std::int64_t> index =
      Indices{k.in[1], size, d, "index_add"}.checked(k.in[1].numel);
  if (out.data != x.data && !kernel::copy_fast(out, x)) kernel::copy_elements(out, x);
  const double alpha = o.alpha.to_double();
  switch (out.dtype) {
    case DType::f64: add_slices<double>(k, index, size, to, alpha); break;
    case DType::f32: add_slices<float>(k, index, size, to, static_cast<float>(alpha)); break;
    case DType::f16: add_slices<Half>(k, index, size, to, static_cast<float>(alpha)); break;
    default: add_slices<BFloat16>(k, index, size, to, static_cast<float>(alpha));
  }
  return true;
}

TAPER_DEFINE_OP(index_select, IndexSelect);
TAPER_DEFINE_OP(index_add, IndexAdd);

TAPER_FUNCTION(index_select, (IntArg dim, const Tensor& index), IndexSelect{dim}, index)
TAPER_METHOD(Indexing, index_select, (IntArg dim, const Tensor& index), IndexSelect{dim}, index)
TAPER_METHODS(Indexing, index_add,
              (IntArg dim, const Tensor& index, const Tensor& source, const Scalar& alpha),
              (IndexAdd{dim, alpha}), index, source)

}  // namespace taper
