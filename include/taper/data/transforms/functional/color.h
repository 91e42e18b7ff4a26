// Functions that change the colors of images.
#pragma once
#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/shape.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace data::transforms::functional {

// Images have the shape (..., C, H, W), with integers from 0 to the maximum of the dtype, or
// floating-point numbers in [0, 1]. Integer images are computed in float and truncated. Functions
// return the input itself, not a copy, if they do not change it. Unless stated otherwise, they
// throw ShapeError if the number of channels is not 1 or 3.

/// Converts an RGB image to gray, 0.2989 R + 0.587 G + 0.114 B, with 1 or 3 equal channels. A gray
/// image is copied. Throws ValueError for another number of output channels.
/// PyTorch: torchvision.transforms.v2.functional.rgb_to_grayscale.
Tensor rgb_to_grayscale(const Tensor& image, IntArg num_output_channels = 1);
/// Repeats the channel of a gray image three times; returns an image with 3 or more channels
/// unchanged. PyTorch: torchvision.transforms.v2.functional.grayscale_to_rgb.
Tensor grayscale_to_rgb(const Tensor& image);
/// Blends an image with black, with the mean of its gray image, or with its gray image. A factor of
/// 1 returns the image, 0 the other image; larger factors increase the effect. The saturation of a
/// gray image does not change. Throw ValueError if the factor is negative. PyTorch:
/// torchvision.transforms.v2.functional.adjust_brightness, adjust_contrast, adjust_saturation.
Tensor adjust_brightness(const Tensor& image, double brightness_factor);
Tensor adjust_contrast(const Tensor& image, double contrast_factor);
Tensor adjust_saturation(const Tensor& image, double saturation_factor);
/// Blends an image with a smoothed one, except at the border. A factor of 0 returns the smoothed
/// image, 1 the image, 2 a sharpened image. Throws ValueError if the factor is negative.
/// PyTorch: torchvision.transforms.v2.functional.adjust_sharpness.
Tensor adjust_sharpness(const Tensor& image, double sharpness_factor);
/// Adds `hue_factor`, in turns of the color circle, to the hue. Does not change a gray image.
/// Throws ValueError if the factor is not in [-0.5, 0.5].
/// PyTorch: torchvision.transforms.v2.functional.adjust_hue.
Tensor adjust_hue(const Tensor& image, double hue_factor);
/// Computes gain * x^gamma of values x in [0, 1], for any number of channels. Throws ValueError if
/// gamma is negative. PyTorch: torchvision.transforms.v2.functional.adjust_gamma.
Tensor adjust_gamma(const Tensor& image, double gamma, double gain = 1);
/// Keeps the `bits` highest bits of integers, or 2^bits levels of floating-point numbers, for any
/// number of channels. Throws ValueError if bits is not in [0, 8].
/// PyTorch: torchvision.transforms.v2.functional.posterize.
Tensor posterize(const Tensor& image, IntArg bits);
/// Inverts the values greater than or equal to `threshold`, for any number of channels. Throws
/// ValueError if the threshold exceeds the maximum of the dtype.
/// PyTorch: torchvision.transforms.v2.functional.solarize.
Tensor solarize(const Tensor& image, double threshold);
/// Inverts the colors, for any number of channels.
/// PyTorch: torchvision.transforms.v2.functional.invert.
Tensor invert(const Tensor& image);
/// Scales the values of each channel to the full range. A channel of equal values does not change.
/// PyTorch: torchvision.transforms.v2.functional.autocontrast.
Tensor autocontrast(const Tensor& image);
/// Equalizes the histogram of each channel, computed with 8 bits, for any number of channels.
/// PyTorch: torchvision.transforms.v2.functional.equalize.
Tensor equalize(const Tensor& image);
/// Reorders the channels: channel i of the result is channel permutation[i] of the image. Throws
/// ValueError if `permutation` has a length other than C or a number outside of [0, C).
/// PyTorch: torchvision.transforms.v2.functional.permute_channels.
Tensor permute_channels(const Tensor& image, const Shape& permutation);

}  // namespace data::transforms::functional
}  // namespace taper
