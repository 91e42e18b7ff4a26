// Implementations of the pooling functions of nn that are not functions of taper.
#pragma once
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "taper/ops/pool.h"

namespace taper {

/// `function` is the name of the called function in error messages, `dims` the number of spatial
/// dimensions. An absent or empty stride is the kernel size.

std::pair<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input, const Shape& kernel_size,
                                                  const MaxPool2dFuncOptions& options);
std::pair<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input, const Shape& kernel_size,
                                                  const MaxPool3dFuncOptions& options);

Tensor avg_pool2d(const Tensor& input, const Shape& kernel_size, const std::optional<Shape>& stride,
                  const Shape& padding, bool ceil_mode, bool count_include_pad,
                  std::optional<std::int64_t> divisor_override);
Tensor avg_pool3d(const Tensor& input, const Shape& kernel_size, const std::optional<Shape>& stride,
                  const Shape& padding, bool ceil_mode, bool count_include_pad,
                  std::optional<std::int64_t> divisor_override);

Tensor adaptive_avg_pool2d(const Tensor& input, const AdaptiveSize& output_size);
Tensor adaptive_avg_pool3d(const Tensor& input, const AdaptiveSize& output_size);
/// Without `with_indices`, the indices are undefined.
std::pair<Tensor, Tensor> adaptive_max_pool(std::string_view function, const Tensor& input,
                                            const AdaptiveSize& output_size, std::size_t dims,
                                            bool with_indices);

Tensor lp_pool(std::string_view function, std::size_t dims, const Tensor& input, double norm_type,
               const Shape& kernel_size, const std::optional<Shape>& stride, bool ceil_mode);

Tensor max_unpool(std::string_view function, std::size_t dims, const Tensor& input,
                  const Tensor& indices, const Shape& kernel_size,
                  const std::optional<Shape>& stride, const Shape& padding,
                  const std::optional<Shape>& output_size);

/// Undefined samples are drawn from the default generator.
std::pair<Tensor, Tensor> fractional_max_pool(
    std::string_view function, std::size_t dims, const Tensor& input, const Shape& kernel_size,
    const std::optional<Shape>& output_size, const std::optional<std::vector<double>>& output_ratio,
    const Tensor& random_samples);

}  // namespace taper
