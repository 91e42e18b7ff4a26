#include "ops/embedding/embedding.h"

#include <cmath>

#include "ops/copy/copy_kernel.h"
#include "ops/embedding/indices.h"
#include "ops/kernel/index.h"
#include "taper/ops/embedding.h"

namespace taper {

void check_index_dtype(const ShapeInference& i, int at) {
  if (i.dtype(at) != DType::i64 && i.dtype(at) != DType::i32)
    i.fail<DTypeError>("expected indices of dtype int64 or int32, got {}", i.dtype(at));
}

void Embedding::infer(ShapeInference& i) const {
  if (i.rank(0) != 2) i.fail("'weight' must be 2-D, got shape {}", i.shape(0));
  check_index_dtype(i, 1);
  Shape result = i.shape(1);
  result.push_back(i.shape(0)[1]);
  i.set_output(result, i.dtype(0));
}

void Embedding::backward(BackwardContext<Embedding>& b) const {
  b[0] = run(EmbeddingDenseBackward{b.input_meta(0).shape[0], padding_idx, scale_grad_by_freq},
             b.grad(), b.input<1>());
}

template <> void reference_kernel(const Embedding&, const KernelArgs& k) {
  const View &weight = k.in[0], &out = k.out[0];
  const std::int64_t columns = (*weight.shape)[1];
  const auto rows = kernel::checked_rows(k.in[1], (*weight.shape)[0], "embedding");
  const std::int64_t size = kernel::element_size(weight);
  std::byte* to = out.data;  // the output is row-major
  for (const std::int64_t row : rows)
    for (std::int64_t j = 0; j < columns; ++j, to += size)
      kernel::copy_element(
          to, out.dtype,
          weight.data + (row * (*weight.strides)[0] + j * (*weight.strides)[1]) * size,
          weight.dtype);
}

void EmbeddingDenseBackward::infer(ShapeInference& i) const {
  const Shape &grad = i.shape(0), &indices = i.shape(1);
  check_index_dtype(i, 1);
  if (grad.size() != indices.size() + 1 ||
      !std::equal(indices.begin(), indices.end(), grad.begin()))
    i.fail("inconsistent shapes: got grad_output {} and indices {}", grad, indices);
  if (num_weights < 0) i.fail<ValueError>("num_weights must not be negative, got {}", num_weights);
  i.set_output({num_weights, grad.back()}, i.dtype(0));
}

void EmbeddingDenseBackward::backward(BackwardContext<EmbeddingDenseBackward>& b) const {
  // As in PyTorch, second-order gradients are not scaled by the frequency.
  const Tensor indices = b.input<1>();
  Tensor rows = run(Embedding{}, b.grad(), indices);
  if (padding_idx >= 0) rows = rows.masked_fill(indices.eq(padding_idx).unsqueeze(-1), 0);
  b[0] = rows;
}

template <> void reference_kernel(const EmbeddingDenseBackward& o, const KernelArgs& k) {
  const View &grad = k.in[0], &out = k.out[0];
  const auto rows = kernel::checked_rows(k.in[1], o.num_weights, "embedding_dense_backward");
  if (out.numel == 0) return;  // with any number of rows
  const auto counts = kernel::count_rows(rows, o.num_weights);
  const std::int64_t columns = (*out.shape)[1];
  kernel::in_compute_type(out.dtype, [&]<class T>(T) {
    std::vector<T> sums(static_cast<std::size_t>(out.numel), T(0));
    std::int64_t element = 0;  // position in grad, in row-major order
    kernel::walk<1>(*grad.shape, {&grad}, [&](const std::array<std::int64_t, 1>& at) {
      const std::int64_t row = rows[static_cast<std::size_t>(element / columns)];
      const std::int64_t column = element++ % columns;
      if (row == o.padding_idx) return;
      T value = kernel::load<T>(grad.data + at[0], grad.dtype);
      if (o.scale_grad_by_freq) value /= static_cast<T>(counts[static_cast<std::size_t>(row)]);
      T& sum = sums[static_cast<std::size_t>(row * columns + column)];
      sum = kernel::plus(sum, value);
    });
    for (std::size_t i = 0; i < sums.size(); ++i)
      kernel::store(out.data + i * size_of(out.dtype), out.dtype, sums[i]);
  });
}

void EmbeddingRenorm::infer(ShapeInference& i) const {
  if (i.rank(0) != 2) i.fail("'weight' must be 2-D, got shape {}", i.shape(0));
  check_index_dtype(i, 1);
  i.set_output(i.shape(0), i.dtype(0));
}

namespace {

double norm_power(double x, double norm_type) {
  if (norm_type == 2) return x * x;
  return norm_type == 1 ? x : std::pow(x, norm_type);
}

/// Scales a row whose norm is greater than the maximum to the maximum.
template <class T>
void renormalize_row(const EmbeddingRenorm& o, T* row, std::int64_t columns, std::int64_t step) {
  double norm = 0;
  for (std::int64_t j = 0; j < columns; ++j) {
    const double x = std::abs(element_cast<double>(row[j * step]));
    norm = std::isinf(o.norm_type) ? std::max(norm, x) : norm + norm_power(x, o.norm_type);
  }
  if (!std::isinf(o.norm_type)) norm = std::pow(norm, 1 / o.norm_type);
  if (!(norm > o.max_norm)) return;
  const double scale = o.max_norm / (norm + 1e-7);
  for (std::int64_t j = 0; j < columns; ++j)
    row[j * step] = element_cast<T>(element_cast<double>(row[j * step]) * scale);
}

}  // namespace

template <> void reference_kernel(const EmbeddingRenorm& o, const KernelArgs& k) {
  const View &weight = k.in[0], &out = k.out[0];
  const std::int64_t count = (*weight.shape)[0], columns = (*weight.shape)[1];
  const auto rows = kernel::checked_rows(k.in[1], count, "embedding");
  if (out.data != weight.data && !kernel::copy_fast(out, weight))
    kernel::copy_elements(out, weight);
  std::vector<bool> done(static_cast<std::size_t>(count), false);
  visit_dtype(out.dtype, [&]<class T>(T) {
    for (const std::int64_t row : rows) {
      if (done[static_cast<std::size_t>(row)]) continue;
      done[static_cast<std::size_t>(row)] = true;
      renormalize_row(o, reinterpret_cast<T*>(out.data) + row * (*out.strides)[0], columns,
                      (*out.strides)[1]);
    }
  });
}

TAPER_DEFINE_OP(embedding, Embedding);
TAPER_DEFINE_OP(embedding_dense_backward, EmbeddingDenseBackward);
TAPER_DEFINE_OP(embedding_renorm, EmbeddingRenorm);

Tensor embedding(const Tensor& weight, const Tensor& indices, IntArg padding_idx,
                 bool scale_grad_by_freq, bool sparse) {
  if (sparse) fail<NotImplementedError>("embedding: sparse gradients are not supported");
  return run(Embedding{padding_idx, scale_grad_by_freq}, weight, indices);
}

const Tensor& embedding_renorm_(const Tensor& weight, const Tensor& indices, FloatArg max_norm,
                                FloatArg norm_type) {
  return run_inplace(EmbeddingRenorm{max_norm, norm_type}, weight, indices);
}

}  // namespace taper
