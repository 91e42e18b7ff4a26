// Activations. `inplace` overwrites the input and returns it.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// max(x, 0). PyTorch: F.relu.
Tensor relu(const Tensor& input, bool inplace = false);
const Tensor& relu_(const Tensor& input);
/// x where it is positive, else negative_slope * x. PyTorch: F.leaky_relu.
Tensor leaky_relu(const Tensor& input, FloatArg negative_slope = 0.01, bool inplace = false);
/// x where it is greater than `threshold`, else `value`. PyTorch: F.threshold.
Tensor threshold(const Tensor& input, const Scalar& threshold, const Scalar& value,
                 bool inplace = false);
/// x brought into [min_val, max_val]. PyTorch: F.hardtanh. Throws ValueError if min_val > max_val.
Tensor hardtanh(const Tensor& input, const Scalar& min_val = -1.0, const Scalar& max_val = 1.0,
                bool inplace = false);
/// min(max(x, 0), 6). PyTorch: F.relu6.
Tensor relu6(const Tensor& input, bool inplace = false);
/// x where it is positive, else alpha * (e^x - 1). PyTorch: F.elu.
Tensor elu(const Tensor& input, const Scalar& alpha = 1.0, bool inplace = false);
/// elu, both sides scaled so that activations keep mean 0 and variance 1. PyTorch: F.selu.
Tensor selu(const Tensor& input, bool inplace = false);
/// x * relu6(x + 3) / 6. PyTorch: F.hardswish.
Tensor hardswish(const Tensor& input, bool inplace = false);
/// x where |x| > lambd, else 0. PyTorch: F.hardshrink.
Tensor hardshrink(const Tensor& input, const Scalar& lambd = 0.5);
/// x brought `lambd` nearer to 0, at most to 0. PyTorch: F.softshrink. Throws ValueError for a
/// negative lambd.
Tensor softshrink(const Tensor& input, const Scalar& lambd = 0.5);
/// x where it is positive, else x times a slope: drawn from [lower, upper) for each element in
/// training, else the mean of both. PyTorch: F.rrelu. Throws ValueError if lower > upper.
Tensor rrelu(const Tensor& input, FloatArg lower = 1.0 / 8, FloatArg upper = 1.0 / 3,
             bool training = false, bool inplace = false);
/// PyTorch: F.tanh, F.sigmoid.
using taper::sigmoid;
using taper::tanh;

}  // namespace nn::functional
}  // namespace taper
