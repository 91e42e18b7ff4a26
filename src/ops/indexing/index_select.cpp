#include "ops/indexing/index_select.h"

#include <cstring>

#include "ops/copy/copy_kernel.h"
#include "ops/forms.h"
#include "ops/kernel/index.h"

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
  const auto d = static_cast<std::size_t>(wrap_dim(dim, i.rank(0), op.name));
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
  const auto d = static_cast<std::size_t>(wrap_dim(dim, i.rank(0), op.name));
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
  const Indices index{k.in[1], size, d, "index_select"};
  const auto bytes = static_cast<std::size_t>(from.inner);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = index[i];
    for (std::int64_t n = 0; n < from.outer && bytes != 0; ++n)
      std::memcpy(out.data + (n * count + i) * to.inner, x.data + (n * size + at) * from.inner,
                  bytes);
  }
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
template <class T>
void add_slices(const IndexAdd& o, const KernelArgs& k, std::size_t d, const MemorySlices& s) {
  const std::int64_t size = (*k.out[0].shape)[d], count = (*k.in[2].shape)[d];
  const std::int64_t inner = s.inner / static_cast<std::int64_t>(sizeof(T));
  const Indices index{k.in[1], size, d, "index_add"};
  const T scale = static_cast<T>(o.alpha.to_double());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = index[i];
    for (std::int64_t n = 0; n < s.outer; ++n) {
      T* to = reinterpret_cast<T*>(k.out[0].data) + (n * size + at) * inner;
      const T* from = reinterpret_cast<const T*>(k.in[2].data) + (n * count + i) * inner;
      for (std::int64_t j = 0; j < inner; ++j) to[j] += scale * from[j];
    }
  }
}
}  // namespace

template <> bool cpu_kernel(const IndexAdd& o, const KernelArgs& k) {
  const View &x = k.in[0], &source = k.in[2], &out = k.out[0];
  if (x.shape->empty() || (out.dtype != DType::f32 && out.dtype != DType::f64)) return false;
  const auto d = static_cast<std::size_t>(wrap_dim(o.dim, x.shape->size(), "index_add"));
  MemorySlices from, to;
  if (!row_major_slices(source, d, from) || !row_major_slices(out, d, to)) return false;
  const Indices index{k.in[1], (*x.shape)[d], d, "index_add"};
  for (std::int64_t i = 0, n = k.in[1].numel; i < n; ++i) (void)index[i];
  if (out.data != x.data && !kernel::copy_fast(out, x)) kernel::copy_elements(out, x);
  if (out.dtype == DType::f32)
    add_slices<float>(o, k, d, to);
  else
    add_slices<double>(o, k, d, to);
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
