// Differences, integrals, quantiles and statistics, composed of other ops.
#include <cmath>

#include "core/named_call.h"
#include "ops/autocast.h"
#include "ops/forms.h"
#include "ops/reduce/dims.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/core/finfo.h"

namespace taper {

Tensor diff(const Tensor& input, IntArg n, IntArg dim, OptionalTensorRef prepend,
            OptionalTensorRef append) {
  if (input.dim() == 0) fail<ShapeError>("diff: diff expects input to be at least one-dimensional");
  if (n < 0) fail<ValueError>("diff: order must be non-negative but got {}", n);
  const std::int64_t d = wrap_dim(dim, input.shape().size(), "diff");
  std::vector<Tensor> parts;
  for (const OptionalTensorRef& edge : {prepend, append}) {
    if (!edge) continue;
    if (edge->dim() != input.dim())
      fail<ShapeError>(
          "diff: diff expects prepend or append to be the same dimension as input: got shapes {} "
          "and {}",
          edge->shape(), input.shape());
  }
  if (n == 0) return input.clone();
  if (prepend) parts.push_back(*prepend);
  parts.push_back(input);
  if (append) parts.push_back(*append);
  Tensor x = parts.size() == 1 ? input : cat(parts, d);
  for (std::int64_t i = 0, size = x.size(d); i < n && size > 0; ++i, --size) {
    const Tensor later = x.slice(d, 1, {}), earlier = x.slice(d, 0, size - 1);
    x = x.dtype() == DType::bool_ ? later.logical_xor(earlier) : later - earlier;
  }
  return x;
}

namespace {

/// Returns the sums of neighbors along `dim`, twice the heights of the trapezoids.
Tensor neighbor_sums(const Tensor& y, std::int64_t d) {
  return y.slice(d, 1, {}) + y.slice(d, 0, y.size(d) - 1);
}

/// Returns the distances between the points `x`, in a shape that is broadcastable to the
/// trapezoids.
Tensor widths_of(const Tensor& y, const Tensor& x, std::int64_t d, std::string_view op) {
  if (x.dtype() == DType::bool_ || y.dtype() == DType::bool_)
    fail<DTypeError>("{}: received a bool input for `x` or `y`, but bool is not supported", op);
  if (x.dim() == 1) {
    if (x.size(0) != y.size(d))
      fail<ShapeError>("{}: There must be one `x` value for each sample point: got {} and {}", op,
                       x.shape(), y.shape());
    Shape along = Shape::filled(y.shape().size(), 1);
    const Tensor widths = diff(x);
    along[static_cast<std::size_t>(d)] = widths.numel();
    return widths.reshape(along);
  }
  Tensor points = x;
  while (points.dim() < y.dim()) points = points.unsqueeze(0);
  return diff(points, 1, d);
}

/// Returns the integral over no points, which as in PyTorch has the dtype of `y`.
Tensor zero_integral(const Tensor& y, std::int64_t d) { return y.sum(d).to(y.dtype()); }

}  // namespace

Tensor trapezoid(const Tensor& y, const Tensor& x, IntArg dim) {
  const std::int64_t d = wrap_dim(dim, y.shape().size(), "trapezoid");
  if (y.size(d) == 0) return zero_integral(y, d);
  return (neighbor_sums(y, d) * widths_of(y, x, d, "trapezoid")).sum(d) / 2.0;
}
Tensor trapezoid(const Tensor& y, const Scalar& dx, IntArg dim) {
  const std::int64_t d = wrap_dim(dim, y.shape().size(), "trapezoid");
  if (y.size(d) == 0) return zero_integral(y, d);
  if (y.dtype() == DType::bool_)
    fail<DTypeError>("trapezoid: received a bool input for `y`, but bool is not supported");
  return neighbor_sums(y, d).sum(d) * (dx.to_double() / 2);
}
Tensor trapz(const Tensor& y, const Tensor& x, IntArg dim) { return trapezoid(y, x, dim); }
Tensor trapz(const Tensor& y, const Scalar& dx, IntArg dim) { return trapezoid(y, dx, dim); }
Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, IntArg dim) {
  const std::int64_t d = wrap_dim(dim, y.shape().size(), "cumulative_trapezoid");
  return (neighbor_sums(y, d) * widths_of(y, x, d, "cumulative_trapezoid")).cumsum(d) / 2.0;
}
Tensor cumulative_trapezoid(const Tensor& y, const Scalar& dx, IntArg dim) {
  const std::int64_t d = wrap_dim(dim, y.shape().size(), "cumulative_trapezoid");
  if (y.dtype() == DType::bool_)
    fail<DTypeError>(
        "cumulative_trapezoid: received a bool input for `y`, but bool is not supported");
  return neighbor_sums(y, d).cumsum(d) * (dx.to_double() / 2);
}

