#include "ops/norm/group_norm.h"

#include <limits>

#include "core/add_to.h"
#include "ops/promote.h"
#include "taper/core/tensor.h"
#include "taper/ops/norm.h"

namespace taper {

GroupShape LastDimensions::groups_of(const Shape& x) const {
  const std::int64_t size = normalized_shape.numel();
  return {.samples = size == 0 ? 0 : x.numel() / size, .channels = size};
}

GroupShape ChannelGroups::groups_of(const Shape& x) const {
  std::int64_t space = 1;
  for (std::size_t d = 2; d < x.size(); ++d) space *= x[d];
  return {.samples = x[0], .groups = num_groups, .channels = x[1] / num_groups, .space = space};
}

namespace {

void check_dtype(const ShapeInference& i, int at, std::string_view name) {
  const DType t = i.dtype(0), p = i.dtype(at);
  if (p != t && p != opmath_dtype(t))
    i.fail<DTypeError>(
        "mixed dtype (CPU): expect parameter to have scalar type of {}, got {} of {}",
        legacy_name(opmath_dtype(t)), name, legacy_name(p));
}

constexpr std::string_view kParameterNames[] = {"input", "weight", "bias"};

void check(const LastDimensions& o, const ShapeInference& i, int parameters) {
  const Shape &x = i.shape(0), &last = o.normalized_shape;
  if (last.empty())
    i.fail(
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
        "element, but got normalized_shape = []");
  for (int at = 1; at <= parameters; ++at)
    if (i.has(at) && i.shape(at) != last)
      i.fail(
          "Expected {} to be of same shape as normalized_shape, but got {} of shape {} and "
          "normalized_shape = {}",
          kParameterNames[at], kParameterNames[at], i.shape(at), last);
  const std::size_t lead = x.size() - std::min(x.size(), last.size());
  if (x.size() < last.size() ||
      !std::equal(last.begin(), last.end(), x.begin() + static_cast<std::ptrdiff_t>(lead))) {
    std::string expected = "[*";
    for (const std::int64_t size : last) expected += ", " + std::to_string(size);
    i.fail("Given normalized_shape={}, expected input with shape {}], but got input of size {}",
           last, expected, x);
  }
}

void check(const ChannelGroups& o, const ShapeInference& i, int parameters) {
  const Shape& x = i.shape(0);
  if (x.size() < 2)
    i.fail("Expected at least 2 dimensions for input tensor but received {}", x.size());
  if (x[1] == 0) i.fail("Expected number of channels to be greater than 0, got 0");
  if (o.num_groups <= 0)
    i.fail<ValueError>("Expected num groups to be greater than 0, got {}", o.num_groups);
  if (x[1] % o.num_groups != 0)
    i.fail(
        "Expected number of channels in input to be divisible by num_groups, but got input of "
        "shape {} and num_groups={}",
        x, o.num_groups);
  for (int at = 1; at <= parameters; ++at)
    if (i.has(at) && !(i.rank(at) == 1 && i.shape(at)[0] == x[1]))
      i.fail(
          "Expected {} to be a vector of size equal to the number of channels in input, but got {} "
          "of shape {} and input of shape {}",
          kParameterNames[at], kParameterNames[at], i.shape(at), x);
  if (o.groups_of(x).space == 0) i.fail("Expected HxW to be greater than 0, got 0");
}

/// Tensors of a normalization as (samples, groups, channels, space), for second-order gradients.
struct Groups {
  Shape wide;
  double count;
  bool centered;

