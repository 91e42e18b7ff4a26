#include "taper/nn/pooling_nd.h"

#include "core/check.h"
#include "nn/layers/adaptive_size.h"
#include "nn/layers/text.h"
#include "nn/registry/schema.h"

namespace taper::nn {
namespace {

/// Calls a layer that optionally returns indices.
template <class L> Value call_pool(const L& layer, const Values& args) {
  if (args.size() != 1) detail::throw_argument_count(layer, args.size(), 1, 1);
  if (!layer.return_indices) return layer.forward(args[0].as_tensor());
  return detail::to_value(layer.forward_with_indices(args[0].as_tensor()));
}

void reject_indices(const Module& layer, bool return_indices) {
  if (return_indices)
    fail<TypeError>("{}: return_indices returns two tensors: use forward_with_indices, or call",
                    layer.type_name());
}

Shape for_dims(const Shape& list, std::size_t dims) {
  return list.size() == 1 ? Shape::filled(dims, list[0]) : list;
}

}  // namespace

// A layer that optionally returns indices.
#define TAPER_INDEXED_POOL(Name, ...)                                                       \
  TAPER_DETAIL_LAYER_CLASS(Name){TAPER_DETAIL_VISIT(__VA_ARGS__)} Tensor Name::call_tensor( \
      const Tensor& input) {                                                                \
    return detail::call_typed(*this, input);                                                \
  }                                                                                         \
  Value Name::forward_values(Values& args) { return call_pool(*this, args); }
TAPER_INDEXED_POOL(MaxPool1d)
TAPER_INDEXED_POOL(MaxPool3d)
TAPER_INDEXED_POOL(AdaptiveMaxPool1d)
TAPER_INDEXED_POOL(AdaptiveMaxPool2d)
TAPER_INDEXED_POOL(AdaptiveMaxPool3d)
TAPER_INDEXED_POOL(FractionalMaxPool2d, _random_samples)
TAPER_INDEXED_POOL(FractionalMaxPool3d, _random_samples)
TAPER_LAYER_MEMBERS(AvgPool1d)
TAPER_LAYER_MEMBERS(AvgPool3d)
TAPER_LAYER_MEMBERS(LPPool1d)
TAPER_LAYER_MEMBERS(LPPool2d)
TAPER_LAYER_MEMBERS(LPPool3d)

// Layers of two tensors.
#define TAPER_UNPOOL(Name)                                                                 \
  TAPER_DETAIL_LAYER_CLASS(Name) {}                                                        \
  Tensor Name::call_tensor(const Tensor& x) { return detail::call_with_tensor(*this, x); } \
  Value Name::forward_values(Values& args) { return detail::forward_erased(*this, args); }
TAPER_UNPOOL(MaxUnpool1d)
TAPER_UNPOOL(MaxUnpool2d)
TAPER_UNPOOL(MaxUnpool3d)

MaxPoolBase::MaxPoolBase(const Shape& kernel, const MaxPool2dOptions& o)
    : kernel_size(kernel),
      stride(o.stride.value_or(kernel)),
      padding(o.padding),
      dilation(o.dilation),
      return_indices(o.return_indices),
      ceil_mode(o.ceil_mode) {}
MaxPool2dFuncOptions MaxPoolBase::function_options() const {
  return {.stride = stride, .padding = padding, .dilation = dilation, .ceil_mode = ceil_mode};
}
std::string MaxPoolBase::extra_repr() const {
  const auto text = [&](const Shape& list, unsigned bit) {
    return one_tuples >> bit & 1 ? tuple_text(list) : sizes_text(list);
  };
  return "kernel_size=" + text(kernel_size, 0) + ", stride=" + text(stride, 1) +
         ", padding=" + text(padding, 2) + ", dilation=" + text(dilation, 3) +
         ", ceil_mode=" + python_text(ceil_mode);
}

AvgPool1d::AvgPool1d(const Shape& kernel, const AvgPool1dOptions& o)
    : kernel_size(kernel),
      stride(o.stride.value_or(kernel)),
      padding(o.padding),
      ceil_mode(o.ceil_mode),
      count_include_pad(o.count_include_pad) {}
Tensor AvgPool1d::forward(const Tensor& input) const {
  return avg_pool1d(input, kernel_size,
                    {.stride = stride,
                     .padding = padding,
                     .ceil_mode = ceil_mode,
                     .count_include_pad = count_include_pad});
}
std::string AvgPool1d::extra_repr() const {
  return "kernel_size=" + tuple_text(kernel_size) + ", stride=" + tuple_text(stride) +
         ", padding=" + tuple_text(padding);
}

AvgPool3d::AvgPool3d(const Shape& kernel, const AvgPool3dOptions& o)
    : kernel_size(kernel),
      stride(o.stride.value_or(kernel)),
      padding(o.padding),
      ceil_mode(o.ceil_mode),
      count_include_pad(o.count_include_pad),
      divisor_override(o.divisor_override) {}
Tensor AvgPool3d::forward(const Tensor& input) const {
  return functional::avg_pool3d(input, kernel_size,
                                {.stride = stride,
                                 .padding = padding,
                                 .ceil_mode = ceil_mode,
                                 .count_include_pad = count_include_pad,
                                 .divisor_override = divisor_override});
}
std::string AvgPool3d::extra_repr() const {
  return "kernel_size=" + sizes_text(kernel_size) + ", stride=" + sizes_text(stride) +
         ", padding=" + sizes_text(padding);
}

LPPoolBase::LPPoolBase(const Scalar& norm, const Shape& kernel, const LPPoolOptions& o)
    : norm_type(norm), kernel_size(kernel), stride(o.stride), ceil_mode(o.ceil_mode) {}
std::string LPPoolBase::extra_repr() const {
  return "norm_type=" + norm_type.str() + ", kernel_size=" + sizes_text(kernel_size) +
         ", stride=" + (stride ? sizes_text(*stride) : "None") +
         ", ceil_mode=" + python_text(ceil_mode);
}

MaxUnpoolBase::MaxUnpoolBase(std::size_t dims, const Shape& kernel, const MaxUnpoolOptions& o)
    : kernel_size(for_dims(kernel, dims)),
      stride(for_dims(o.stride.value_or(kernel), dims)),
      padding(for_dims(o.padding, dims)) {}
std::string MaxUnpoolBase::extra_repr() const {
  return "kernel_size=" + tuple_text(kernel_size) + ", stride=" + tuple_text(stride) +
         ", padding=" + tuple_text(padding);
}

FractionalMaxPoolBase::FractionalMaxPoolBase(std::string_view name, std::size_t dims,
                                             const Shape& kernel, const FractionalMaxPoolOptions& o)
    : kernel_size(for_dims(kernel, dims)),
      return_indices(o.return_indices),
      output_size(o.output_size),
      output_ratio(o.output_ratio) {
  if (o._random_samples) _random_samples.emplace(*o._random_samples);
  if (output_size) output_size = for_dims(*output_size, dims);
  if (output_ratio && output_ratio->size() == 1) output_ratio->resize(dims, (*output_ratio)[0]);
  if (!output_size && !output_ratio)
    fail<ValueError>("{} requires specifying either an output size, or a pooling ratio", name);
  if (output_size && output_ratio)
    fail<ValueError>("{}: only one of output_size and output_ratio may be specified", name);
  if (output_ratio)
    for (const double r : *output_ratio)
      if (!(r > 0 && r < 1))
        fail<ValueError>("{}: output_ratio must be between 0 and 1 (got {})", name, r);
}
functional::FractionalMaxPool2dFuncOptions FractionalMaxPoolBase::function_options() const {
  return {
      .output_size = output_size, .output_ratio = output_ratio, ._random_samples = _random_samples};
}

Tensor MaxPool1d::forward(const Tensor& input) const {
  reject_indices(*this, return_indices);
  return max_pool1d(input, kernel_size, function_options());
}
std::pair<Tensor, Tensor> MaxPool1d::forward_with_indices(const Tensor& input) const {
  return max_pool1d_with_indices(input, kernel_size, function_options());
}

Tensor MaxPool3d::forward(const Tensor& input) const {
  reject_indices(*this, return_indices);
  return max_pool3d(input, kernel_size, function_options());
}
std::pair<Tensor, Tensor> MaxPool3d::forward_with_indices(const Tensor& input) const {
  return functional::max_pool3d_with_indices(input, kernel_size, function_options());
}

Tensor AdaptiveMaxPool1d::forward(const Tensor& input) const {
  reject_indices(*this, return_indices);
  return functional::adaptive_max_pool1d(input, output_size);
}
std::pair<Tensor, Tensor> AdaptiveMaxPool1d::forward_with_indices(const Tensor& input) const {
  return functional::adaptive_max_pool1d_with_indices(input, output_size);
}
std::string AdaptiveMaxPool1d::extra_repr() const { return adaptive_text(output_size); }

Tensor AdaptiveMaxPool2d::forward(const Tensor& input) const {
  reject_indices(*this, return_indices);
  return functional::adaptive_max_pool2d(input, output_size);
}
std::pair<Tensor, Tensor> AdaptiveMaxPool2d::forward_with_indices(const Tensor& input) const {
  return functional::adaptive_max_pool2d_with_indices(input, output_size);
}
std::string AdaptiveMaxPool2d::extra_repr() const { return adaptive_text(output_size); }

Tensor AdaptiveMaxPool3d::forward(const Tensor& input) const {
  reject_indices(*this, return_indices);
  return functional::adaptive_max_pool3d(input, output_size);
}
std::pair<Tensor, Tensor> AdaptiveMaxPool3d::forward_with_indices(const Tensor& input) const {
  return functional::adaptive_max_pool3d_with_indices(input, output_size);
}
std::string AdaptiveMaxPool3d::extra_repr() const { return adaptive_text(output_size); }

Tensor LPPool1d::forward(const Tensor& input) const {
  return functional::lp_pool1d(input, norm_type.to_double(), kernel_size,
                               {.stride = stride, .ceil_mode = ceil_mode});
}
Tensor MaxUnpool1d::forward(const Tensor& input, const Tensor& indices,
                            const OutputSizeOptions& o) const {
  return functional::max_unpool1d(
      input, indices, kernel_size,
      {.stride = stride, .padding = padding, .output_size = o.output_size});
}

Tensor LPPool2d::forward(const Tensor& input) const {
  return functional::lp_pool2d(input, norm_type.to_double(), kernel_size,
                               {.stride = stride, .ceil_mode = ceil_mode});
}
Tensor MaxUnpool2d::forward(const Tensor& input, const Tensor& indices,
                            const OutputSizeOptions& o) const {
  return functional::max_unpool2d(
      input, indices, kernel_size,
      {.stride = stride, .padding = padding, .output_size = o.output_size});
}

Tensor LPPool3d::forward(const Tensor& input) const {
  return functional::lp_pool3d(input, norm_type.to_double(), kernel_size,
                               {.stride = stride, .ceil_mode = ceil_mode});
}
Tensor MaxUnpool3d::forward(const Tensor& input, const Tensor& indices,
                            const OutputSizeOptions& o) const {
  return functional::max_unpool3d(
      input, indices, kernel_size,
      {.stride = stride, .padding = padding, .output_size = o.output_size});
}

Tensor FractionalMaxPool2d::forward(const Tensor& input) const {
  reject_indices(*this, return_indices);
  return functional::fractional_max_pool2d(input, kernel_size, function_options());
}
std::pair<Tensor, Tensor> FractionalMaxPool2d::forward_with_indices(const Tensor& input) const {
  return functional::fractional_max_pool2d_with_indices(input, kernel_size, function_options());
}

Tensor FractionalMaxPool3d::forward(const Tensor& input) const {
  reject_indices(*this, return_indices);
  return functional::fractional_max_pool3d(input, kernel_size, function_options());
}
std::pair<Tensor, Tensor> FractionalMaxPool3d::forward_with_indices(const Tensor& input) const {
  return functional::fractional_max_pool3d_with_indices(input, kernel_size, function_options());
}

}  // namespace taper::nn