std::pair<Tensor, Tensor> aminmax(const Tensor& x, std::optional<IntArg> dim, bool keepdim) {
  const Dims dims = dim ? Dims(static_cast<std::int64_t>(*dim)) : Dims();
  return {x.amin(dims, keepdim), x.amax(dims, keepdim)};
}

Tensor nanmean(const Tensor& x, const Dims& dims, bool keepdim, std::optional<DType> dtype) {
  if (!is_floating_point(x.dtype()))
    fail<DTypeError>("nanmean: expected input to have floating point dtype but got {}", x.dtype());
  const Tensor count = x.detach().isnan().logical_not().sum(dims, keepdim);
  return x.nansum(dims, keepdim, dtype) / count;
}

namespace {

std::pair<Tensor, Tensor> median_without_nan(const Tensor& x, std::int64_t d, bool keepdim) {
  if (!is_floating_point(x.dtype()) || x.dim() == 0 || x.numel() == 0) return x.median(d, keepdim);
  // NaN is sorted to the end, so that the median is in the middle of the other elements.
  const auto [sorted, order] = x.sort(d);
  const Tensor count = x.detach().isnan().logical_not().sum(d, true);
  const Tensor middle = (count - 1).clamp(0, {}).div(2, "floor");
  const Tensor values = sorted.gather(d, middle), indices = order.gather(d, middle);
  return keepdim ? std::pair(values, indices) : std::pair(values.squeeze(d), indices.squeeze(d));
}

}  // namespace

std::pair<Tensor, Tensor> nanmedian(const Tensor& x, IntArg dim, bool keepdim) {
  return named_call("nanmedian", [&] { return median_without_nan(x, dim, keepdim); });
}
Tensor nanmedian(const Tensor& x) {
  return named_call("nanmedian", [&] {
    if (!is_floating_point(x.dtype()) || x.numel() == 0) return x.median();
    return median_without_nan(x.reshape(-1), 0, false).first;
  });
}

