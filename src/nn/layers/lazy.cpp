#include "taper/nn/lazy.h"

#include "core/check.h"
#include "nn/layers/lazy_layer.h"
#include "nn/layers/loaded_tensors.h"

namespace taper::nn {

TAPER_LAZY_LAYER(LazyLinear, Linear)
TAPER_LAZY_LAYER(LazyConv1d, Conv1d)
TAPER_LAZY_LAYER(LazyConv2d, Conv2d)
TAPER_LAZY_LAYER(LazyConv3d, Conv3d)
TAPER_LAZY_LAYER(LazyConvTranspose1d, ConvTranspose1d)
TAPER_LAZY_LAYER(LazyConvTranspose2d, ConvTranspose2d)
TAPER_LAZY_LAYER(LazyConvTranspose3d, ConvTranspose3d)
TAPER_LAZY_LAYER(LazyBatchNorm1d, BatchNorm1d)
TAPER_LAZY_LAYER(LazyBatchNorm2d, BatchNorm2d)
TAPER_LAZY_LAYER(LazyBatchNorm3d, BatchNorm3d)

LazyLinear::LazyLinear(IntArg out, const LinearOptions& options)
    : Layer(std::nullopt, out, options) {
  initialize_at_first_call("Linear");
}

void LazyLinear::initialize_parameters(const Tensor& input) {
  const std::int64_t in = input.size(-1);
  if (!is_lazy(weight) && in != weight.size(-1))
    fail<AssertionError>(
        "The in_features inferred from input: {} is not equal to in_features from self.weight: {}",
        in, weight.size(-1));
  in_features = in;
  if (!has_uninitialized_params()) return;
  const LoadedTensors loaded_tensors(*this);
  if (is_lazy(weight)) weight.materialize({out_features, in});
  if (bias && is_lazy(*bias)) bias->materialize({out_features});
  reset_parameters();
  loaded_tensors.restore();
}

namespace {

/// Infers in_channels of a lazy convolution from its first input and initializes its parameters.
void infer_channels(ConvBase& conv, const Tensor& input) {
  const auto rank = static_cast<std::int64_t>(conv.kernel_size.size());
  if (input.dim() != rank + 1 && input.dim() != rank + 2)
    fail<RuntimeError>(
        "Expected {}D (unbatched) or {}D (batched) input to {}, but got input of size: "
        "torch.Size({})",
        rank + 1, rank + 2, conv.type_name(), input.shape().str());
  const std::int64_t in = is_lazy(conv.weight) ? input.size(-rank - 1)
                          : conv.transposed    ? conv.weight.size(0)
                                               : conv.weight.size(1) * conv.groups;
  if (in % conv.groups != 0) fail<ValueError>("in_channels must be divisible by groups");
  conv.in_channels = in;
  if (!has_uninitialized_params(conv)) return;
  const LoadedTensors loaded_tensors(conv);
  Shape shape = conv.transposed ? Shape{in, conv.out_channels / conv.groups}
                                : Shape{conv.out_channels, in / conv.groups};
  for (std::int64_t k : conv.kernel_size) shape.push_back(k);
  if (is_lazy(conv.weight)) conv.weight.materialize(shape);
  if (conv.bias && is_lazy(*conv.bias)) conv.bias->materialize({conv.out_channels});
  conv.reset_parameters();
  loaded_tensors.restore();
}

}  // namespace

LazyConv1d::LazyConv1d(IntArg out, const Shape& kernel, const ConvOptions& options)
    : Layer(std::nullopt, out, kernel, options) {
  initialize_at_first_call("Conv1d");
}
LazyConv2d::LazyConv2d(IntArg out, const Shape& kernel, const ConvOptions& options)
    : Layer(std::nullopt, out, kernel, options) {
  initialize_at_first_call("Conv2d");
}
LazyConv3d::LazyConv3d(IntArg out, const Shape& kernel, const ConvOptions& options)
    : Layer(std::nullopt, out, kernel, options) {
  initialize_at_first_call("Conv3d");
}
void LazyConv1d::initialize_parameters(const Tensor& input) { infer_channels(*this, input); }
void LazyConv2d::initialize_parameters(const Tensor& input) { infer_channels(*this, input); }
void LazyConv3d::initialize_parameters(const Tensor& input) { infer_channels(*this, input); }

LazyConvTranspose1d::LazyConvTranspose1d(IntArg out, const Shape& kernel,
                                         const ConvTransposeOptions& options)
    : Layer(std::nullopt, out, kernel, options) {
  initialize_at_first_call("ConvTranspose1d");
}
void LazyConvTranspose1d::initialize_parameters(const Tensor& input) {
  infer_channels(*this, input);
}
LazyConvTranspose2d::LazyConvTranspose2d(IntArg out, const Shape& kernel,
                                         const ConvTransposeOptions& options)
    : Layer(std::nullopt, out, kernel, options) {
  initialize_at_first_call("ConvTranspose2d");
}
void LazyConvTranspose2d::initialize_parameters(const Tensor& input) {
  infer_channels(*this, input);
}
LazyConvTranspose3d::LazyConvTranspose3d(IntArg out, const Shape& kernel,
                                         const ConvTransposeOptions& options)
    : Layer(std::nullopt, out, kernel, options) {
  initialize_at_first_call("ConvTranspose3d");
}
void LazyConvTranspose3d::initialize_parameters(const Tensor& input) {
  infer_channels(*this, input);
}

LazyBatchNorm1d::LazyBatchNorm1d(const BatchNormOptions& options) : Layer(std::nullopt, options) {
  initialize_at_first_call("BatchNorm1d");
}
LazyBatchNorm2d::LazyBatchNorm2d(const BatchNormOptions& options) : Layer(std::nullopt, options) {
  initialize_at_first_call("BatchNorm2d");
}
LazyBatchNorm3d::LazyBatchNorm3d(const BatchNormOptions& options) : Layer(std::nullopt, options) {
  initialize_at_first_call("BatchNorm3d");
}
void LazyBatchNorm1d::initialize_parameters(const Tensor& input) { infer_features(input); }
void LazyBatchNorm2d::initialize_parameters(const Tensor& input) { infer_features(input); }
void LazyBatchNorm3d::initialize_parameters(const Tensor& input) { infer_features(input); }

const ModuleSchema& module_schema(const LazyLinear*) {
  static constexpr ModuleSchema schema = layer_schema<LazyLinear>(
      "LazyLinear", "linear", "out_features, bias=True, device=None, dtype=None",
      [](const Arguments& a) {
        return LazyLinear(a.integer("out_features"),
                          {.bias = a.flag("bias"), .dtype = a.dtype(), .device = a.device()});
      },
      [](const LazyLinear& m) -> Values {
        return {m.out_features, m.bias.has_value(), m.weight.device(), m.weight.dtype()};
      });
  return schema;
}

namespace {

template <class Conv> constexpr ModuleSchema lazy_convolution_schema(std::string_view name) {
  return layer_schema<Conv>(
      name, "conv",
      "out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, "
      "padding_mode='zeros', device=None, dtype=None",
      [](const Arguments& a) {
        return Conv(a.integer("out_channels"), a.sizes("kernel_size"), conv_options(a));
      },
      [](const Conv& m) { return conv_values(m, {m.out_channels}); });
}

template <class Conv> constexpr ModuleSchema lazy_transposed_schema(std::string_view name) {
  return layer_schema<Conv>(
      name, "conv",
      "out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, "
      "dilation=1, padding_mode='zeros', device=None, dtype=None",
      [](const Arguments& a) {
        return Conv(a.integer("out_channels"), a.sizes("kernel_size"), conv_transpose_options(a));
      },
      [](const Conv& m) { return conv_transpose_values(m, {m.out_channels}); });
}

}  // namespace

const ModuleSchema& module_schema(const LazyConv1d*) {
  static constexpr ModuleSchema schema = lazy_convolution_schema<LazyConv1d>("LazyConv1d");
  return schema;
}
const ModuleSchema& module_schema(const LazyConv2d*) {
  static constexpr ModuleSchema schema = lazy_convolution_schema<LazyConv2d>("LazyConv2d");
  return schema;
}
const ModuleSchema& module_schema(const LazyConv3d*) {
  static constexpr ModuleSchema schema = lazy_convolution_schema<LazyConv3d>("LazyConv3d");
  return schema;
}
const ModuleSchema& module_schema(const LazyConvTranspose1d*) {
  static constexpr ModuleSchema schema =
      lazy_transposed_schema<LazyConvTranspose1d>("LazyConvTranspose1d");
  return schema;
}
const ModuleSchema& module_schema(const LazyConvTranspose2d*) {
  static constexpr ModuleSchema schema =
      lazy_transposed_schema<LazyConvTranspose2d>("LazyConvTranspose2d");
  return schema;
}
const ModuleSchema& module_schema(const LazyConvTranspose3d*) {
  static constexpr ModuleSchema schema =
      lazy_transposed_schema<LazyConvTranspose3d>("LazyConvTranspose3d");
  return schema;
}
const ModuleSchema& module_schema(const LazyBatchNorm1d*) {
  static constexpr ModuleSchema schema =
      lazy_norm_schema<LazyBatchNorm1d>("LazyBatchNorm1d", "batchnorm");
  return schema;
}
const ModuleSchema& module_schema(const LazyBatchNorm2d*) {
  static constexpr ModuleSchema schema =
      lazy_norm_schema<LazyBatchNorm2d>("LazyBatchNorm2d", "batchnorm");
  return schema;
}
const ModuleSchema& module_schema(const LazyBatchNorm3d*) {
  static constexpr ModuleSchema schema =
      lazy_norm_schema<LazyBatchNorm3d>("LazyBatchNorm3d", "batchnorm");
  return schema;
}

}  // namespace taper::nn
