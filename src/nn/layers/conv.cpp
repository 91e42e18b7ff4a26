#include "taper/nn/conv.h"

#include <cmath>

#include "nn/layers/options.h"
#include "nn/layers/text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/pad.h"
#include "taper/nn/init.h"
#include "taper/ops/conv.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Conv1d, weight, bias)
TAPER_LAYER_MEMBERS(Conv2d, weight, bias)
TAPER_LAYER_MEMBERS(Conv3d, weight, bias)
namespace {

/// One number per dimension, of a list that may hold one for all.
Shape spread(const Shape& sizes, std::size_t rank, const char* name) {
  if (sizes.size() == 1) return Shape::filled(rank, sizes[0]);
  if (sizes.size() != rank)
    throw ValueError(std::string("conv: ") + name + " has " + std::to_string(sizes.size()) +
                     " numbers, expected 1 or " + std::to_string(rank));
  return sizes;
}

void check_options(std::int64_t in, std::int64_t out, const Shape& stride, const ConvOptions& o) {
  if (o.groups <= 0) throw ValueError("groups must be a positive integer");
  if (in % o.groups != 0) throw ValueError("in_channels must be divisible by groups");
  if (out % o.groups != 0) throw ValueError("out_channels must be divisible by groups");
  const std::string& word = o.padding.word;
  if (!word.empty() && word != "same" && word != "valid")
    throw ValueError("Invalid padding string '" + word + "', should be one of {'same', 'valid'}");
  if (word == "same")
    for (std::int64_t s : stride)
      if (s != 1) throw ValueError("padding='same' is not supported for strided convolutions");
  const std::string& mode = o.padding_mode;
  if (mode != "zeros" && mode != "reflect" && mode != "replicate" && mode != "circular")
    throw ValueError(
        "padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got "
        "padding_mode='" +
        mode + "'");
}

Tensor fresh_weight(std::int64_t in, std::int64_t out, const Shape& kernel, const ConvOptions& o,
                    bool transposed) {
  Shape shape = Shape::filled(kernel.size() + 2, 0);
  shape[0] = transposed ? in : out, shape[1] = (transposed ? out : in) / o.groups;
  for (std::size_t i = 0; i < kernel.size(); ++i) shape[i + 2] = kernel[i];
  for (std::int64_t size : shape)
    if (size < 0)
      throw ValueError("conv: channels and kernel_size must not be negative, got weight " +
                       shape.str());
  return empty(shape, {.dtype = o.dtype, .device = o.device});
}

}  // namespace

ConvBase::ConvBase(std::size_t rank, std::optional<std::int64_t> in, std::int64_t out,
                   const Shape& kernel, const ConvOptions& o)
    : ConvBase(rank, in, out, kernel, o, nullptr) {}

ConvBase::ConvBase(std::size_t rank, std::int64_t in, std::int64_t out, const Shape& kernel,
                   const ConvTransposeOptions& o)
    : ConvBase(rank, in, out, kernel,
               {.stride = o.stride,
                .padding = o.padding,
                .dilation = o.dilation,
                .groups = o.groups,
                .bias = o.bias,
                .padding_mode = o.padding_mode,
                .dtype = o.dtype,
                .device = o.device},
               &o.output_padding) {}

ConvBase::ConvBase(std::size_t rank, std::optional<std::int64_t> in, std::int64_t out,
                   const Shape& kernel, const ConvOptions& o, const Shape* more)
    : in_channels(in.value_or(0)),
      out_channels(out),
      kernel_size(spread(kernel, rank, "kernel_size")),
      stride(spread(o.stride, rank, "stride")),
      padding(o.padding),
      dilation(spread(o.dilation, rank, "dilation")),
      transposed(more != nullptr),
      output_padding(more ? spread(*more, rank, "output_padding") : Shape::filled(rank, 0)),
      groups(o.groups),
      padding_mode(o.padding_mode),
      weight(Parameter::none()) {
  if (transposed && padding_mode != "zeros")
    throw ValueError("Only \"zeros\" padding mode is supported for ConvTranspose" +
                     std::to_string(rank) + "d");
  check_options(in_channels, out, stride, o);
  if (padding.word.empty()) padding.sizes = spread(padding.sizes, rank, "padding");
  if (!in) {
    const MaterializeOptions kind{.dtype = o.dtype, .device = o.device};
    weight = UninitializedParameter(true, kind);
    if (o.bias) bias.emplace(UninitializedParameter(true, kind));
    return;
  }
  weight = Parameter(fresh_weight(*in, out, kernel_size, o, transposed));
  if (o.bias) bias.emplace(empty({out}, {.dtype = o.dtype, .device = o.device}));
  reset_parameters();
}