namespace {

enum class Interpolation { linear, lower, higher, midpoint, nearest };
Interpolation interpolation_named(std::string_view name, std::string_view op) {
  if (name == "linear") return Interpolation::linear;
  if (name == "lower") return Interpolation::lower;
  if (name == "higher") return Interpolation::higher;
  if (name == "midpoint") return Interpolation::midpoint;
  if (name == "nearest") return Interpolation::nearest;
  fail<ValueError>(
      "{}: interpolation must be one of linear, lower, higher, midpoint or nearest, but got '{}'",
      op, name);
}

Tensor quantiles(const Tensor& x, const Tensor& q, std::optional<IntArg> dim, bool keepdim,
                 std::string_view interpolation, bool ignore_nan, std::string_view op) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, quantiles, x, q, dim, keepdim, interpolation,
                         ignore_nan, op);
  const Interpolation how = interpolation_named(interpolation, op);
  if (x.numel() == 0) fail<ValueError>("{}: input tensor must be non-empty", op);
  if (q.dim() > 1)
    fail<ShapeError>("{}: q must be a scalar or 1D tensor: got shape {}", op, q.shape());
  if (x.dtype() != DType::f32 && x.dtype() != DType::f64)
    fail<DTypeError>("{}: input tensor must be either float or double dtype: got {}", op,
                     x.dtype());
  if (q.dtype() != x.dtype())
    fail<DTypeError>("{}: q tensor must be same dtype as the input tensor: got {} and {}", op,
                     q.dtype(), x.dtype());
  if (q.numel() > 0 && !q.device().is_meta() && !(q >= 0).logical_and(q <= 1).all().item<bool>())
    fail<ValueError>("{}: q values must be in the range [0, 1]", op);
  const std::optional<Shape> dims = dim ? std::optional(Shape{*dim}) : std::nullopt;
  Shape out_shape =
      reduce::result_shape(x.shape(), reduce::mask_of(dims, x.shape().size(), op), keepdim);
  // The quantiles are taken along the last dimension.
  const Tensor along = !dim || x.dim() == 0 ? x.reshape(-1) : x.movedim(std::int64_t{*dim}, -1);
  const Tensor sorted = along.sort(-1).first;
  const std::int64_t n = sorted.size(-1);
  const Tensor level = q.reshape(-1);
  Tensor rank;
  if (ignore_nan) {
    const Tensor last = (along.detach().isnan().logical_not().sum(-1, true) - 1).clamp(0, {});
    rank = level * last.to(x.dtype());
  } else {
    Shape full = sorted.shape();
    full[full.size() - 1] = level.numel();
    rank = (level * (n - 1)).expand(full);
    rank = rank.masked_fill(along.detach().isnan().any(-1, true), n - 1);
  }
  if (how == Interpolation::lower) rank = rank.floor();
  if (how == Interpolation::higher) rank = rank.ceil();
  if (how == Interpolation::nearest) rank = rank.round();
  const Tensor below = rank.detach().to(DType::i64);
  Tensor result = sorted.gather(-1, below);
  if (how == Interpolation::linear || how == Interpolation::midpoint) {
    const Tensor weight =
        how == Interpolation::midpoint ? full_like(rank, 0.5) : rank - below.to(rank.dtype());
    const Tensor above = rank.detach().ceil().to(DType::i64);
    result = result.lerp(sorted.gather(-1, above), weight);
  }
  if (q.dim() == 0) return result.squeeze(-1).reshape(out_shape);
  out_shape.insert(0, level.numel());
  return result.movedim(-1, 0).reshape(out_shape);
}
Tensor level_of(const Tensor& x, double q) {
  return full({}, q, {.dtype = x.dtype(), .device = x.device()});
}

}  // namespace

Tensor quantile(const Tensor& x, const Tensor& q, std::optional<IntArg> dim, bool keepdim,
                std::string_view interpolation) {
  return quantiles(x, q, dim, keepdim, interpolation, false, "quantile");
}
Tensor quantile(const Tensor& x, double q, std::optional<IntArg> dim, bool keepdim,
                std::string_view interpolation) {
  return quantiles(x, level_of(x, q), dim, keepdim, interpolation, false, "quantile");
}
Tensor nanquantile(const Tensor& x, const Tensor& q, std::optional<IntArg> dim, bool keepdim,
                   std::string_view interpolation) {
  return quantiles(x, q, dim, keepdim, interpolation, true, "nanquantile");
}
Tensor nanquantile(const Tensor& x, double q, std::optional<IntArg> dim, bool keepdim,
                   std::string_view interpolation) {
  return quantiles(x, level_of(x, q), dim, keepdim, interpolation, true, "nanquantile");
}

Tensor dist(const Tensor& x, const Tensor& other, const Scalar& p) { return norm(x - other, p); }

namespace {

/// Returns true if the squares of the norms, and of their factors, are numbers of their dtype.
bool squares_in_range(const Tensor& norms, double limit) {
  if (norms.device().is_meta() || norms.numel() == 0) return false;
  const double bound = std::sqrt(finfo(norms.dtype()).max);
  return limit > 1 / bound && norms.max().item<double>() < bound;  // false for NaN
}

}  // namespace

