// Rearrangement of channels and pixels.
#include "ops/check_defined.h"
#include "taper/core/tensor.h"
#include "taper/ops/spatial.h"

namespace taper {
namespace {

/// Returns the shape of `x` whose last `count` dimensions are replaced by `tail`.
Shape with_tail(const Shape& x, std::size_t count, std::initializer_list<std::int64_t> tail) {
  Shape out;
  for (std::size_t d = 0; d + count < x.size(); ++d) out.push_back(x[d]);
  for (const std::int64_t size : tail) out.push_back(size);
  return out;
}

/// Returns the permutation that keeps all dimensions but the last, which are `tail` places after
/// the kept ones.
Shape tail_order(std::size_t rank, std::initializer_list<std::int64_t> tail) {
  Shape out;
  const auto kept = static_cast<std::int64_t>(rank - tail.size());
  for (std::int64_t d = 0; d < kept; ++d) out.push_back(d);
  for (const std::int64_t place : tail) out.push_back(kept + place);
  return out;
}

/// Returns `x`, copied if it is a view of `input`.
Tensor detached_from(const Tensor& input, const Tensor& x) {
  return x.shares_storage_with(input) ? x.clone() : x;
}

void check_factor(const Tensor& x, std::int64_t factor, const char* op, const char* name) {
  check_defined(op, "input", x);
  if (x.dim() < 3)
    fail<ShapeError>(
        "{} expects input to have at least 3 dimensions, but got input with {} "
        "dimension(s)",
        op, x.dim());
  if (factor <= 0) fail<ValueError>("{} expects a positive {}, but got {}", op, name, factor);
}

}  // namespace

Tensor pixel_shuffle(const Tensor& x, IntArg upscale_factor) {
  const std::int64_t r = upscale_factor;
  check_factor(x, r, "pixel_shuffle", "upscale_factor");
  const std::int64_t c = x.size(-3), h = x.size(-2), w = x.size(-1);
  if (c % r != 0 || c / r % r != 0)
    fail<ShapeError>(
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
        "upscale_factor, but input.size(-3)={} is not divisible by {}",
        c, static_cast<double>(r) * static_cast<double>(r));
  const Tensor split = x.reshape(with_tail(x.shape(), 3, {c / r / r, r, r, h, w}));
  const Tensor moved = split.permute(tail_order(split.shape().size(), {0, 3, 1, 4, 2}));
  return detached_from(x, moved.reshape(with_tail(x.shape(), 3, {c / r / r, h * r, w * r})));
}

Tensor pixel_unshuffle(const Tensor& x, IntArg downscale_factor) {
  const std::int64_t r = downscale_factor;
  check_factor(x, r, "pixel_unshuffle", "downscale_factor");
  const std::int64_t c = x.size(-3), h = x.size(-2), w = x.size(-1);
  if (h % r != 0 || w % r != 0)
    fail<ShapeError>(
        "pixel_unshuffle expects height and width to be divisible by downscale_factor, but got "
        "{} x {} and {}",
        h, w, r);
  const Tensor split = x.reshape(with_tail(x.shape(), 3, {c, h / r, r, w / r, r}));
  const Tensor moved = split.permute(tail_order(split.shape().size(), {0, 2, 4, 1, 3}));
  return detached_from(x, moved.reshape(with_tail(x.shape(), 3, {c * r * r, h / r, w / r})));
}

Tensor channel_shuffle(const Tensor& x, IntArg groups) {
  check_defined("channel_shuffle", "input", x);
  const std::int64_t g = groups;
  if (x.dim() < 3)
    fail<ShapeError>("channel_shuffle expects input with > 2 dims, but got input with sizes {}",
                     x.shape());
  if (g <= 0)
    fail<ValueError>("Number of groups to divide channels in must be positive. Value of groups:{}",
                     g);
  const std::int64_t c = x.size(1);
  if (c % g != 0)
    fail<ShapeError>(
        "Number of channels must be divisible by groups. Got {} channels and {} groups.", c, g);
  Shape split{x.size(0), g, c / g};
  for (std::int64_t d = 2; d < x.dim(); ++d) split.push_back(x.size(d));
  return detached_from(x, x.reshape(split).transpose(1, 2).reshape(x.shape()));
}

}  // namespace taper
