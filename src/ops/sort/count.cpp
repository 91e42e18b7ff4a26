// bincount and histograms: positions of bins, at which ones or weights are accumulated.
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/number_range.h"
#include "cpu/threads.h"
#include "ops/forms.h"
#include "taper/core/factory.h"

namespace taper {

Tensor bincount(const Tensor& x, OptionalTensorRef weights, IntArg minlength) {
  NoGrad guard;
  if (is_floating_point(x.dtype()) || x.dtype() == DType::bool_)
    fail<NotImplementedError>("bincount: not implemented for '{}'", x.dtype());
  if (x.dim() != 1)
    fail<ShapeError>("bincount: only supports 1-d non-negative integral inputs: got shape {}",
                     x.shape());
  if (minlength < 0) fail<ValueError>("bincount: minlength should be >= 0: got {}", minlength);
  if (weights && !(weights->shape() == x.shape()))
    fail<ShapeError>(
        "bincount: weights should be 1-d and have the same length as input: got shapes {} and {}",
        weights->shape(), x.shape());
  if (x.device().is_meta())
    fail<NotImplementedError>("bincount: the output shape depends on data: got a meta tensor");
  // As in PyTorch, the sums of no weights have the dtype of counts.
  if (x.numel() == 0) return zeros({minlength}, {.dtype = DType::i64, .device = x.device()});
  const Tensor positions = x.detach().to(DType::i64);
  if (const auto least = positions.min().item<std::int64_t>(); least < 0)
    fail<ValueError>("bincount: only supports 1-d non-negative integral inputs: got {}", least);
  const auto greatest = positions.max().item<std::int64_t>();
  if (greatest == std::numeric_limits<std::int64_t>::max())
    fail<ValueError>("bincount: value too large: got {}", greatest);
  const std::int64_t size = std::max<std::int64_t>(minlength, greatest + 1);
  if (!weights && x.device().is_cpu()) {
    const Tensor counts = zeros({size}, {.dtype = DType::i64}), at = positions.contiguous();
    auto* const to = counts.mutable_data_ptr<std::int64_t>();
    for (const std::int64_t i :
         std::span(at.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(at.numel())))
      ++to[i];
    return counts;
  }
  const Tensor counted =
      weights ? weights->detach().to(weights->dtype() == DType::f32 ? DType::f32 : DType::f64)
              : ones_like(positions);
  return zeros({size}, {.dtype = counted.dtype(), .device = x.device()})
      .scatter_add_(0, positions, counted);
}

namespace {

/// Bounds of a histogram: the given ones, otherwise those of the data. Equal bounds are moved by
/// `margin`.
struct Bounds {
  double low, high;

