#include "ops/indexing/index_fill.h"

#include "ops/forms.h"
#include "ops/indexing/advanced_index_kernel.h"
#include "ops/kernel/element.h"

namespace taper {
namespace {

void check_vector(const ShapeInference& i) {
  if (i.dtype(1) != DType::i64)
    i.fail<IndexError>("Expected dtype int64 for index: got {}", i.dtype(1));
  if (i.rank(1) > 1)
    i.fail<IndexError>("Index has to be a vector/scalar: got shape {}", i.shape(1));
}

void infer_fill(ShapeInference& i, std::int64_t dim) {
  wrap_dim(dim, i.rank(0), i.op.function());
  check_vector(i);
  i.set_output(i.shape(0), i.dtype(0));
}

/// Arguments of the advanced indexing kernels for a vector of indices along one dimension. Tensors
/// of 0 dimensions are viewed as 1-dimensional.
struct SliceArguments {
  Shape dims, one{1}, index_shape{1, 1}, index_strides{0, 0};
  View whole, before, index;

  SliceArguments(const KernelArgs& k, std::int64_t dim)
      : dims{wrap_dim(dim, k.in[0].shape->size(), "index_fill")},
        whole(k.out[0]),
        before(k.in[0]),
        index(k.in[1]) {
    for (View* v : {&whole, &before})
      if (v->shape->empty()) v->shape = v->strides = &one;
    if (!index.shape->empty())
      index_shape[1] = (*index.shape)[0], index_strides[1] = (*index.strides)[0];
    index.shape = &index_shape, index.strides = &index_strides;
  }
  SliceArguments(const SliceArguments&) = delete;
  SliceArguments& operator=(const SliceArguments&) = delete;
};

template <bool Fast> bool write_slices(const KernelArgs& k, std::int64_t dim, const View& values,
                                       bool negative, std::string_view op) {
  const SliceArguments s(k, dim);
  const indexing::AdvancedIndexView to{s.whole, s.dims, s.index, negative, op};
  if (Fast) return indexing::write_fast(to, s.before, values, false);
  indexing::write_reference(to, s.before, values, false);
  return true;
}

template <bool Fast> bool fill_slices(const IndexFill& o, const KernelArgs& k) {
  const DType dtype = k.out[0].dtype;
  alignas(8) std::byte one[8];
  kernel::store(one, dtype, o.value);
  const Shape scalar;
  return write_slices<Fast>(k, o.dim, {one, &scalar, &scalar, 1, dtype, nullptr}, true,
                            "index_fill");
}

}  // namespace

void IndexFill::infer(ShapeInference& i) const {
  infer_fill(i, dim);
  i.check_range(value, i.dtype(0));
}
void IndexFill::backward(BackwardContext<IndexFill>& b) const {
  b[0] = b.grad().index_fill(dim, b.input<1>(), 0);
}

void IndexFillTensor::infer(ShapeInference& i) const {
  indexing::check_value(i);
  infer_fill(i, dim);
}
void IndexFillTensor::backward(BackwardContext<IndexFillTensor>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad().index_fill(dim, b.input<1>(), 0);
  if (b.needs_input_grad(2))
    b[2] = (b.grad() * zeros_like(b.grad()).index_fill(dim, b.input<1>(), 1)).sum();
}

void IndexCopy::infer(ShapeInference& i) const {
  const auto d = static_cast<std::size_t>(wrap_dim(dim, i.rank(0), op.function()));
  check_vector(i);
  if (i.dtype(2) != i.dtype(0))
    i.fail<DTypeError>(
        "self and source expected to have the same dtype, but got (self) {} and "
        "(source) {}",
        i.dtype(0), i.dtype(2));
  const Shape &x = i.shape(0), &source = i.shape(2);
  const std::int64_t count = i.rank(1) == 0 ? 1 : i.shape(1)[0];
  if (!x.empty() && !source.empty() && x.size() != source.size())
    i.fail(
        "When source and destination are not scalars, their dimensionality must match. Source "
        "dimensionality ({}), destination dimensionality ({})",
        source.size(), x.size());
  const std::int64_t source_size = source.empty() ? 1 : source[std::min(d, source.size() - 1)];
  if (source_size != count)
    i.fail("Number of indices ({}) should be equal to source.size(dim) ({})", count, source_size);
  for (std::size_t e = 0; e < source.size() && e < x.size(); ++e)
    if (e != d && source[e] != x[e])
      i.fail(
          "Source/destination tensor must have same slice shapes: got source of shape {} for "
          "input of shape {} and dimension {}",
          source, x, d);
  i.set_output(x, i.dtype(0));
}
void IndexCopy::backward(BackwardContext<IndexCopy>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad().index_fill(dim, b.input<1>(), 0);
  if (b.needs_input_grad(2))
    b[2] = b.grad().index_select(dim, b.input<1>()).reshape(b.input_meta(2).shape);
}

template <> void reference_kernel(const IndexFill& o, const KernelArgs& k) {
  fill_slices<false>(o, k);
}
template <> bool cpu_kernel(const IndexFill& o, const KernelArgs& k) {
  return fill_slices<true>(o, k);
}
template <> void reference_kernel(const IndexFillTensor& o, const KernelArgs& k) {
  indexing::check_value_range(k, "index_fill");
  write_slices<false>(k, o.dim, k.in[2], true, "index_fill");
}
template <> bool cpu_kernel(const IndexFillTensor& o, const KernelArgs& k) {
  indexing::check_value_range(k, "index_fill");
  return write_slices<true>(k, o.dim, k.in[2], true, "index_fill");
}
template <> void reference_kernel(const IndexCopy& o, const KernelArgs& k) {
  write_slices<false>(k, o.dim, k.in[2], false, "index_copy");
}
template <> bool cpu_kernel(const IndexCopy& o, const KernelArgs& k) {
  return write_slices<true>(k, o.dim, k.in[2], false, "index_copy");
}

TAPER_DEFINE_OP(index_fill, IndexFill);
TAPER_DEFINE_OP(index_fill_tensor, IndexFillTensor);
TAPER_DEFINE_OP(index_copy, IndexCopy);

TAPER_METHODS(Indexing, index_fill, (IntArg dim, const Tensor& index, const Scalar& value),
              (IndexFill{dim, value}), index)
TAPER_METHODS(Indexing, index_fill, (IntArg dim, const Tensor& index, const Tensor& value),
              IndexFillTensor{dim}, index, value)
TAPER_METHODS(Indexing, index_copy, (IntArg dim, const Tensor& index, const Tensor& source),
              IndexCopy{dim}, index, source)

}  // namespace taper