Tensor renorm(const Tensor& x, const Scalar& p, IntArg dim, const Scalar& maxnorm) {
  if (!(p.to_double() > 0)) fail<ValueError>("renorm: non-positive-norm not supported: got {}", p);
  if (!(maxnorm.to_double() >= 0))
    fail<ValueError>("renorm: expected maxnorm to be >= 0 but got {}", maxnorm);
  if (x.dim() < 2)
    fail<ShapeError>("renorm: input needs at least 2 dimensions, got {} dimensions", x.dim());
  const std::int64_t d = wrap_dim(dim, x.shape().size(), "renorm");
  Dims others;
  for (std::int64_t e = 0; e < x.dim(); ++e)
    if (e != d) others.push_back(e);
  const double limit = maxnorm.to_double();
  const Tensor size = norm(x, p, others, true), exceeds = size.detach() > limit;
  if (!x.requires_grad() || !is_grad_enabled() || squares_in_range(size.detach(), limit))
    return x * where(exceeds, limit / (size + 1e-7), ones_like(size));
  // For gradients, slices within the limit are left out, since they may be infinite, and elements
  // are divided by the norm before the multiplication, so that the factors are in range.
  const Tensor large = x.masked_fill(exceeds.logical_not(), 0);
  const Tensor unit = large / (norm(large, p, others, true) + 1e-7);
  return where(exceeds, unit * (std::isinf(limit) ? 0 : limit), x);
}

Tensor corrcoef(const Tensor& x) {
  if (x.dim() > 2)
    fail<ShapeError>("corrcoef: expected input to have two or fewer dimensions but got {}",
                     x.dim());
  const Tensor c = cov(x);
  if (c.dim() == 0) return c / c;
  const Tensor deviation = c.diagonal().sqrt();
  return (c / deviation.unsqueeze(-1) / deviation.unsqueeze(0)).clamp(-1, 1);
}

Tensor cov(const Tensor& input, IntArg correction, OptionalTensorRef fweights,
           OptionalTensorRef aweights) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::lower_precision, cov, input, correction, fweights,
                         aweights);
  if (input.dim() > 2)
    fail<ShapeError>("cov: expected input to have two or fewer dimensions but got {} dimensions",
                     input.dim());
  if (input.dtype() == DType::bool_) fail<DTypeError>("cov: bool dtype is not supported for input");
  const Tensor x = input.dim() < 2 ? input.reshape({1, -1}) : input;
  const std::int64_t n = x.size(1);
  const auto check = [&](const Tensor& w, const char* name) {
    if (w.dim() > 1)
      fail<ShapeError>("cov: expected {} to have one or fewer dimensions but got {} dimensions",
                       name, w.dim());
    if (w.numel() != n)
      fail<ShapeError>(
          "cov: expected {} to have the same numel as there are observations: got {} "
          "and {}",
          name, w.numel(), n);
    if (!w.device().is_meta() && w.numel() > 0 && (w < 0).any().item<bool>())
      fail<ValueError>("cov: {} cannot be negative", name);
  };
  Tensor weights;
  if (fweights) {
    if (is_floating_point(fweights->dtype()) || fweights->dtype() == DType::bool_)
      fail<DTypeError>(
          "cov: expected fweights to have integral dtype but got fweights with {} dtype",
          fweights->dtype());
    check(*fweights, "fweights");
    weights = fweights->reshape(-1);
  }
  if (aweights) {
    if (!is_floating_point(aweights->dtype()))
      fail<DTypeError>(
          "cov: expected aweights to have floating point dtype but got aweights with {} dtype",
          aweights->dtype());
    check(*aweights, "aweights");
    weights = weights.defined() ? weights * aweights->reshape(-1) : aweights->reshape(-1);
  }
  const Tensor total =
      weights.defined() ? weights.sum() : full({}, n, {.dtype = DType::i64, .device = x.device()});
  if (weights.defined() && !total.device().is_meta() && total.detach().eq(0).item<bool>())
    fail<ValueError>("cov: weights sum to zero, can't be normalized");
  const Tensor mean = weights.defined() ? (x * weights).sum(1) / total : x.sum(1) / total;
  Tensor norm_factor;
  if (weights.defined() && aweights && correction != 0) {
    const Tensor squares = fweights ? (weights * aweights->reshape(-1)).sum()
                                    : (aweights->reshape(-1) * weights).sum();
    norm_factor = total - correction * squares / total;
  } else {
    norm_factor = total - static_cast<std::int64_t>(correction);
  }
  const Tensor deviation = x - mean.unsqueeze(1);
  const Tensor right = (weights.defined() ? deviation * weights : deviation).t();
  const Tensor c = deviation.mm(right.to(deviation.dtype()));
  return (c / norm_factor.clamp(0, {})).squeeze();
}