  Bounds(const Tensor& x, std::optional<std::pair<double, double>> given, double margin,
         std::string_view op) {
    if (given || x.numel() == 0)
      std::tie(low, high) = given.value_or(std::pair(0.0, 1.0));
    else
      low = x.min().item<double>(), high = x.max().item<double>();
    if (!std::isfinite(low) || !std::isfinite(high))
      fail<ValueError>("{}: range of [{}, {}] is not finite", op, low, high);
    if (low > high)
      fail<ValueError>("{}: max must be larger than min: got min {} and max {}", op, low, high);
    for (const double bound : {low, high}) check_in_range(bound, x.dtype(), op);
    if (low == high) low -= margin, high += margin;
  }
};

void check_bins(std::int64_t bins, std::string_view op) {
  if (bins <= 0) fail<ValueError>("{}: bins must be > 0, but got {}", op, bins);
}
void check_input(const Tensor& x, std::string_view op) {
  if (!is_floating_point(x.dtype()))
    fail<NotImplementedError>("{}: not implemented for '{}'", op, x.dtype());
  if (x.device().is_meta()) fail<NotImplementedError>("{}: got a meta tensor", op);
}

/// Returns the number of elements (int64) in each of `bins` bins of equal width, of which the last
/// includes `high`. `x` is contiguous, on the CPU and of type T.
template <class T>
Tensor count_in_bins(const Tensor& x, std::int64_t bins, double low, double high) {
  const Tensor counts = zeros({bins}, {.dtype = DType::i64});
  const T* const from = x.const_data_ptr<T>();
  const auto first = static_cast<T>(low), last = static_cast<T>(high),
             width = static_cast<T>(high - low), factor = static_cast<T>(bins);
  // Every chunk counts for itself; the sums of integers do not depend on their order.
  std::mutex mutex;
  constexpr std::int64_t kGrain = 1 << 15;
  cpu::parallel_for(
      0, x.numel(), std::max(kGrain, bins), [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int64_t> own(static_cast<std::size_t>(bins));
        for (std::int64_t i = begin; i < end; ++i) {
          const T value = from[i];
          if (!(value >= first && value <= last)) continue;
          // NaN if the width overflows: such values are in the last bin.
          const T at = (value - first) * factor / width;
          const std::int64_t bin =
              at < factor ? std::min(static_cast<std::int64_t>(at), bins - 1) : bins - 1;
          ++own[static_cast<std::size_t>(bin)];
        }
        const std::lock_guard guard(mutex);
        auto* const to = counts.mutable_data_ptr<std::int64_t>();
        for (std::size_t bin = 0; bin < own.size(); ++bin) to[bin] += own[bin];
      });
  return counts;
}

}  // namespace

Tensor histc(const Tensor& input, IntArg bins, const Scalar& min, const Scalar& max) {
  NoGrad guard;
  check_input(input, "histc");
  check_bins(bins, "histc");
  const Tensor x = input.detach().reshape(-1);
  const std::pair<double, double> range{min.to_double(), max.to_double()};
  const Bounds bounds(x, range.first == range.second ? std::nullopt : std::optional(range), 1,
                      "histc");
  const double low = bounds.low, high = bounds.high;
  if (x.device().is_cpu() && x.dtype() == DType::f32)
    return count_in_bins<float>(x.contiguous(), bins, low, high).to(x.dtype());
  if (x.device().is_cpu() && x.dtype() == DType::f64)
    return count_in_bins<double>(x.contiguous(), bins, low, high).to(x.dtype());
  const Tensor counted = x.masked_select((x >= low).logical_and(x <= high));
  const Tensor position =
      ((counted - low) * bins / (high - low)).to(DType::i64).clamp({}, bins - 1);
  return zeros({bins}, {.dtype = x.dtype(), .device = x.device()})
      .scatter_add_(0, position, ones_like(counted));
}

namespace {

/// Returns the histogram of the rows of `points` `(N, D)` over the bins between the edges.
Tensor count_points(const Tensor& points, const std::vector<Tensor>& edges,
                    OptionalTensorRef weight, bool density) {
  Shape shape;
  for (const Tensor& e : edges) shape.push_back(e.numel() - 1);
  Tensor inside, position;
  for (std::size_t d = 0; d < edges.size(); ++d) {
    const Tensor x = points.select(1, static_cast<std::int64_t>(d)).contiguous();
    const Tensor at = bucketize(x, edges[d], false, true) - 1;
    const Tensor within = (x >= edges[d].select(0, 0)).logical_and(x <= edges[d].select(0, -1));
    const Tensor bin = at.clamp(0, shape[d] - 1);  // the last bin includes its right edge
    inside = d == 0 ? within : inside.logical_and(within);
    position = d == 0 ? bin : position * shape[d] + bin;
  }
  const TensorOptions like{.dtype = points.dtype(), .device = points.device()};
  const Tensor counted =
      weight ? weight->detach().to(points.dtype()).reshape(-1) : ones({points.size(0)}, like);
  Tensor result =
      zeros({shape.numel()}, like)
          .scatter_add_(0, position.masked_select(inside), counted.masked_select(inside))
          .reshape(shape);
  if (!density) return result;
  result.div_(result.sum());
  for (std::size_t d = 0; d < edges.size(); ++d) {
    Shape along = Shape::filled(edges.size(), 1);
    along[d] = shape[d];
    result.div_(edges[d].diff().reshape(along));
  }
  return result;
}

Tensor points_of(const Tensor& input, OptionalTensorRef weight, std::size_t dims,
                 std::string_view op) {
  check_input(input, op);
  if (input.dim() < 2 || input.size(-1) != static_cast<std::int64_t>(dims))
    fail<ShapeError>(
        "{}: The size of bins must be equal to the innermost dimension of the input: got {} for "
        "shape {}",
        op, dims, input.shape());
  if (weight) {
    Shape expected = input.shape();
    expected.erase(expected.size() - 1);
    if (!(weight->shape() == expected))
      fail<ShapeError>("{}: expected a weight of shape {}, got {}", op, expected, weight->shape());
    if (weight->dtype() != input.dtype())
      fail<DTypeError>("{}: expected input and weight of one dtype, got {} and {}", op,
                       input.dtype(), weight->dtype());
  }
  return input.detach().reshape({-1, static_cast<std::int64_t>(dims)});
}

}  // namespace

std::pair<Tensor, std::vector<Tensor>> histogramdd(const Tensor& input,
                                                   std::span<const Tensor> bins,
                                                   OptionalTensorRef weight, bool density) {
  NoGrad guard;
  const Tensor points = points_of(input, weight, bins.size(), "histogramdd");
  std::vector<Tensor> edges;
  for (const Tensor& b : bins) {
    if (b.dim() != 1 || b.numel() < 1)
      fail<ShapeError>("histogramdd: expected vectors of bin edges, got shape {}", b.shape());
    if (b.dtype() != input.dtype())
      fail<DTypeError>("histogramdd: expected input and bins of one dtype, got {} and {}",
                       input.dtype(), b.dtype());
    edges.push_back(b.detach().clone());
  }
  Tensor result = count_points(points, edges, weight, density);
  return {std::move(result), std::move(edges)};
}

std::pair<Tensor, std::vector<Tensor>> histogramdd(const Tensor& input, const Shape& bins,
                                                   std::span<const double> range,
                                                   OptionalTensorRef weight, bool density) {
  NoGrad guard;
  const Tensor points = points_of(input, weight, bins.size(), "histogramdd");
  if (!range.empty() && range.size() != 2 * bins.size())
    fail<ValueError>("histogramdd: expected {} bounds in range, got {}", 2 * bins.size(),
                     range.size());
  std::vector<Tensor> edges;
  for (std::size_t d = 0; d < bins.size(); ++d) {
    check_bins(bins[d], "histogramdd");
    const Tensor x = points.select(1, static_cast<std::int64_t>(d));
    const auto given =
        range.empty() ? std::nullopt : std::optional(std::pair(range[2 * d], range[2 * d + 1]));
    const Bounds bounds(x, given, 0.5, "histogramdd");
    edges.push_back(linspace(bounds.low, bounds.high, bins[d] + 1,
                             {.dtype = points.dtype(), .device = points.device()}));
  }
  Tensor result = count_points(points, edges, weight, density);
  return {std::move(result), std::move(edges)};
}

namespace {

/// Returns a tensor of weights as that of a list of points with one coordinate.
std::optional<Tensor> flat(OptionalTensorRef weight, const Tensor& input) {
  if (!weight) return {};
  if (!(weight->shape() == input.shape()))
    fail<ShapeError>("histogram: expected a weight of shape {}, got {}", input.shape(),
                     weight->shape());
  return weight->reshape(-1);
}
std::pair<Tensor, Tensor> only_dimension(std::pair<Tensor, std::vector<Tensor>> of) {
  return {std::move(of.first), std::move(of.second[0])};
}

}  // namespace

std::pair<Tensor, Tensor> histogram(const Tensor& input, const Tensor& bins,
                                    OptionalTensorRef weight, bool density) {
  const std::optional<Tensor> weights = flat(weight, input);
  return only_dimension(histogramdd(input.reshape({-1, 1}), {&bins, 1}, weights, density));
}
std::pair<Tensor, Tensor> histogram(const Tensor& input, IntArg bins,
                                    std::optional<std::pair<double, double>> range,
                                    OptionalTensorRef weight, bool density) {
  const std::optional<Tensor> weights = flat(weight, input);
  double bounds[2] = {};
  if (range) bounds[0] = range->first, bounds[1] = range->second;
  return only_dimension(histogramdd(
      input.reshape({-1, 1}), Shape{bins},
      range ? std::span<const double>(bounds) : std::span<const double>(), weights, density));
}

namespace ops {
Tensor SortMethods::bincount(OptionalTensorRef weights, IntArg minlength) const {
  return taper::bincount(self_of(this), weights, minlength);
}
Tensor SortMethods::histc(IntArg bins, const Scalar& min, const Scalar& max) const {
  return taper::histc(self_of(this), bins, min, max);
}
std::pair<Tensor, Tensor> SortMethods::histogram(const Tensor& bins, OptionalTensorRef weight,
                                                 bool density) const {
  return taper::histogram(self_of(this), bins, weight, density);
}
std::pair<Tensor, Tensor> SortMethods::histogram(IntArg bins,
                                                 std::optional<std::pair<double, double>> range,
                                                 OptionalTensorRef weight, bool density) const {
  return taper::histogram(self_of(this), bins, range, weight, density);
}
}  // namespace ops

}  // namespace taper
