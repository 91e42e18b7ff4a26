// Normalization, smoothing, noise, conversion and erasing of images.
#pragma once
#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/not_bool.h"
#include "taper/core/shape.h"
#include "taper/core/tensor.h"
#include "taper/data/transforms/numbers.h"

namespace TAPER_API taper {
namespace data::transforms::functional {

/// Computes (image - mean) / std of a floating-point image `(..., C, H, W)`, with one mean and
/// standard deviation per channel, or one for all. Throws DTypeError for integers, ValueError if a
/// standard deviation is 0, ShapeError if the counts do not match.
/// PyTorch: torchvision.transforms.v2.functional.normalize.
Tensor normalize(const Tensor& image, const Numbers& mean, const Numbers& std);
/// Smooths an image `(..., C, H, W)` with a Gaussian kernel of size `kernel_size` (x, y), one
/// number for both. `sigma` is (x, y) or one number; default 0.15 * kernel_size + 0.35. The image
/// is reflected at its borders. Throws ValueError if a size is not odd and positive, or a sigma is
/// not positive; ShapeError if the kernel is too large for the image. PyTorch:
/// torchvision.transforms.v2.functional.gaussian_blur.
Tensor gaussian_blur(const Tensor& image, const Shape& kernel_size, const Numbers& sigma = {});
/// Adds noise from the normal distribution, and clips the result to [0, 1] if `clip`. For an 8-bit
/// image, mean and sigma are multiplied by 255, and the noise is truncated to integers. Throws
/// ValueError if sigma is negative, DTypeError for other integers.
/// PyTorch: torchvision.transforms.v2.functional.gaussian_noise.
Tensor gaussian_noise(const Tensor& image, double mean = 0, double sigma = 0.1, bool clip = true,
                      const Generator& generator = default_generator());
/// Converts an image to another dtype. If `scale`, [0, 1] of floating-point types corresponds to 0
/// to the maximum of integer types, and integers of different sizes are shifted. Throws DTypeError
/// if `scale` is set and the floating-point type has too few digits.
/// PyTorch: torchvision.transforms.v2.functional.to_dtype.
Tensor to_dtype(const Tensor& image, DType dtype = DType::f32, bool scale = false);
/// Returns a copy of an image whose rectangle of `h` rows and `w` columns at (i, j) has the value
/// `v`, which is broadcast. The rectangle is clipped to the image. Throws ValueError if h or w
/// is negative. PyTorch:
/// torchvision.transforms.v2.functional.erase.
Tensor erase(const Tensor& image, IntArg i, IntArg j, IntArg h, IntArg w, const Tensor& v);

}  // namespace data::transforms::functional
}  // namespace taper