  Groups(const GroupShape& s, bool is_centered)
      : wide{s.samples, s.groups, s.channels, s.space},
        count(static_cast<double>(s.row_size())),
        centered(is_centered) {}
  Tensor widen(const Tensor& t) const { return t.reshape(wide); }
  Tensor statistic(const Tensor& t) const { return t.reshape({wide[0], wide[1], 1, 1}); }
  Tensor parameter(const Tensor& t) const { return t.reshape({1, wide[1], wide[2], 1}); }
  static Tensor row_sum(const Tensor& t) { return t.sum({2, 3}, true); }
  Tensor row_mean(const Tensor& t) const { return row_sum(t).mul(1 / count); }
  static Tensor parameter_sum(const Tensor& t, const Shape& shape) {
    return t.sum({0, 3}).reshape(shape);
  }
  /// Removes the projection of `t` onto `n` and, if centered, its mean.
  Tensor project(const Tensor& t, const Tensor& n) const {
    const Tensor rest = t.sub(n.mul(row_mean(t.mul(n))));
    return centered ? rest.sub(row_mean(t)) : rest;
  }
};

}  // namespace

template <NormKind kind> void GroupNormalize<kind>::infer(ShapeInference& i) const {
  constexpr int kParameters = kind == NormKind::rms ? 1 : 2;
  check(*this, i, kParameters);
  for (int at = 1; at <= kParameters; ++at)
    if (i.has(at)) check_dtype(i, at, kParameterNames[at]);
  const DType statistics = opmath_dtype(i.dtype(0));
  const Shape rows{this->groups_of(i.shape(0)).rows()};
  i.set_output(i.shape(0), i.dtype(0));
  for (int k = 0; k < NormOperands<kind>::kRstd; ++k) i.set_output(rows, statistics);
}

template <NormKind kind> void GroupNormalizeBackward<kind>::infer(ShapeInference& i) const {
  using Operands = NormOperands<kind>;
  const Shape &g = i.shape(0), &x = i.shape(1);
  bool fits = g == x;
  if constexpr (kind == NormKind::group)
    fits = fits && x.size() >= 2 && this->num_groups > 0 && x[1] % this->num_groups == 0;
  else
    fits = fits && this->normalized_shape.size() <= x.size() &&
           std::equal(this->normalized_shape.begin(), this->normalized_shape.end(),
                      x.end() - static_cast<std::ptrdiff_t>(this->normalized_shape.size()));
  if (!fits) i.fail("inconsistent shapes: got grad_out {} and input {}", g, x);
  const GroupShape s = this->groups_of(x);
  for (int at = 2; at <= Operands::kGradRstd; ++at)
    if (i.shape(at) != Shape{s.rows()})
      i.fail("inconsistent shapes: got statistics {} for input {}", i.shape(at), x);
  const int weight = Operands::kGradWeight;
  if (i.has(weight) && i.shape(weight).numel() != s.groups * s.channels)
    i.fail("inconsistent shapes: got weight {} for input {}", i.shape(weight), x);
  const DType parameters = i.has(weight) ? i.dtype(weight) : i.dtype(1);
  Shape shape{s.groups * s.channels};
  if constexpr (kind != NormKind::group) shape = this->normalized_shape;
  i.set_optional_output(this->compute_grad_input, x, i.dtype(1));
  i.set_optional_output(this->compute_grad_weight, shape, parameters);
  if constexpr (Operands::kCentered)
    i.set_optional_output(this->compute_grad_bias, shape, parameters);
}

template <NormKind kind>
void GroupNormalize<kind>::backward(BackwardContext<GroupNormalize>& b) const {
  const Tensor x = b.template input<0>();
  if constexpr (kind == NormKind::rms) {
    auto [dx, dw] =
        run_all(GroupNormalizeBackward<kind>{{this->normalized_shape, b.needs_input_grad(0),
                                              b.needs_input_grad(1)}},
                b.grad(), x, b.template output<1>(), b.template input<1>());
    b[0] = std::move(dx), b[1] = std::move(dw);
  } else {
    GroupNormalizeBackward<kind> rule{};
    if constexpr (kind == NormKind::group)
      rule.num_groups = this->num_groups;
    else
      rule.normalized_shape = this->normalized_shape;
    rule.compute_grad_input = b.needs_input_grad(0);
    rule.compute_grad_weight = b.needs_input_grad(1);
    rule.compute_grad_bias = b.needs_input_grad(2);
    auto [dx, dw, db] = run_all(rule, b.grad(), x, b.template output<1>(), b.template output<2>(),
                                b.template input<1>());
    b[0] = std::move(dx), b[1] = std::move(dw), b[2] = std::move(db);
  }
  // The statistics are functions of the input.
  constexpr int kRstd = NormOperands<kind>::kRstd;
  const bool has_mean_grad = kRstd == 2 && b.has_grad(1);
  if (!b.needs_input_grad(0) || !(has_mean_grad || b.has_grad(kRstd))) return;
  const Groups c(this->groups_of(x.shape()), NormOperands<kind>::kCentered);
  const double share = 1 / c.count;
  Tensor dx = b[0];
  if (has_mean_grad)
    add_to(dx, c.statistic(b.grad(1)).mul(share).expand(c.wide).reshape(x.shape()));
  if (b.has_grad(kRstd)) {
    Tensor centered = c.widen(x);
    if constexpr (kRstd == 2) centered = centered.sub(c.statistic(b.template output<1>()));
    const Tensor s = c.statistic(b.template output<kRstd>());
    const Tensor slope = c.statistic(b.grad(kRstd)).mul(s).mul(s).mul(-share);
    add_to(dx, centered.mul(s).mul(slope).reshape(x.shape()));
  }
  b[0] = dx;
}

template <NormKind kind>
void GroupNormalizeBackward<kind>::backward(BackwardContext<GroupNormalizeBackward>& b) const {
  // With n = (x - mean) * s and P(t) = t - mean(t) - n * mean(t * n), without mean(t) for `rms`,
  // the gradients are dx = s P(w g), dw = sum(g n), db = sum(g). P is symmetric and dn/dx = s P.
  // u, v, z are the gradients of dx, dw and db.
  using Operands = NormOperands<kind>;
  const Shape shape = b.template input<1>().shape();
  const Groups c(this->groups_of(shape), Operands::kCentered);
  const Tensor g = c.widen(b.template input<0>());
  const Tensor s = c.statistic(b.template input<Operands::kGradRstd>());
  Tensor n = c.widen(b.template input<1>());
  if constexpr (Operands::kCentered) n = n.sub(c.statistic(b.template input<2>()));
  n = n.mul(s);
  const Tensor& given_weight = b.template input<Operands::kGradWeight>();
  const Tensor w = given_weight.defined() ? c.parameter(given_weight) : Tensor();
  const Tensor h = w.defined() ? g.mul(w) : g;
  const Tensor u = b.has_grad(0) ? c.widen(b.grad(0)) : Tensor();
  const Tensor v = b.has_grad(1) ? c.parameter(b.grad(1)) : Tensor();
  const Tensor pu = u.defined() ? c.project(u, n).mul(s) : Tensor();
  const auto narrow = [&](const Tensor& t) { return t.reshape(shape); };
  if (b.needs_input_grad(0)) {
    Tensor total;
    if (u.defined()) add_to(total, w.defined() ? pu.mul(w) : pu);
    if (v.defined()) add_to(total, n.mul(v));
    if constexpr (Operands::kCentered)
      if (b.has_grad(2)) add_to(total, c.parameter(b.grad(2)).expand(c.wide));
    if (total.defined()) b[0] = narrow(total);
  }
  if (w.defined() && b.needs_input_grad(Operands::kGradWeight) && u.defined())
    b[Operands::kGradWeight] = Groups::parameter_sum(g.mul(pu), given_weight.shape());
  if (!b.needs_input_grad(1)) return;
  Tensor to_n, total;  // gradients of n and of x
  if (u.defined()) {
    to_n = u.mul(c.row_mean(h.mul(n))).add(h.mul(c.row_mean(u.mul(n)))).mul(s).neg();
    total = n.mul(c.row_mean(u.mul(c.project(h, n))).mul(s).mul(s)).neg();
  }
  if (v.defined()) add_to(to_n, g.mul(v));
  if (to_n.defined()) add_to(total, c.project(to_n, n).mul(s));
  if (total.defined()) b[1] = narrow(total);
}

#define TAPER_DEFINE_NORM(name, kind)                     \
  template struct GroupNormalize<NormKind::kind>;         \
  template struct GroupNormalizeBackward<NormKind::kind>; \
  TAPER_DEFINE_OP(name, GroupNormalize<NormKind::kind>);  \
  TAPER_DEFINE_OP(name##_backward, GroupNormalizeBackward<NormKind::kind>)
TAPER_DEFINE_NORM(native_layer_norm, layer);
TAPER_DEFINE_NORM(native_group_norm, group);
TAPER_DEFINE_NORM(rms_norm, rms);

Tensor layer_norm(const Tensor& input, const Shape& normalized_shape, OptionalTensorRef weight,
                  OptionalTensorRef bias, FloatArg eps, [[maybe_unused]] bool cudnn_enable) {
  return run_all(LayerNormOp{{normalized_shape, eps}}, input, weight.value_or_undefined(),
                 bias.value_or_undefined())[0];
}

Tensor group_norm(const Tensor& input, IntArg num_groups, OptionalTensorRef weight,
                  OptionalTensorRef bias, FloatArg eps, [[maybe_unused]] bool cudnn_enable) {
  return run_all(GroupNormOp{{num_groups, eps}}, input, weight.value_or_undefined(),
                 bias.value_or_undefined())[0];
}

Tensor rms_norm(const Tensor& input, const Shape& normalized_shape, OptionalTensorRef weight,
                std::optional<FloatArg> eps) {
  const double machine_eps = input.dtype() == DType::f64
                                 ? std::numeric_limits<double>::epsilon()
                                 : static_cast<double>(std::numeric_limits<float>::epsilon());
  const RmsNormOp op{{normalized_shape, eps ? static_cast<double>(*eps) : machine_eps}};
  // Unlike other normalizations, this one accepts weights of any dtype, as in PyTorch.
  const DType compute = opmath_dtype(input.dtype());
  if (weight && weight->dtype() != input.dtype() && weight->dtype() != compute)
    return run_all(op, input, weight->to(compute))[0];
  return run_all(op, input, weight.value_or_undefined())[0];
}

}  // namespace taper
