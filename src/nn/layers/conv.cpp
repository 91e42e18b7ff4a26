#include "taper/nn/conv.h"

#include <cmath>
#include <tuple>

#include "core/check.h"
#include "nn/layers/options.h"
#include "nn/layers/text.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/pad.h"
#include "taper/nn/init.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Conv1d, weight, bias)
TAPER_LAYER_MEMBERS(Conv2d, weight, bias)
TAPER_LAYER_MEMBERS(Conv3d, weight, bias)
namespace {

void check_channels(std::int64_t in, std::int64_t out, std::int64_t groups) {
  if (groups <= 0) fail<ValueError>("groups must be a positive integer");
  if (in % groups != 0) fail<ValueError>("in_channels must be divisible by groups");
  if (out % groups != 0) fail<ValueError>("out_channels must be divisible by groups");
}

void check_mode(const std::string& mode, bool transposed, std::size_t rank) {
  if (transposed && mode != "zeros")
    fail<ValueError>("Only \"zeros\" padding mode is supported for ConvTranspose{}d", rank);
  if (mode != "zeros" && mode != "reflect" && mode != "replicate" && mode != "circular")
    fail<ValueError>(
        "padding_mode must be one of {{'zeros', 'reflect', 'replicate', 'circular'}}, but got "
        "padding_mode='{}'",
        mode);
}

Shape weight_shape(const ConvBase& c) {
  Shape shape = Shape::filled(c.kernel_size.size() + 2, 0);
  shape[0] = c.transposed ? c.in_channels : c.out_channels;
  shape[1] = (c.transposed ? c.out_channels : c.in_channels) / c.groups;
  for (std::size_t i = 0; i < c.kernel_size.size(); ++i) shape[i + 2] = c.kernel_size[i];
  for (std::int64_t size : shape)
    if (size < 0)
      fail<ValueError>("conv: channels and kernel_size must not be negative, got weight {}", shape);
  return shape;
}

const char* function_of(bool transposed) { return transposed ? "conv_transpose" : "conv"; }

}  // namespace

ConvBase::ConvBase(std::size_t rank, std::optional<std::int64_t> in, std::int64_t out,
                   const Shape& kernel, const ConvOptions& o)
    : ConvBase(rank, in, out, kernel, ConvAttributes{o.stride, o.padding, o.dilation, o.groups},
               nullptr, o.padding_mode, o.bias, tensor_options(o)) {}

ConvBase::ConvBase(std::size_t rank, std::optional<std::int64_t> in, std::int64_t out,
                   const Shape& kernel, const ConvTransposeOptions& o)
    : ConvBase(rank, in, out, kernel, ConvAttributes{o.stride, o.padding, o.dilation, o.groups},
               &o.output_padding, o.padding_mode, o.bias, tensor_options(o)) {}

ConvBase::ConvBase(std::size_t rank, std::optional<std::int64_t> in, std::int64_t out,
                   const Shape& kernel, const ConvAttributes& attributes, const Shape* more,
                   const std::string& mode, bool with_bias, const TensorOptions& tensors)
    : ConvAttributes(taper::detail::per_dimension(function_of(more), rank, attributes)),
      in_channels(in.value_or(0)),
      out_channels(out),
      kernel_size(taper::detail::per_dimension(function_of(more), rank, "kernel_size", kernel)),
      transposed(more),
      output_padding(taper::detail::per_dimension(function_of(more), rank, "output_padding",
                                                  more ? *more : Shape{0})),
      padding_mode(mode),
      weight(Parameter::none()) {
  check_mode(mode, transposed, rank);
  check_channels(in_channels, out, groups);
  if (!in) {
    const MaterializeOptions materialize_options{.dtype = tensors.dtype, .device = tensors.device};
    weight = UninitializedParameter(true, materialize_options);
    if (with_bias) bias.emplace(UninitializedParameter(true, materialize_options));
    return;
  }
  weight = Parameter(empty(weight_shape(*this), tensors));
  if (with_bias) bias.emplace(empty({out}, tensors));
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
    const std::size_t at = 2 * (rank - 1 - i);  // F.pad expects the last dimension first
    std::tie(pad[at], pad[at + 1]) = padding.sides(i, kernel_size[i], dilation[i]);
  }
  return functional::pad(input, pad, {.mode = padding_mode});
}

Tensor ConvBase::convolve(std::size_t spatial, const Tensor& input) const {
  if (padding_mode == "zeros") return taper::detail::conv(spatial, input, weight, bias, *this);
  const ConvAttributes attributes{.stride = stride, .dilation = dilation, .groups = groups};
  return taper::detail::conv(spatial, padded(input), weight, bias, attributes);
}

std::string ConvBase::extra_repr() const {
  bool padding_zero = padding.word.empty(), dilation_one = true, no_output_padding = true;
  for (std::int64_t p : padding.sizes) padding_zero = padding_zero && p == 0;
  for (std::int64_t d : dilation) dilation_one = dilation_one && d == 1;
  for (std::int64_t p : output_padding) no_output_padding = no_output_padding && p == 0;
  std::string out = std::to_string(in_channels) + ", " + std::to_string(out_channels) +
                    ", kernel_size=" + tuple_text(kernel_size) + ", stride=" + tuple_text(stride);
  if (!padding.word.empty())
    out += ", padding=" + padding.word;
  else if (!padding_zero)
    out += ", padding=" + tuple_text(padding.sizes);
  if (!dilation_one) out += ", dilation=" + tuple_text(dilation);
  if (!no_output_padding) out += ", output_padding=" + tuple_text(output_padding);
  if (groups != 1) out += ", groups=" + std::to_string(groups);
  if (!bias) out += ", bias=False";
  if (padding_mode != "zeros") out += ", padding_mode=" + padding_mode;
  return out;
}

Tensor Conv1d::forward(const Tensor& x) const { return convolve(1, called(x)); }
Tensor Conv2d::forward(const Tensor& x) const { return convolve(2, called(x)); }
Tensor Conv3d::forward(const Tensor& x) const { return convolve(3, called(x)); }

TAPER_OPTIONS_SCHEMA(Conv1d, "conv", in_channels, out_channels, kernel_size)
TAPER_OPTIONS_SCHEMA(Conv2d, "conv", in_channels, out_channels, kernel_size)
TAPER_OPTIONS_SCHEMA(Conv3d, "conv", in_channels, out_channels, kernel_size)

}  // namespace taper::nn
