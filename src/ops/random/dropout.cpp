#include "ops/random/dropout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/random/elements.h"
#include "cpu/threads.h"
#include "ops/kernel/reference.h"
#include "ops/random/mask.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/ops/dropout.h"

namespace taper {
namespace {

/// Factor of the elements of type T that are retained, in the precision that computes the product.
template <class T> random::Wide<T> retained_factor(double p) {
  using W = random::Wide<T>;
  return random::round_to<T>(W(1) / static_cast<W>(1 - p));
}

/// Multiplies elements by `factor` if `kept`, a byte of a bool tensor, which may have any value, is
/// not 0, otherwise by 0.
template <class T> T multiply_if_kept(T x, std::uint8_t kept, random::Wide<T> factor) {
  return T(static_cast<random::Wide<T>>(x) * (kept != 0 ? factor : random::Wide<T>(0)));
}

/// Returns the number of consecutive elements, in row-major order, that share each element of a
/// mask whose own elements are row-major: 1 for a mask of the full shape. Returns 0 if there is no
/// such number.
std::int64_t elements_per_mask_element(const View& mask) {
  const Shape &shape = *mask.shape, &strides = *mask.strides;
  std::size_t own = shape.size();
  std::int64_t shared = 1;
  for (; own > 0 && (shape[own - 1] == 1 || strides[own - 1] == 0); --own) shared *= shape[own - 1];
  std::int64_t step = 1;
  for (std::size_t d = own; d-- > 0; step *= shape[d])
    if (shape[d] != 1 && strides[d] != step) return 0;
  return shared;
}

}  // namespace

template <> void reference_kernel(const Dropout& o, const KernelArgs& k) {
  const View &x = k.in[0], &mask = k.in[1], &out = k.out[0];
  random::visit_floating("dropout", {out.data, out.dtype, out.numel}, [&]<class T>(T*) {
    const auto factor = retained_factor<T>(o.p);
    kernel::walk(*out.shape, std::array<const View*, 3>{&x, &mask, &out},
                 [&](const std::array<std::int64_t, 3>& at) {
                   *reinterpret_cast<T*>(out.data + at[2]) = multiply_if_kept(
                       *reinterpret_cast<const T*>(x.data + at[0]),
                       *reinterpret_cast<const std::uint8_t*>(mask.data + at[1]), factor);
                 });
  });
}

template <> bool cpu_kernel(const Dropout& o, const KernelArgs& k) {
  const View &x = k.in[0], &mask = k.in[1], &out = k.out[0];
  const std::int64_t shared = elements_per_mask_element(mask);
  if (!is_contiguous(x) || !is_contiguous(out) || (shared == 0 && out.numel > 0)) return false;
  random::visit_floating("dropout", {out.data, out.dtype, out.numel}, [&]<class T>(T* to) {
    const auto factor = retained_factor<T>(o.p);
    const auto* from = reinterpret_cast<const T*>(x.data);
    const auto* kept = reinterpret_cast<const std::uint8_t*>(mask.data);
    constexpr std::int64_t kGrain = 1 << 15;
    cpu::parallel_for(0, out.numel, kGrain, [=](std::int64_t begin, std::int64_t end) {
      if (shared == 1) {
        for (std::int64_t i = begin; i < end; ++i)
          to[i] = multiply_if_kept(from[i], kept[i], factor);
        return;
      }
      for (std::int64_t i = begin; i < end;) {
        const std::int64_t row = i / shared, row_end = std::min(end, (row + 1) * shared);
        const auto of_row = kept[row] != 0 ? factor : decltype(factor){0};
        for (; i < row_end; ++i) to[i] = T(static_cast<decltype(factor)>(from[i]) * of_row);
      }
    });
  });
  return true;
}

TAPER_DEFINE_OP(dropout, Dropout);

namespace {

/// Returns true if dropout changes the input. Throws ValueError for an invalid p.
bool needs_dropout(const Tensor& input, double p, bool train) {
  if (!(p >= 0 && p <= 1))
    fail<ValueError>("dropout probability has to be between 0 and 1, but got {}", python_repr(p));
  return p > 0 && train && input.numel() > 0;
}

/// Returns an empty tensor with one element per sample and channel.
Tensor empty_channel_tensor(const Tensor& input) {
  if (input.dim() < 2)
    fail<ShapeError>(
        "feature_dropout: Feature dropout requires at least 2 dimensions in the "
        "input: got shape {}",
        input.shape());
  Shape shape = Shape::filled(static_cast<std::size_t>(input.dim()), 1);
  shape[0] = input.size(0), shape[1] = input.size(1);
  return empty(shape, {.dtype = input.dtype(), .device = input.device()});
}

struct AlphaTransform {
  Tensor scale, shift;