namespace ops {
Tensor ScanMethods::diff(IntArg n, IntArg dim, OptionalTensorRef prepend,
                         OptionalTensorRef append) const {
  return taper::diff(self_of(this), n, dim, prepend, append);
}
std::pair<Tensor, Tensor> ScanMethods::aminmax(std::optional<IntArg> dim, bool keepdim) const {
  return taper::aminmax(self_of(this), dim, keepdim);
}
Tensor ScanMethods::quantile(double q, std::optional<IntArg> dim, bool keepdim,
                             std::string_view interpolation) const {
  return taper::quantile(self_of(this), q, dim, keepdim, interpolation);
}
Tensor ScanMethods::quantile(const Tensor& q, std::optional<IntArg> dim, bool keepdim,
                             std::string_view interpolation) const {
  return taper::quantile(self_of(this), q, dim, keepdim, interpolation);
}
Tensor ScanMethods::nanquantile(double q, std::optional<IntArg> dim, bool keepdim,
                                std::string_view interpolation) const {
  return taper::nanquantile(self_of(this), q, dim, keepdim, interpolation);
}
Tensor ScanMethods::nanquantile(const Tensor& q, std::optional<IntArg> dim, bool keepdim,
                                std::string_view interpolation) const {
  return taper::nanquantile(self_of(this), q, dim, keepdim, interpolation);
}
Tensor ScanMethods::nanmean(const Dims& dims, bool keepdim, std::optional<DType> dtype) const {
  return taper::nanmean(self_of(this), dims, keepdim, dtype);
}
Tensor ScanMethods::nanmedian() const { return taper::nanmedian(self_of(this)); }
std::pair<Tensor, Tensor> ScanMethods::nanmedian(IntArg dim, bool keepdim) const {
  return taper::nanmedian(self_of(this), dim, keepdim);
}
Tensor ScanMethods::dist(const Tensor& other, const Scalar& p) const {
  return taper::dist(self_of(this), other, p);
}
Tensor ScanMethods::renorm(const Scalar& p, IntArg dim, const Scalar& maxnorm) const {
  return taper::renorm(self_of(this), p, dim, maxnorm);
}
const Tensor& ScanMethods::renorm_(const Scalar& p, IntArg dim, const Scalar& maxnorm) const {
  const Tensor& x = self_of(this);
  return x.copy_(taper::renorm(x.clone(), p, dim, maxnorm));
}
Tensor ScanMethods::cov(IntArg correction, OptionalTensorRef fweights,
                        OptionalTensorRef aweights) const {
  return taper::cov(self_of(this), correction, fweights, aweights);
}
Tensor ScanMethods::corrcoef() const { return taper::corrcoef(self_of(this)); }
bool ScanMethods::equal(const Tensor& other) const { return taper::equal(self_of(this), other); }
bool ScanMethods::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return taper::allclose(self_of(this), other, rtol, atol, equal_nan);
}
}  // namespace ops

}  // namespace taper
