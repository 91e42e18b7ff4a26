#include "ops/embedding/embedding_bag.h"

#include "ops/embedding/embedding.h"
#include "ops/embedding/indices.h"
#include "ops/kernel/index.h"
#include "taper/core/factory.h"
#include "taper/ops/embedding.h"

namespace taper {

void EmbeddingBag::infer(ShapeInference& i) const {
  const Shape &weight = i.shape(0), &indices = i.shape(1), &offsets = i.shape(2);
  if (weight.size() != 2) i.fail("weight has to be a 2D Tensor, but got shape {}", weight);
  if (indices.size() != 1) i.fail("input has to be a 1D Tensor, but got shape {}", indices);
  if (offsets.size() != 1) i.fail("offsets has to be a 1D Tensor, but got shape {}", offsets);
  check_index_dtype(i, 1);
  check_index_dtype(i, 2);
  if (mode < 0 || mode > 2) i.fail<ValueError>("mode has to be 0, 1 or 2, got {}", mode);
  if (include_last_offset && offsets[0] == 0)
    i.fail<ValueError>("include_last_offset: number of offsets should be at least 1");
  if (padding_idx < -1 || padding_idx >= weight[0])
    i.fail<ValueError>("padding_idx must be within the number of embeddings {}, got {}", weight[0],
                       padding_idx);
  if (mode == 2 && scale_grad_by_freq)
    i.fail<ValueError>("max mode does not support scaling the gradient by the frequency");
  if (i.has(3)) {
    if (mode != 0)
      i.fail<ValueError>("per_sample_weights is only supported for mode 0 (sum), got mode {}",
                         mode);
    if (i.shape(3) != indices)
      i.fail("expected per_sample_weights of shape {}, got {}", indices, i.shape(3));
    if (i.dtype(3) != i.dtype(0))
      i.fail<DTypeError>("expected weight and per_sample_weights of the same dtype, got {} and {}",
                         i.dtype(0), i.dtype(3));
  }
  const std::int64_t bags = offsets[0] - (include_last_offset ? 1 : 0);
  i.set_output({bags, weight[1]}, i.dtype(0));
  i.set_output(indices, DType::i64);
  i.set_output({bags}, DType::i64);
  i.set_output(mode == 2 ? Shape{bags, weight[1]} : Shape{0}, DType::i64);
}

void EmbeddingBag::backward(BackwardContext<EmbeddingBag>& b) const {
  const Tensor grad = b.grad(), indices = b.input<1>();
  const Shape weight = b.input_meta(0).shape;
  const Tensor bags = b.output<1>(), sizes = b.output<2>(), maxima = b.output<3>();
  const TensorOptions like{.dtype = grad.dtype(), .device = grad.device()};
  if (grad.size(0) == 0) {
    if (b.needs_input_grad(0)) b[0] = zeros(weight, like);
    if (b.needs_input_grad(3)) b[3] = zeros(indices.shape(), like);
    return;
  }
  if (mode == 2) {
    const Tensor rows = grad.masked_fill(sizes.eq(0).unsqueeze(1), 0);
    b[0] = zeros(weight, like).scatter_add(0, maxima, rows);
    return;
  }
  const Tensor means =
      mode == 1 ? grad.div(sizes.clamp(1, {}).to(grad.dtype()).unsqueeze(1)) : grad;
  Tensor rows = means.index_select(0, bags.clamp(0, {}));
  if (padding_idx >= 0 || include_last_offset) rows = rows.masked_fill(bags.lt(0).unsqueeze(1), 0);
  const Tensor factors = b.input<3>();
  if (b.needs_input_grad(3)) b[3] = rows.mul(run(Embedding{}, b.input<0>(), indices)).sum(Dims{1});
  if (!b.needs_input_grad(0)) return;
  if (factors.defined()) rows = rows.mul(factors.unsqueeze(1));
  b[0] = run(EmbeddingDenseBackward{weight[0], padding_idx, scale_grad_by_freq}, rows, indices);
}

BagIndices::BagIndices(const EmbeddingBag& o, const KernelArgs& k)
    : rows(kernel::checked_rows(k.in[1], (*k.in[0].shape)[0], "embedding_bag")) {
  const auto n = static_cast<std::int64_t>(rows.size());
  std::int64_t before = 0;
  bool first = true;
  kernel::walk<1>(*k.in[2].shape, {&k.in[2]}, [&](const std::array<std::int64_t, 1>& at) {
    const auto offset = kernel::load<std::int64_t>(k.in[2].data + at[0], k.in[2].dtype);
    if (first && offset != 0)
      fail<ValueError>(
          "embedding_bag: offsets[0] has to be 0, i.e., the first sequence in the mini-batch has "
          "to start from position 0. However, got {}",
          offset);
    if (offset < before)
      fail<ValueError>("embedding_bag: offsets must not decrease, got {} after {}", offset, before);
    if (offset > n)
      fail<ValueError>("embedding_bag: an offset can not be greater than input's length {}, got {}",
                       n, offset);
    if (!first) ends.push_back(offset);
    before = offset, first = false;
  });
  if (!o.include_last_offset && !first) ends.push_back(n);
}

void BagIndices::write(const EmbeddingBag& o, const KernelArgs& k) const {
  auto* const bag_of = reinterpret_cast<std::int64_t*>(k.out[1].data);
  auto* const sizes = reinterpret_cast<std::int64_t*>(k.out[2].data);
  std::fill_n(bag_of, rows.size(), -1);
  each(0, static_cast<std::int64_t>(ends.size()),
       [&](std::int64_t bag, std::int64_t first, std::int64_t last) {
         sizes[bag] = 0;
         for (std::int64_t n = first; n < last; ++n)
           if (rows[static_cast<std::size_t>(n)] != o.padding_idx) bag_of[n] = bag, ++sizes[bag];
       });
}

template <> void reference_kernel(const EmbeddingBag& o, const KernelArgs& k) {
  const View &weight = k.in[0], &out = k.out[0];
  const std::int64_t columns = (*weight.shape)[1];
  const BagIndices bags(o, k);
  bags.write(o, k);
  const auto value = [&](std::int64_t row, std::int64_t j) {
    return kernel::load<double>(
        weight.data +
            (row * (*weight.strides)[0] + j * (*weight.strides)[1]) * kernel::element_size(weight),
        weight.dtype);
  };
  const auto reduce = [&](std::int64_t bag, std::int64_t first, std::int64_t last, std::int64_t j) {
    double result = 0;
    std::int64_t count = 0, best = 0;
    for (std::int64_t n = first; n < last; ++n) {
      const std::int64_t row = bags.rows[static_cast<std::size_t>(n)];
      if (row == o.padding_idx) continue;
      double x = value(row, j);
      if (k.has(3))
        x *= kernel::load<double>(
            k.in[3].data + n * (*k.in[3].strides)[0] * kernel::element_size(k.in[3]),
            k.in[3].dtype);
      if (o.mode != 2)
        result += x;
      else if (count == 0 || x > result)
        result = x, best = row;
      ++count;
    }
    if (o.mode == 1 && count > 0) result /= static_cast<double>(count);
    kernel::store(out.data + (bag * columns + j) * kernel::element_size(out), out.dtype, result);
    if (o.mode == 2) reinterpret_cast<std::int64_t*>(k.out[3].data)[bag * columns + j] = best;
  };
  bags.each(0, (*out.shape)[0], [&](std::int64_t bag, std::int64_t first, std::int64_t last) {
    for (std::int64_t j = 0; j < columns; ++j) reduce(bag, first, last, j);
  });
}

TAPER_DEFINE_OP(embedding_bag, EmbeddingBag);

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    IntArg mode, bool sparse, OptionalTensorRef per_sample_weights, bool include_last_offset,
    std::optional<IntArg> padding_idx) {
  if (sparse) fail<NotImplementedError>("embedding_bag: sparse gradients are not supported");
  std::int64_t padding = -1;
  if (padding_idx) {
    const std::int64_t rows = weight.size(0);
    padding = *padding_idx;
    if (padding < 0) padding += rows;
    if (padding < 0)
      fail<ValueError>(
          "embedding_bag: padding_idx must be within the number of embeddings {}, got {}", rows,
          std::int64_t{*padding_idx});
  }
  auto [output, bags, sizes, maxima] =
      run_all(EmbeddingBag{mode, scale_grad_by_freq, include_last_offset, padding}, weight, indices,
              offsets, per_sample_weights.value_or_undefined());
  return {output, bags, sizes, maxima};
}

}  // namespace taper