  AlphaTransform(const Tensor& like, double p, const Generator& generator) {
    constexpr double kAlpha = 1.7580993408473766;  // negated limit of SELU at -infinity
    const NoGrad guard;
    const double a = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
    scale = make_keep_mask(like, 1 - p, generator).to(like.dtype());
    shift = scale.add(-1).mul_(kAlpha * a).add_(kAlpha * a * p);
    scale.mul_(a);
  }
};

enum class Kind { standard, alpha };

Tensor apply_dropout(Kind kind, const Tensor& input, const Tensor& like, double p,
                     const Generator& g) {
  if (p == 1) return input.mul(0);
  if (kind == Kind::standard) return run(Dropout{p}, input, make_keep_mask(like, 1 - p, g));
  const AlphaTransform alpha(like, p, g);
  return input.mul(alpha.scale).add_(alpha.shift);
}

const Tensor& apply_dropout_(Kind kind, const Tensor& input, const Tensor& like, double p,
                             const Generator& g) {
  if (p == 1) return input.mul_(0);
  if (kind == Kind::standard) return run_inplace(Dropout{p}, input, make_keep_mask(like, 1 - p, g));
  const AlphaTransform alpha(like, p, g);
  return input.mul_(alpha.scale).add_(alpha.shift);
}

}  // namespace

Tensor dropout(const Tensor& input, FloatArg p, bool train, const Generator& g) {
  return needs_dropout(input, p, train) ? apply_dropout(Kind::standard, input, input, p, g) : input;
}
const Tensor& dropout_(const Tensor& input, FloatArg p, bool train, const Generator& g) {
  return needs_dropout(input, p, train) ? apply_dropout_(Kind::standard, input, input, p, g)
                                        : input;
}
Tensor feature_dropout(const Tensor& input, FloatArg p, bool train, const Generator& g) {
  return needs_dropout(input, p, train)
             ? apply_dropout(Kind::standard, input, empty_channel_tensor(input), p, g)
             : input;
}
const Tensor& feature_dropout_(const Tensor& input, FloatArg p, bool train, const Generator& g) {
  return needs_dropout(input, p, train)
             ? apply_dropout_(Kind::standard, input, empty_channel_tensor(input), p, g)
             : input;
}
Tensor alpha_dropout(const Tensor& input, FloatArg p, bool train, const Generator& g) {
  return needs_dropout(input, p, train) ? apply_dropout(Kind::alpha, input, input, p, g) : input;
}
const Tensor& alpha_dropout_(const Tensor& input, FloatArg p, bool train, const Generator& g) {
  return needs_dropout(input, p, train) ? apply_dropout_(Kind::alpha, input, input, p, g) : input;
}
Tensor feature_alpha_dropout(const Tensor& input, FloatArg p, bool train, const Generator& g) {
  return needs_dropout(input, p, train)
             ? apply_dropout(Kind::alpha, input, empty_channel_tensor(input), p, g)
             : input;
}
const Tensor& feature_alpha_dropout_(const Tensor& input, FloatArg p, bool train,
                                     const Generator& g) {
  return needs_dropout(input, p, train)
             ? apply_dropout_(Kind::alpha, input, empty_channel_tensor(input), p, g)
             : input;
}

}  // namespace taper
