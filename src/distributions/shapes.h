// Shapes of batches and events, and other small tools of the distributions.
#pragma once
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>

#include "core/check.h"
#include "taper/core/factory.h"
#include "taper/core/finfo.h"
#include "taper/distributions/distribution.h"
#include "taper/distributions/utils.h"

namespace taper::distributions {

using namespace utils;
using Validate = std::optional<bool>;

inline std::int64_t rank_of(const Shape& shape) { return static_cast<std::int64_t>(shape.size()); }
/// Returns the concatenation of shapes.
Shape concat(std::initializer_list<Shape> shapes);
/// Return the dimensions of a shape without its last `n`, and its last `n` dimensions.
Shape without_last(const Shape& shape, std::int64_t n);
Shape last(const Shape& shape, std::int64_t n);
/// Returns the common shape. Throws ShapeError if the shapes cannot be broadcast.
Shape broadcast_shapes(const Shape& a, const Shape& b);
/// Returns the sum over the last `n` dimensions.
Tensor sum_rightmost(const Tensor& value, std::int64_t n);
TensorOptions options_of(const Tensor& like);
/// Returns a tensor of equal values with the dtype and device of `like`.
Tensor full_as(const Tensor& like, const Shape& shape, double value);
/// Returns draws from the standard normal and uniform distributions in the dtype of `like`.
Tensor standard_normal(const Shape& shape, const Tensor& like, const Generator& generator);
Tensor standard_uniform(const Shape& shape, const Tensor& like, const Generator& generator);
/// Returns the product of matrices `(..., N, M)` and vectors `(..., M)`, with broadcasting.
Tensor batch_mv(const Tensor& matrix, const Tensor& vector);
/// Returns sigmoid(x), clamped to the numbers of the dtype inside (0, 1).
Tensor clipped_sigmoid(const Tensor& x);
/// Pads the last dimension with ones: `before` at the front, `after` at the end.
Tensor pad_with_ones(const Tensor& x, std::int64_t before, std::int64_t after);
/// Returns input * log(input), which is 0 at 0.
Tensor x_log_x(const Tensor& input);

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kPi = std::numbers::pi, kEulerGamma = std::numbers::egamma;

}  // namespace taper::distributions
