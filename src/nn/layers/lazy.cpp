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

TAPER_SCHEMA_AS(LazyLinear, LinearOptions, "linear", nullptr, kNothingDeprecated, out_features)

TAPER_SCHEMA_AS(LazyConv1d, ConvOptions, "conv", nullptr, kNothingDeprecated, out_channels,
                kernel_size)
TAPER_SCHEMA_AS(LazyConv2d, ConvOptions, "conv", nullptr, kNothingDeprecated, out_channels,
                kernel_size)
TAPER_SCHEMA_AS(LazyConv3d, ConvOptions, "conv", nullptr, kNothingDeprecated, out_channels,
                kernel_size)
TAPER_SCHEMA_AS(LazyConvTranspose1d, ConvTransposeOptions, "conv", nullptr, kNothingDeprecated,
                out_channels, kernel_size)
TAPER_SCHEMA_AS(LazyConvTranspose2d, ConvTransposeOptions, "conv", nullptr, kNothingDeprecated,
                out_channels, kernel_size)
TAPER_SCHEMA_AS(LazyConvTranspose3d, ConvTransposeOptions, "conv", nullptr, kNothingDeprecated,
                out_channels, kernel_size)
TAPER_NORM_SCHEMA(LazyBatchNorm1d, BatchNormOptions, "batchnorm")
TAPER_NORM_SCHEMA(LazyBatchNorm2d, BatchNormOptions, "batchnorm")
TAPER_NORM_SCHEMA(LazyBatchNorm3d, BatchNormOptions, "batchnorm")

}  // namespace taper::nn
