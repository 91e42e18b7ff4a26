// Masks of the pruning methods.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check.h"
#include "nn/utils/prune_text.h"
#include "taper/core/factory.h"
#include "taper/nn/utils/prune.h"
#include "taper/ops/random.h"

namespace taper::nn::utils::prune {
namespace {

using Indices = std::vector<std::int64_t>;

/// Returns the indices 0 to n-1 of a vector in ascending order of value. The sort is stable, with
/// NaN last.
Indices compute_ranking(const Tensor& vector) {
  const Tensor values = vector.detach().to(Device::cpu(), float64).contiguous();
  const auto at = values.data<double>();
  Indices indices(at.size());
  std::iota(indices.begin(), indices.end(), 0);
  std::stable_sort(indices.begin(), indices.end(), [&](std::int64_t a, std::int64_t b) {
    const double x = at[static_cast<std::size_t>(a)], y = at[static_cast<std::size_t>(b)];
    return x < y || (std::isnan(y) && !std::isnan(x));
  });
  return indices;
}

Tensor to_index_tensor(const Indices& indices, std::size_t from, std::size_t to, Device device) {
  return tensor(std::span(indices).subspan(from, to - from),
                Shape{static_cast<std::int64_t>(to - from)}, {.dtype = int64})
      .to(device);
}

/// Returns `mask` with zeros at the given flat indices.
Tensor zero_at_indices(const Tensor& mask, const Tensor& indices) {
  return mask.reshape({-1}).index_fill(0, indices, 0).view(mask.shape());
}

/// Returns `mask` in the shape and dtype of `t`, with zeros outside of the given channels of
/// dimension `dim`.
Tensor mask_channels(const Tensor& t, std::int64_t dim, const Tensor& channels,
                     const Tensor& mask) {
  return zeros_like(t).index_fill_(dim, channels, 1) * mask.to(t.dtype());
}

}  // namespace

AmountMethod::AmountMethod(const Scalar& a) : amount(a) {
  const bool fits = a.is_floating() ? a.to_double() >= 0 && a.to_double() <= 1 : a.to_int() >= 0;
  if (!fits)
    fail<ValueError>(
        "amount={} should either be a float in the range [0, 1] or a non-negative integer",
        a.str());
}

std::int64_t AmountMethod::count_of(std::int64_t size) const {
  const std::int64_t count =
      amount.is_floating() ? static_cast<std::int64_t>(
                                 std::nearbyint(amount.to_double() * static_cast<double>(size)))
                           : amount.to_int();
  if (count > size)
    fail<ValueError>("amount={} should be smaller than the number of parameters to prune={}", count,
                     size);
  return count;
}

Tensor RandomUnstructured::compute_mask(const Tensor& t, const Tensor& mask) const {
  const auto count = static_cast<std::size_t>(count_of(t.numel()));
  if (count == 0) return mask.clone();
  const Indices indices = compute_ranking(rand(t.shape(), {.dtype = t.dtype()}).view({-1}));
  return zero_at_indices(
      mask, to_index_tensor(indices, indices.size() - count, indices.size(), mask.device()));
}

Tensor L1Unstructured::compute_mask(const Tensor& t, const Tensor& mask) const {
  const auto count = static_cast<std::size_t>(count_of(t.numel()));
  if (count == 0) return mask.clone();
  return zero_at_indices(mask, to_index_tensor(compute_ranking(t.detach().abs().reshape({-1})), 0,
                                               count, mask.device()));
}

std::int64_t StructuredMethod::channels_of(const Tensor& t) const {
  if (t.dim() <= 1)
    fail<ValueError>(
        "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
        "{} with {} dims",
        size_text(t.shape()), t.dim());
  if (!wrap_index(dim, t.dim()))
    fail<IndexError>("Invalid index {} for tensor of size {}", dim, size_text(t.shape()));
  return t.size(dim);
}

Tensor RandomStructured::compute_mask(const Tensor& t, const Tensor& mask) const {
  const std::int64_t channels = channels_of(t);
  const auto count = static_cast<std::size_t>(count_of(channels));
  if (count == 0) return mask;
  const Tensor scores = rand({channels}, {.dtype = float32});
  const Indices indices = compute_ranking(scores);
  const auto values = scores.data<float>();
  const float threshold = values[static_cast<std::size_t>(indices[count - 1])];
  Indices kept;
  for (std::int64_t i = 0; i < channels; ++i)
    if (values[static_cast<std::size_t>(i)] > threshold) kept.push_back(i);
  return mask_channels(t, dim, to_index_tensor(kept, 0, kept.size(), t.device()), mask);
}

NormOrder::NormOrder(const char* word) : p(2) {
  if (std::string_view(word) != "fro")
    fail<ValueError>("ln_structured: n must be a number or 'fro', got '{}'", word);
}

Tensor LnStructured::compute_mask(const Tensor& t, const Tensor& mask) const {
  const auto count = static_cast<std::size_t>(count_of(channels_of(t)));
  if (count == 0) return mask;
  Shape others;
  for (std::int64_t d = 0; d < t.dim(); ++d)
    if (d != wrap_index(dim, t.dim())) others.push_back(d);
  const Indices indices = compute_ranking(linalg::vector_norm(t.detach(), n.p, Dims(others)));
  return mask_channels(t, dim, to_index_tensor(indices, count, indices.size(), t.device()), mask);
}

Tensor CustomFromMask::compute_mask(const Tensor&, const Tensor& default_mask) const {
  if (default_mask.shape() != mask.shape())
    fail<AssertionError>("default_mask shape {} must match self.mask shape {}",
                         size_text(default_mask.shape()), size_text(mask.shape()));
  return default_mask * mask.to(default_mask.device(), default_mask.dtype());
}

}  // namespace taper::nn::utils::prune
