#include "taper/nn/functional/pad.h"

#include <algorithm>

#include "core/check.h"
#include "ops/autocast.h"
#include "ops/spatial/functions.h"
#include "taper/ops/pad.h"

namespace taper::nn::functional {
namespace {

[[noreturn]] void reject(const Tensor& input, std::int64_t dim, std::int64_t before,
                         std::int64_t after, const char* what) {
  fail<ShapeError>("pad: {}: got padding ({}, {}) at dimension {} of input {}", what, before, after,
                   dim, input.shape());
}

}  // namespace

Tensor pad(const Tensor& input, const Shape& counts, const PadFuncOptions& o) {
  const std::string& mode = o.mode;
  if (tls.autocast)
    return autocast_call(mode == "reflect" || mode == "replicate" ? AutocastPolicy::f32
                                                                  : AutocastPolicy::passthrough,
                         pad, input, counts, o);
  const std::int64_t rank = input.dim(), dims = static_cast<std::int64_t>(counts.size() / 2);
  if (counts.size() % 2 != 0) fail<ValueError>("pad: Padding length must be divisible by 2");
  if (dims > rank)
    fail<ShapeError>(
        "pad: Padding length should be less than or equal to two times the input dimension but got "
        "padding length {} and input of dimension {}",
        counts.size(), rank);
  const bool border = mode == "reflect" || mode == "replicate" || mode == "circular";
  if (!border && mode != "constant") fail<ValueError>("pad: Unrecognised padding mode {}", mode);
  if (border && o.value.to_double() != 0)
    fail<ValueError>("pad: Padding mode \"{}\" doesn't take in value argument", mode);
  if (border && (dims > 3 || (rank != dims + 1 && rank != dims + 2)))
    fail<ShapeError>(
        "pad: Only 2D, 3D, 4D, 5D padding with non-constant padding are supported: got {} counts "
        "for input {}",
        counts.size(), input.shape());

  Tensor x = input;
  Shape rest = counts;  // without removals that were applied
  for (std::int64_t k = 0; k < dims; ++k) {
    const std::int64_t dim = rank - 1 - k, size = input.size(dim);
    std::int64_t before = counts[static_cast<std::size_t>(2 * k)];
    std::int64_t after = counts[static_cast<std::size_t>(2 * k + 1)];
    constexpr std::int64_t kLimit = std::int64_t{1} << 61;  // sums of three numbers fit in int64
    if (std::max({size, before, after}) > kLimit || std::min(before, after) < -kLimit)
      reject(input, dim, before, after, "the padding is too large");
    // As in PyTorch, constant padding removes elements before it adds others.
    if (!border && size + std::min<std::int64_t>(before, 0) + std::min<std::int64_t>(after, 0) < 0)
      reject(input, dim, before, after, "more elements are removed than there are");
    if (size + before + after < (border && mode != "circular" ? 1 : 0))
      reject(input, dim, before, after, "the result would be empty");
    if (mode == "reflect" && (before >= size || after >= size))
      reject(input, dim, before, after,
             "Padding size should be less than the corresponding input dimension");
    if (mode == "circular") {
      // Elements removed by negative padding cannot be wrapped around.
      const std::int64_t first = std::max<std::int64_t>(-before, 0);
      const std::int64_t left = size - first - std::max<std::int64_t>(-after, 0);
      if (before > left || after > left)
        reject(input, dim, before, after, "Padding value causes wrapping around more than once");
      if (left != size) x = x.narrow(dim, first, left);
      rest[static_cast<std::size_t>(2 * k)] = std::max<std::int64_t>(before, 0);
      rest[static_cast<std::size_t>(2 * k + 1)] = std::max<std::int64_t>(after, 0);
    }
    if (border && mode != "circular" && size == 0)
      reject(input, dim, before, after, "the padded dimension is empty");
  }
  if (border) return border_pad(x, rest, mode);
  // The value is a floating-point number in PyTorch: a negative one does not wrap around in
  // unsigned types.
  const bool floating = !is_signed(x.dtype()) && o.value.to_double() < 0;
  return constant_pad_nd(x, counts, floating ? Scalar(o.value.to_double()) : Scalar(o.value));
}

}  // namespace taper::nn::functional
