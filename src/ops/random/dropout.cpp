#include "ops/random/dropout.h"

#include <cmath>

#include "core/random/elements.h"
#include "ops/kernel/reference.h"
#include "ops/random/mask.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/ops/dropout.h"

namespace taper {
namespace {

/// Factors of dropped and retained elements in the precision of the element type.
template <class T> struct Factors {
  using W = random::Wide<T>;
  W value[2];

  explicit Factors(double p) : value{W(0), random::round_to<T>(W(1) / static_cast<W>(1 - p))} {}
  T operator()(T x, bool kept) const { return T(static_cast<W>(x) * value[kept]); }
};

}  // namespace

template <> void reference_kernel(const Dropout& o, const KernelArgs& k) {
  const View &x = k.in[0], &mask = k.in[1], &out = k.out[0];
  random::visit_floating("dropout", {out.data, out.dtype, out.numel}, [&]<class T>(T*) {
    const Factors<T> factors(o.p);
    kernel::walk(*out.shape, std::array<const View*, 3>{&x, &mask, &out},
                 [&](const std::array<std::int64_t, 3>& at) {
                   *reinterpret_cast<T*>(out.data + at[2]) =
                       factors(*reinterpret_cast<const T*>(x.data + at[0]),
                               *reinterpret_cast<const bool*>(mask.data + at[1]));
                 });
  });
}

template <> bool cpu_kernel(const Dropout& o, const KernelArgs& k) {
  const View &x = k.in[0], &mask = k.in[1], &out = k.out[0];
  if (!is_contiguous(x) || !is_contiguous(mask) || !is_contiguous(out)) return false;
  random::visit_floating("dropout", {out.data, out.dtype, out.numel}, [&]<class T>(T* to) {
    const Factors<T> factors(o.p);
    const auto* from = reinterpret_cast<const T*>(x.data);
    const auto* kept = reinterpret_cast<const bool*>(mask.data);
    for (std::int64_t i = 0; i < out.numel; ++i) to[i] = factors(from[i], kept[i]);
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
