#include "ops/indexing/index.h"

#include "ops/indexing/advanced_index_kernel.h"

namespace taper {
namespace {

/// Returns the shape of the selection. Throws ShapeError or IndexError for invalid dimensions or
/// indices.
Shape infer_selection_shape(const ShapeInference& i, const Shape& dims) {
  const Shape &x = i.shape(0), &index = i.shape(1);
  if (dims.empty() || index.empty() || index[0] != static_cast<std::int64_t>(dims.size()))
    i.fail("expected one index for each of the dimensions {}, got an index of shape {}", dims,
           index);
  for (std::size_t k = 0; k < dims.size(); ++k)
    if (dims[k] >= static_cast<std::int64_t>(x.size()) || dims[k] < (k > 0 ? dims[k - 1] + 1 : 0))
      i.fail<IndexError>("expected ascending dimensions of a tensor of shape {}, got {}", x, dims);
  if (i.dtype(1) != DType::i64 && i.dtype(1) != DType::i32)
    i.fail<IndexError>("tensors used as indices must be long or int tensors: got {}", i.dtype(1));
  return indexing::selection_shape(x, dims, index);
}

}  // namespace

void IndexOp::infer(ShapeInference& i) const {
  i.set_output(infer_selection_shape(i, dims), i.dtype(0));
}
void IndexOp::backward(BackwardContext<IndexOp>& b) const {
  const Tensor full_grad = indexing::zeros_for(b.input_meta(0).shape, b.grad());
  b[0] = run_inplace(IndexPut{dims, true}, full_grad, b.input<1>(), b.grad());
}

void IndexPut::infer(ShapeInference& i) const {
  const Shape selection = infer_selection_shape(i, dims);
  if (i.dtype(2) != i.dtype(0))
    i.fail<DTypeError>(
        "Index put requires the source and destination dtypes match, got {} for the destination "
        "and {} for the source.",
        i.dtype(0), i.dtype(2));
  const Shape& values = i.shape(2);
  bool fits = values.size() <= selection.size();
  for (std::size_t d = 1; fits && d <= values.size(); ++d) {
    const std::int64_t have = values[values.size() - d];
    fits = have == 1 || have == selection[selection.size() - d];
  }
  if (!fits)
    i.fail(
        "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape "
        "{}",
        values, selection);
  i.set_output(i.shape(0), i.dtype(0));
}
void IndexPut::backward(BackwardContext<IndexPut>& b) const {
  if (b.needs_input_grad(0))
    b[0] = accumulate
               ? b.grad()
               : run(IndexPut{dims}, b.grad(), b.input<1>(), indexing::zeros_for({}, b.grad()));
  if (b.needs_input_grad(2)) b[2] = run(IndexOp{dims}, b.grad(), b.input<1>());
}

template <> void reference_kernel(const IndexOp& o, const KernelArgs& k) {
  indexing::read_reference({k.in[0], o.dims, k.in[1], true, "index"}, k.out[0]);
}
template <> bool cpu_kernel(const IndexOp& o, const KernelArgs& k) {
  indexing::read_fast({k.in[0], o.dims, k.in[1], true, "index"}, k.out[0]);
  return true;
}
template <> void reference_kernel(const IndexPut& o, const KernelArgs& k) {
  indexing::write_reference({k.out[0], o.dims, k.in[1], true, "index_put"}, k.in[0], k.in[2],
                            o.accumulate);
}
template <> bool cpu_kernel(const IndexPut& o, const KernelArgs& k) {
  return indexing::write_fast({k.out[0], o.dims, k.in[1], true, "index_put"}, k.in[0], k.in[2],
                              o.accumulate);
}

TAPER_DEFINE_OP(index, IndexOp);
TAPER_DEFINE_OP(index_put, IndexPut);

}  // namespace taper
