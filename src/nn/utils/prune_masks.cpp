// Masks of the pruning methods.
#include <cmath>

#include "core/check.h"
#include "nn/utils/prune_text.h"
#include "taper/core/factory.h"
#include "taper/nn/utils/prune.h"
#include "taper/ops/random.h"
#include "taper/ops/sort.h"

namespace taper::nn::utils::prune {
namespace {

/// Returns the indices of a vector in ascending order of value.
Tensor compute_ranking(const Tensor& vector) { return argsort(vector.detach(), 0, false, true); }

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
  const std::int64_t count = count_of(t.numel());
  if (count == 0) return mask.clone();
  const Tensor ranking = compute_ranking(rand(t.shape(), {.dtype = t.dtype()}).view({-1}));
  return zero_at_indices(mask, ranking.slice(0, t.numel() - count, {}).to(mask.device()));
}

Tensor L1Unstructured::compute_mask(const Tensor& t, const Tensor& mask) const {
  const std::int64_t count = count_of(t.numel());
  if (count == 0) return mask.clone();
  const Tensor ranking = compute_ranking(t.detach().abs().reshape({-1}));
  return zero_at_indices(mask, ranking.slice(0, 0, count).to(mask.device()));
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
  const std::int64_t count = count_of(channels);
  if (count == 0) return mask;
  const Tensor scores = rand({channels}, {.dtype = float32});
  const Tensor threshold = sort(scores).first.select(0, count - 1);
  const Tensor kept = (scores > threshold).nonzero().reshape(-1);
  return mask_channels(t, dim, kept.to(t.device()), mask);
}

NormOrder::NormOrder(const char* word) : p(2) {
  if (std::string_view(word) != "fro")
    fail<ValueError>("ln_structured: n must be a number or 'fro', got '{}'", word);
}

Tensor LnStructured::compute_mask(const Tensor& t, const Tensor& mask) const {
  const std::int64_t count = count_of(channels_of(t));
  if (count == 0) return mask;
  Shape others;
  for (std::int64_t d = 0; d < t.dim(); ++d)
    if (d != wrap_index(dim, t.dim())) others.push_back(d);
  const Tensor ranking = compute_ranking(linalg::vector_norm(t.detach(), n.p, Dims(others)));
  return mask_channels(t, dim, ranking.slice(0, count, {}), mask);
}

Tensor CustomFromMask::compute_mask(const Tensor&, const Tensor& default_mask) const {
  if (default_mask.shape() != mask.shape())
    fail<AssertionError>("default_mask shape {} must match self.mask shape {}",
                         size_text(default_mask.shape()), size_text(mask.shape()));
  return default_mask * mask.to(default_mask.device(), default_mask.dtype());
}

}  // namespace taper::nn::utils::prune
