#include "core/check.h"
#include "nn/layers/options.h"
#include "nn/layers/text.h"
#include "taper/nn/conv.h"
#include "taper/ops/conv.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(ConvTranspose1d, weight, bias)
TAPER_LAYER_MEMBERS(ConvTranspose2d, weight, bias)
TAPER_LAYER_MEMBERS(ConvTranspose3d, weight, bias)

Shape ConvTransposeBase::output_padding_for(const Tensor& input,
                                            const std::optional<Shape>& output_size) const {
  const std::size_t rank = kernel_size.size(), given = input.shape().size();
  // The op reports an error for an input of any other rank.
  if (!output_size || (given != rank + 1 && given != rank + 2)) return output_padding;
  const std::size_t first = given - rank;
  Shape wanted;
  if (output_size->size() == first + rank)
    for (std::size_t d = first; d < output_size->size(); ++d) wanted.push_back((*output_size)[d]);
  else
    wanted = *output_size;
  if (wanted.size() != rank)
    fail<ValueError>(
        "ConvTranspose{}D: for {}D input, output_size must have {} or {} elements (got {})", rank,
        given, rank, first + rank, wanted.size());
  Shape min, max, extra_padding, sizes;
  bool fits = true;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t size = input.shape()[first + d];
    sizes.push_back(size);
    min.push_back((size - 1) * stride[d] - 2 * padding.sizes[d] +
                  dilation[d] * (kernel_size[d] - 1) + 1);
    max.push_back(min[d] + stride[d] - 1);
    fits = fits && wanted[d] >= min[d] && wanted[d] <= max[d];
    extra_padding.push_back(wanted[d] - min[d]);
  }
  if (!fits)
    fail<ValueError>(
        "requested an output size of {}, but valid sizes range from {} to {} (for an input of "
        "torch.Size({}))",
        wanted.str(), min.str(), max.str(), sizes.str());
  return extra_padding;
}

Tensor ConvTransposeBase::convolve(std::size_t spatial, const Tensor& input,
                                   const OutputSizeOptions& options) const {
  return taper::detail::conv_transpose(
      spatial, input, weight, bias,
      {.stride = stride,
       .padding = padding.sizes,
       .output_padding = output_padding_for(input, options.output_size),
       .groups = groups,
       .dilation = dilation});
}

Tensor ConvTranspose1d::forward(const Tensor& x, const OutputSizeOptions& options) const {
  return convolve(1, called(x), options);
}
Tensor ConvTranspose2d::forward(const Tensor& x, const OutputSizeOptions& options) const {
  return convolve(2, called(x), options);
}
Tensor ConvTranspose3d::forward(const Tensor& x, const OutputSizeOptions& options) const {
  return convolve(3, called(x), options);
}

TAPER_OPTIONS_SCHEMA(ConvTranspose1d, "conv", in_channels, out_channels, kernel_size)
TAPER_OPTIONS_SCHEMA(ConvTranspose2d, "conv", in_channels, out_channels, kernel_size)
TAPER_OPTIONS_SCHEMA(ConvTranspose3d, "conv", in_channels, out_channels, kernel_size)

}  // namespace taper::nn
