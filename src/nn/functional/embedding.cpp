#include "taper/nn/functional/embedding.h"

#include <limits>

#include "core/check.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"
#include "taper/ops/embedding.h"

namespace taper::nn::functional {
namespace {

/// Returns a row index as a nonnegative number; -1 if it is absent.
std::int64_t padding_row(std::optional<IntArg> index, const Tensor& weight, const char* function) {
  if (!index) return -1;
  const std::int64_t rows = weight.size(0);
  const std::int64_t row = *index;
  if (row >= rows || row < -rows)
    fail<ValueError>("{}: padding_idx must be within num_embeddings: got {} for {} embeddings",
                     function, row, rows);
  return row < 0 ? row + rows : row;
}

}  // namespace

Tensor embedding(const Tensor& input, const Tensor& weight, const EmbeddingFuncOptions& o) {
  if (weight.dim() != 2)
    fail<ShapeError>("embedding: 'weight' must be 2-D, got shape {}", weight.shape());
  const std::int64_t padding = padding_row(o.padding_idx, weight, "embedding");
  if (o.max_norm) {
    const NoGrad guard;
    embedding_renorm_(weight, input, *o.max_norm, o.norm_type);
  }
  return taper::embedding(weight, input, padding, o.scale_grad_by_freq);
}

Tensor embedding_bag(const Tensor& input, const Tensor& weight, const EmbeddingBagFuncOptions& o) {
  if (weight.dtype() == DType::i64 && input.is_floating_point()) {
    warn(
        "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, "
        "input, ...)` is deprecated, and should now be `embedding_bag(input, weight, ...)`.");
    return functional::embedding_bag(weight, input, o);
  }
  if (weight.dim() != 2)
    fail<ShapeError>("embedding_bag: weight has to be a 2D Tensor, but got Tensor of dimension {}",
                     weight.dim());
  if (o.per_sample_weights && o.per_sample_weights->shape() != input.shape())
    fail<ShapeError>(
        "embedding_bag: If per_sample_weights ({}) is not None, then it must have the same shape "
        "as the input ({})",
        o.per_sample_weights->shape(), input.shape());
  if (input.dim() != 1 && input.dim() != 2)
    fail<ShapeError>(
        "embedding_bag: input has to be 1D or 2D Tensor, but got Tensor of dimension {}",
        input.dim());
  if (input.dim() == 2 && o.offsets)
    fail<ValueError>(
        "embedding_bag: if input is 2D, then offsets has to be None, as input is treated is a "
        "mini-batch of fixed length sequences. However, found offsets of shape {}",
        o.offsets->shape());
  if (input.dim() == 1 && !o.offsets)
    fail<ValueError>("embedding_bag: offsets has to be a 1D Tensor but got None");
  const std::int64_t mode = o.mode == "sum" ? 0 : o.mode == "mean" ? 1 : o.mode == "max" ? 2 : -1;
  if (mode < 0)
    fail<ValueError>("embedding_bag: mode has to be one of sum, mean or max, got '{}'", o.mode);
  if (o.per_sample_weights && mode != 0)
    fail<NotImplementedError>(
        "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
        "mode='sum' (got mode='{}')",
        o.mode);
  std::optional<IntArg> padding;
  if (o.padding_idx) padding = padding_row(o.padding_idx, weight, "embedding_bag");
  Tensor first, factors;
  if (input.dim() == 2) {
    std::vector<std::int64_t> starts;
    for (std::int64_t b = 0; b < input.size(0); ++b) starts.push_back(b * input.size(1));
    first = tensor(starts, {.dtype = DType::i64}).to(input.device());
  } else {
    first = *o.offsets;
  }
  if (o.per_sample_weights) factors = o.per_sample_weights->reshape({-1});
  const Tensor indices = input.reshape({-1});
  const auto reduced = [&] {
    return std::get<0>(taper::embedding_bag(weight, indices, first, o.scale_grad_by_freq, mode,
                                            false, factors,
                                            input.dim() == 1 && o.include_last_offset, padding));
  };
  if (o.max_norm) {
    const NoGrad guard;
    static_cast<void>(reduced());  // rejects invalid arguments before the weight is modified
    embedding_renorm_(weight, indices, *o.max_norm, o.norm_type);
  }
  return reduced();
}

Tensor one_hot(const Tensor& input, const OneHotFuncOptions& o) {
  if (input.dtype() != DType::i64)
    fail<DTypeError>("one_hot is only applicable to index tensor of type LongTensor: got {}",
                     input.dtype());
  Shape shape = input.shape();
  std::int64_t classes = o.num_classes;
  if (classes < -1 || (classes == 0 && input.numel() > 0))
    fail<ValueError>("one_hot: num_classes must be positive, or -1 to infer it: got {}", classes);
  if (input.numel() == 0) {
    if (classes <= 0)
      fail<ValueError>("one_hot: Can not infer total number of classes from empty tensor.");
    shape.push_back(classes);
    return empty(shape, {.dtype = DType::i64, .device = input.device()});
  }
  if (input.device().is_meta() && classes == -1)
    fail<ValueError>("one_hot: cannot infer the number of classes of a meta tensor");
  if (!input.device().is_meta()) {
    if (const auto least = input.min().item<std::int64_t>(); least < 0)
      fail<ValueError>("one_hot: Class values must be non-negative: got {}", least);
    const auto largest = input.max().item<std::int64_t>();
    if (largest == std::numeric_limits<std::int64_t>::max())
      fail<ValueError>("one_hot: Class values must be smaller than 2^63 - 1: got {}", largest);
    if (classes == -1) classes = largest + 1;
    if (largest >= classes)
      fail<ValueError>(
          "one_hot: Class values must be smaller than num_classes: got {} for {} "
          "classes",
          largest, classes);
  }
  shape.push_back(classes);
  return zeros(shape, {.dtype = DType::i64, .device = input.device()})
      .scatter_(-1, input.unsqueeze(-1), 1);
}

}  // namespace taper::nn::functional