void ConvBase::reset_parameters() {
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (!bias) return;
  std::int64_t fan_in = weight.size(1);
  for (std::int64_t k : kernel_size) fan_in *= k;
  if (fan_in == 0) return;
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  init::uniform_(*bias, -bound, bound);
}

Tensor ConvBase::padded(const Tensor& input) const {
  const std::size_t rank = kernel_size.size();
  Shape pad = Shape::filled(2 * rank, 0);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t at = 2 * (rank - 1 - i);  // the last dimension comes first
    if (padding.word == "same") {
      const std::int64_t total = dilation[i] * (kernel_size[i] - 1);
      pad[at] = total / 2, pad[at + 1] = total - total / 2;
    } else if (padding.word.empty()) {
      pad[at] = pad[at + 1] = padding.sizes[i];
    }
  }
  return functional::pad(input, pad, padding_mode);
}

std::string ConvBase::extra_repr() const {
  bool padding_zero = padding.word.empty(), dilation_one = true, none_more = true;
  for (std::int64_t p : padding.sizes) padding_zero = padding_zero && p == 0;
  for (std::int64_t d : dilation) dilation_one = dilation_one && d == 1;
  for (std::int64_t p : output_padding) none_more = none_more && p == 0;
  std::string out = std::to_string(in_channels) + ", " + std::to_string(out_channels) +
                    ", kernel_size=" + tuple_text(kernel_size) + ", stride=" + tuple_text(stride);
  if (!padding.word.empty())
    out += ", padding=" + padding.word;
  else if (!padding_zero)
    out += ", padding=" + tuple_text(padding.sizes);
  if (!dilation_one) out += ", dilation=" + tuple_text(dilation);
  if (!none_more) out += ", output_padding=" + tuple_text(output_padding);
  if (groups != 1) out += ", groups=" + std::to_string(groups);
  if (!bias) out += ", bias=False";
  if (padding_mode != "zeros") out += ", padding_mode=" + padding_mode;
  return out;
}

namespace {

using Convolve = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, const taper::ConvOptions&);

Tensor convolve(const ConvBase& c, const Tensor& input, bool padded, Convolve convolution) {
  const ConvPadding zeros = padded                   ? ConvPadding(0)
                            : c.padding.word.empty() ? ConvPadding(c.padding.sizes)
                                                     : ConvPadding(c.padding.word);
  return convolution(
      input, c.weight, c.bias ? static_cast<const Tensor&>(*c.bias) : Tensor(),
      {.stride = c.stride, .padding = zeros, .dilation = c.dilation, .groups = c.groups});
}

}  // namespace

Tensor Conv1d::forward(const Tensor& x) const {
  if (padding_mode != "zeros") return convolve(*this, padded(x), true, conv1d);
  return convolve(*this, x, false, conv1d);
}
Tensor Conv2d::forward(const Tensor& x) const {
  if (padding_mode != "zeros") return convolve(*this, padded(x), true, conv2d);
  return convolve(*this, x, false, conv2d);
}
Tensor Conv3d::forward(const Tensor& x) const {
  if (padding_mode != "zeros") return convolve(*this, padded(x), true, conv3d);
  return convolve(*this, x, false, conv3d);
}

namespace {

template <class Conv> constexpr ClassRow convolution_row(std::string_view name) {
  return layer_row<Conv>(
      name, "conv",
      "in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, "
      "bias=True, padding_mode='zeros', device=None, dtype=None",
      [](const Arguments& a) {
        return Conv(a.integer("in_channels"), a.integer("out_channels"), a.sizes("kernel_size"),
                    conv_options(a));
      },
      [](const Conv& m) {
        return conv_values(m, {m.in_channels, m.out_channels});
      });
}

}  // namespace

const ClassRow& row_of(const Conv1d*) {
  static constexpr ClassRow row = convolution_row<Conv1d>("Conv1d");
  return row;
}
const ClassRow& row_of(const Conv2d*) {
  static constexpr ClassRow row = convolution_row<Conv2d>("Conv2d");
  return row;
}
const ClassRow& row_of(const Conv3d*) {
  static constexpr ClassRow row = convolution_row<Conv3d>("Conv3d");
  return row;
}

}  // namespace taper::nn
