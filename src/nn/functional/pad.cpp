#include "taper/nn/functional/pad.h"

#include <algorithm>

#include "core/check.h"
#include "ops/autocast.h"
#include "taper/core/factory.h"

namespace taper::nn::functional {
namespace {

/// These functions return the index in the input, of `size` elements, of the element that is copied
/// to position i of the padded dimension. Positions count from the first element of the input, so
/// that they are negative in the padding before it.
std::int64_t reflect_index(std::int64_t i, std::int64_t size) {
  if (i < 0) return -i;
  return i < size ? i : 2 * (size - 1) - i;
}
std::int64_t replicate_index(std::int64_t i, std::int64_t size) {
  return i < 0 ? 0 : i < size ? i : size - 1;
}
std::int64_t circular_index(std::int64_t i, std::int64_t size) {
  return i < 0 ? i + size : i < size ? i : i - size;
}

[[noreturn]] void reject(const Tensor& input, std::int64_t dim, std::int64_t before,
                         std::int64_t after, const char* what) {
  fail<ShapeError>("pad: {}: got padding ({}, {}) at dimension {} of input {}", what, before, after,
                   dim, input.shape());
}

using SourceIndexFn = std::int64_t (*)(std::int64_t, std::int64_t);

Tensor gather_padded(const Tensor& x, std::int64_t dim, std::int64_t before, std::int64_t after,
                     SourceIndexFn source) {
  const std::int64_t size = x.size(dim);
  std::vector<std::int64_t> from;
  for (std::int64_t i = -before; i < size + after; ++i) from.push_back(source(i, size));
  return x.index_select(dim, tensor(from).to(x.device()));
}

Tensor pad_constant(Tensor x, std::int64_t dim, std::int64_t before, std::int64_t after,
                    const Scalar& value) {
  const auto block = [&](std::int64_t count) {
    Shape shape = x.shape();
    shape[static_cast<std::size_t>(dim)] = count;
    return full(shape, value, {.dtype = x.dtype(), .device = x.device()});
  };
  const std::int64_t num_removed = (before < 0 ? -before : 0) + (after < 0 ? -after : 0);
  if (num_removed) x = x.narrow(dim, before < 0 ? -before : 0, x.size(dim) - num_removed);
  std::vector<Tensor> parts;
  if (before > 0) parts.push_back(block(before));
  parts.push_back(x);
  if (after > 0) parts.push_back(block(after));
  return parts.size() == 1 ? x : cat(parts, dim);
}

}  // namespace

Tensor pad(const Tensor& input, const Shape& counts, const std::string& mode, const Scalar& value) {
  if (tls.autocast)
    return autocast_call(mode == "reflect" || mode == "replicate" ? AutocastPolicy::f32
                                                                  : AutocastPolicy::passthrough,
                         pad, input, counts, mode, value);
  const std::int64_t rank = input.dim(), dims = static_cast<std::int64_t>(counts.size() / 2);
  if (counts.size() % 2 != 0) fail<ValueError>("pad: Padding length must be divisible by 2");
  if (dims > rank)
    fail<ShapeError>(
        "pad: Padding length should be less than or equal to two times the input dimension but got "
        "padding length {} and input of dimension {}",
        counts.size(), rank);
  SourceIndexFn source = nullptr;
  if (mode == "reflect") source = reflect_index;
  if (mode == "replicate") source = replicate_index;
  if (mode == "circular") source = circular_index;
  if (!source && mode != "constant") fail<ValueError>("pad: Unrecognised padding mode {}", mode);
  if (source && value.to_double() != 0)
    fail<ValueError>("pad: Padding mode \"{}\" doesn't take in value argument", mode);
  if (source && rank != dims + 1 && rank != dims + 2)
    fail<ShapeError>(
        "pad: Only 2D, 3D, 4D, 5D padding with non-constant padding are supported: got {} counts "
        "for input {}",
        counts.size(), input.shape());

  Tensor x = input;
  for (std::int64_t k = 0; k < dims; ++k) {
    const std::int64_t dim = rank - 1 - k, size = input.size(dim);
    std::int64_t before = counts[static_cast<std::size_t>(2 * k)];
    std::int64_t after = counts[static_cast<std::size_t>(2 * k + 1)];
    constexpr std::int64_t kLimit = std::int64_t{1} << 61;  // sums of three numbers fit in int64
    if (std::max({size, before, after}) > kLimit || std::min(before, after) < -kLimit)
      reject(input, dim, before, after, "the padding is too large");
    if (size + before + after < (source ? 1 : 0))
      reject(input, dim, before, after, "the result would be empty");
    if (source == reflect_index && (before >= size || after >= size))
      reject(input, dim, before, after,
             "Padding size should be less than the corresponding input dimension");
    if (source == circular_index) {
      // Elements removed by negative padding cannot be wrapped around.
      const std::int64_t first = std::max<std::int64_t>(-before, 0);
      const std::int64_t left = size - first - std::max<std::int64_t>(-after, 0);
      if (before > left || after > left)
        reject(input, dim, before, after, "Padding value causes wrapping around more than once");
      if (left != size) x = x.narrow(dim, first, left);
      before = std::max<std::int64_t>(before, 0), after = std::max<std::int64_t>(after, 0);
    }
    if (source && size == 0) reject(input, dim, before, after, "the padded dimension is empty");
    if (before == 0 && after == 0) continue;
    x = source ? gather_padded(x, dim, before, after, source)
               : pad_constant(x, dim, before, after, value);
  }
  return x.shares_storage_with(input) ? x.clone() : x;
}

}  // namespace taper::nn::functional
