#include "ops/indexing/masked.h"

#include "core/number_range.h"
#include "ops/copy/copy_kernel.h"
#include "ops/forms.h"
#include "ops/kernel/index.h"
#include "ops/promote.h"

namespace taper {
namespace {

void check_mask(const ShapeInference& i) {
  if (i.dtype(1) != DType::bool_)
    i.fail<DTypeError>("only supports boolean masks, but got mask with dtype {}", i.dtype(1));
}

/// Returns a mask expanded to `shape`.
Tensor expand_mask(const Tensor& mask, const Shape& shape) { return mask.expand(shape); }

/// Calls f(byte offset in x, n) for the n-th element of x selected by a mask of the same shape.
template <class F> void for_each_true(const View& x, const View& mask, F&& f) {
  std::int64_t n = 0;
  kernel::walk(*x.shape, std::array<const View*, 2>{&x, &mask},
               [&](const std::array<std::int64_t, 2>& at) {
                 if (mask.data[at[1]] != std::byte{0}) f(at[0], n++);
               });
}
std::int64_t count_true(const View& mask) {
  std::int64_t n = 0;
  for_each_true(mask, mask, [&](std::int64_t, std::int64_t) { ++n; });
  return n;
}

}  // namespace

void indexing::check_value_range(const KernelArgs& k, std::string_view op) {
  const View& value = k.in[2];
  if (value.dtype == k.out[0].dtype) return;
  const Element e = read_element(value, 0);
  if (!e.is_integer)
    check_in_range(e.floating, k.out[0].dtype, op);
  else if (e.is_large_uint64)
    check_in_range(e.number(), k.out[0].dtype, op);
  else
    check_in_range(e.integer, k.out[0].dtype, op);
}

void MaskedFill::infer(ShapeInference& i) const {
  check_mask(i);
  i.check_range(value, i.dtype(0));
  i.set_output(*i.broadcast, i.dtype(0));
}
void MaskedFill::backward(BackwardContext<MaskedFill>& b) const {
  b[0] = b.grad().masked_fill(b.input<1>(), 0);
}

void MaskedFillTensor::infer(ShapeInference& i) const {
  check_mask(i);
  indexing::check_value(i);
  i.set_output(*i.broadcast, i.dtype(0));
}
void MaskedFillTensor::backward(BackwardContext<MaskedFillTensor>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad().masked_fill(b.input<1>(), 0);
  if (b.needs_input_grad(2)) b[2] = where(b.input<1>(), b.grad(), 0);  // summed by the engine
}

void MaskedSelect::infer(ShapeInference& i) const {
  check_mask(i);
  i.set_output({size}, i.dtype(0));
}
void MaskedSelect::backward(BackwardContext<MaskedSelect>& b) const {
  Shape shape = b.input_meta(0).shape;
  const Tensor mask = b.input<1>();
  broadcast_into(shape, mask.shape(), op.function());
  const Tensor full_grad = indexing::zeros_for(shape, b.grad());
  b[0] = full_grad.masked_scatter_(mask, b.grad());
}

void MaskedScatter::infer(ShapeInference& i) const {
  check_mask(i);
  if (i.dtype(2) != i.dtype(0))
    i.fail<DTypeError>("expected self and source to have same dtypes but got {} and {}", i.dtype(0),
                       i.dtype(2));
  Shape shape = i.shape(0);
  broadcast_into(shape, i.shape(1), op.function());
  i.set_output(shape, i.dtype(0));
}
void MaskedScatter::backward(BackwardContext<MaskedScatter>& b) const {
  const Tensor mask = b.input<1>();
  if (b.needs_input_grad(0)) b[0] = b.grad().masked_fill(mask, 0);
  if (!b.needs_input_grad(2)) return;
  const Tensor selected = b.grad().masked_select(mask);
  const Shape& source = b.input_meta(2).shape;
  const std::int64_t unused = source.numel() - selected.numel();
  b[2] = cat({selected, indexing::zeros_for({unused}, selected)}).reshape(source);
}

void NonzeroStatic::infer(ShapeInference& i) const {
  if (size < 0) i.fail<ValueError>("size must be non-negative: got {}", size);
  i.set_output({size, static_cast<std::int64_t>(i.rank(0))}, DType::i64);
}

template <> void reference_kernel(const MaskedFill& o, const KernelArgs& k) {
  const View &x = k.in[0], &mask = k.in[1], &out = k.out[0];
  kernel::walk(*out.shape, std::array<const View*, 3>{&x, &mask, &out},
               [&](const std::array<std::int64_t, 3>& at) {
                 std::byte* to = out.data + at[2];
                 if (mask.data[at[1]] == std::byte{0})
                   kernel::copy_element(to, out.dtype, x.data + at[0], x.dtype);
                 else
                   kernel::store(to, out.dtype, o.value);
               });
}
template <> void reference_kernel(const MaskedFillTensor&, const KernelArgs& k) {
  indexing::check_value_range(k, "masked_fill");
  const View &x = k.in[0], &mask = k.in[1], &value = k.in[2], &out = k.out[0];
  kernel::walk(*out.shape, std::array<const View*, 4>{&x, &mask, &value, &out},
               [&](const std::array<std::int64_t, 4>& at) {
                 const bool filled = mask.data[at[1]] != std::byte{0};
                 kernel::copy_element(out.data + at[3], out.dtype,
                                      filled ? value.data + at[2] : x.data + at[0],
                                      filled ? value.dtype : x.dtype);
               });
}
template <> void reference_kernel(const MaskedSelect& o, const KernelArgs& k) {
  const View &x = k.in[0], &out = k.out[0];
  const std::int64_t step = (*out.strides)[0] * kernel::element_size(out), n = count_true(k.in[1]);
  if (n != o.size)
    fail<ShapeError>("masked_select: the mask has {} true elements: expected {}", n, o.size);
  for_each_true(x, k.in[1], [&](std::int64_t at, std::int64_t i) {
    kernel::copy_element(out.data + i * step, out.dtype, x.data + at, x.dtype);
  });
}
template <> void reference_kernel(const MaskedScatter&, const KernelArgs& k) {
  const View &x = k.in[0], &source = k.in[2], &out = k.out[0];
  Shape x_strides, mask_strides;
  const View mask = expand_view(k.in[1], *out.shape, mask_strides);
  const std::int64_t n = count_true(mask);
  if (n > source.numel)
    fail<ShapeError>(
        "masked_scatter: Number of elements of source < number of ones in mask: got {} and {}",
        source.numel, n);
  if (out.data != x.data) kernel::copy_elements(out, expand_view(x, *out.shape, x_strides));
  // Byte offsets of the elements of the source in row-major order.
  std::vector<std::int64_t> from;
  kernel::walk(*source.shape, std::array<const View*, 1>{&source},
               [&](const std::array<std::int64_t, 1>& at) { from.push_back(at[0]); });
  for_each_true(out, mask, [&](std::int64_t at, std::int64_t i) {
    kernel::copy_element(out.data + at, out.dtype, source.data + from[static_cast<std::size_t>(i)],
                         source.dtype);
  });
}
template <> void reference_kernel(const NonzeroStatic& o, const KernelArgs& k) {
  const View &x = k.in[0], &out = k.out[0];
  if (out.numel == 0) return;
  std::int64_t row = 0;
  const auto store_index = [&](std::int64_t r, std::size_t d, std::int64_t v) {
    kernel::store(kernel::element(out, {r, static_cast<std::int64_t>(d)}), out.dtype, v);
  };
  const std::size_t rank = x.shape->size();
  kernel::in_compute_type(x.dtype, [&]<class T>(T) {
    kernel::for_each_index(*x.shape, [&](const Shape& at) {
      if (row == o.size || kernel::load<T>(kernel::element(x, at), x.dtype) == T{}) return;
      for (std::size_t d = 0; d < rank; ++d) store_index(row, d, at[d]);
      ++row;
    });
  });
  for (; row < o.size; ++row)
    for (std::size_t d = 0; d < rank; ++d) store_index(row, d, o.fill_value);
}

TAPER_DEFINE_OP(masked_fill, MaskedFill);
TAPER_DEFINE_OP(masked_fill_tensor, MaskedFillTensor);
TAPER_DEFINE_OP(masked_select, MaskedSelect);
TAPER_DEFINE_OP(masked_scatter, MaskedScatter);
TAPER_DEFINE_OP(nonzero_static, NonzeroStatic);

TAPER_ALL_FORMS(Indexing, masked_fill, (const Tensor& mask, const Scalar& value), MaskedFill{value},
                mask)
TAPER_ALL_FORMS(Indexing, masked_fill, (const Tensor& mask, const Tensor& value),
                MaskedFillTensor{}, mask, value)
TAPER_METHODS(Indexing, masked_scatter, (const Tensor& mask, const Tensor& source), MaskedScatter{},
              mask, source)

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  Shape shape = x.shape();
  broadcast_into(shape, mask.shape(), "masked_select");
  if (mask.device().is_meta())
    fail<NotImplementedError>("masked_select: the output shape depends on data: got a meta tensor");
  return run(MaskedSelect{count_nonzero(expand_mask(mask, shape)).item<std::int64_t>()}, x, mask);
}
Tensor nonzero(const Tensor& x) {
  if (x.device().is_meta())
    fail<NotImplementedError>("nonzero: the output shape depends on data: got a meta tensor");
  return run(NonzeroStatic{count_nonzero(x).item<std::int64_t>()}, x);
}

Tensor ops::IndexingMethods::masked_select(const Tensor& mask) const {
  return taper::masked_select(self_of(this), mask);
}
Tensor ops::IndexingMethods::nonzero() const { return taper::nonzero(self_of(this)); }

}  // namespace taper
