// Vectorized bilinear sampling of two-dimensional images at the points of a grid, and its
// gradients.
#pragma once
#include <cstdint>

namespace taper::grid {

/// Channels of one image, planes of height * width < 2^31 elements, and the values at its points.
struct ImageSampling {
  std::int64_t channels = 0, height = 0, width = 0, points = 0;
  bool align_corners = false;
  bool border = false;  ///< positions are limited to the image; otherwise, pixels outside are 0
};

/// Computes the values (C, points) at points [begin, end).
void sample_image(const ImageSampling& s, const float* image, const float* grid, float* out,
                  std::int64_t begin, std::int64_t end);

/// Computes the backward pass of sample_image for all points: adds the gradient of the image to
/// `grad_image` and stores that of the grid in `grad_grid`.
void sample_image_backward(const ImageSampling& s, const float* grad, const float* image,
                           const float* grid, float* grad_image, float* grad_grid);

}  // namespace taper::grid
