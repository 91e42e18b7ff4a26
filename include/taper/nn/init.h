// Initialization of parameters. PyTorch: torch.nn.init.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/tensor.h"

/// Functions that fill a tensor in place, without recording gradients, and return it. Random values
/// equal those of PyTorch for the same seed. A tensor on meta is returned unchanged.
/// PyTorch: torch.nn.init.
namespace TAPER_API taper {
namespace nn::init {

/// Returns the recommended gain of a nonlinearity: 1 for "linear", "sigmoid" and the convolutions
/// ("conv2d", "conv_transpose2d", ...), 5/3 for "tanh", sqrt(2) for "relu", 3/4 for "selu", and
/// sqrt(2 / (1 + param^2)) for "leaky_relu", where `param` is the negative slope (default: 0.01).
/// Throws ValueError for any other name, and if `param` is a bool.
/// PyTorch: torch.nn.init.calculate_gain.
double calculate_gain(std::string_view nonlinearity, const std::optional<Scalar>& param = {});

/// Fills the tensor from the uniform distribution on [a, b). Throws ValueError if a > b.
/// PyTorch: torch.nn.init.uniform_.
const Tensor& uniform_(const Tensor& tensor, double a = 0, double b = 1,
                       const Generator& generator = default_generator());
/// Fills the tensor from the normal distribution with the given mean and standard deviation. Throws
/// ValueError if std < 0. PyTorch: torch.nn.init.normal_.
const Tensor& normal_(const Tensor& tensor, double mean = 0, double std = 1,
                      const Generator& generator = default_generator());
/// Fills the tensor from the normal distribution with the given mean and standard deviation,
/// truncated to [a, b]. The bounds are values, not multiples of `std`. Throws ValueError unless
/// std > 0 and a < b. PyTorch: torch.nn.init.trunc_normal_.
const Tensor& trunc_normal_(const Tensor& tensor, double mean = 0, double std = 1, double a = -2,
                            double b = 2, const Generator& generator = default_generator());

/// Fills the tensor with `value`. PyTorch: torch.nn.init.constant_.
const Tensor& constant_(const Tensor& tensor, const Scalar& value);
/// Fills the tensor with ones. PyTorch: torch.nn.init.ones_.
const Tensor& ones_(const Tensor& tensor);
/// Fills the tensor with zeros. PyTorch: torch.nn.init.zeros_.
const Tensor& zeros_(const Tensor& tensor);
/// Fills a matrix with ones on the diagonal and zeros elsewhere. Throws ValueError unless the
/// tensor has 2 dimensions. PyTorch: torch.nn.init.eye_.
const Tensor& eye_(const Tensor& tensor);
/// Fills the weight `(out, in, ...)` of a convolution with the Dirac delta function, which
/// preserves the identity of as many input channels as possible, separately in each of `groups`
/// groups. Throws ValueError unless the tensor has 3 to 5 dimensions and `out` is a multiple of
/// `groups`. PyTorch: torch.nn.init.dirac_.
const Tensor& dirac_(const Tensor& tensor, IntArg groups = 1);

// In the functions below, fan_in = size(1) * receptive field size and fan_out = size(0) * receptive
// field size. They throw ValueError if the tensor has fewer than 2 dimensions.

/// Fills the tensor from the uniform distribution on [-b, b),
/// b = gain * sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010).
/// PyTorch: torch.nn.init.xavier_uniform_.
const Tensor& xavier_uniform_(const Tensor& tensor, double gain = 1,
                              const Generator& generator = default_generator());
/// Fills the tensor from the normal distribution with mean 0 and
/// std = gain * sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010).
/// PyTorch: torch.nn.init.xavier_normal_.
const Tensor& xavier_normal_(const Tensor& tensor, double gain = 1,
                             const Generator& generator = default_generator());
/// Fills the tensor from the uniform distribution on [-b, b), b = gain * sqrt(3 / fan) with
/// gain = calculate_gain(nonlinearity, a) (He et al., 2015). `mode` selects fan: "fan_in" or
/// "fan_out". A tensor without elements is returned unchanged. Throws ValueError for any other
/// mode. PyTorch: torch.nn.init.kaiming_uniform_.
const Tensor& kaiming_uniform_(const Tensor& tensor, const Scalar& a = 0,
                               std::string_view mode = "fan_in",
                               std::string_view nonlinearity = "leaky_relu",
                               const Generator& generator = default_generator());
/// Fills the tensor from the normal distribution with mean 0 and std = gain / sqrt(fan),
/// gain = calculate_gain(nonlinearity, a) (He et al., 2015). `mode` selects fan: "fan_in" or
/// "fan_out". A tensor without elements is returned unchanged. Throws ValueError for any other
/// mode. PyTorch: torch.nn.init.kaiming_normal_.
const Tensor& kaiming_normal_(const Tensor& tensor, const Scalar& a = 0,
                              std::string_view mode = "fan_in",
                              std::string_view nonlinearity = "leaky_relu",
                              const Generator& generator = default_generator());

/// Fills the tensor, as a matrix whose dimensions beyond the first are flattened, with a random
/// matrix with orthonormal rows, or columns if it has fewer columns than rows, times `gain`. Throws
/// ValueError if the tensor has fewer than 2 dimensions. PyTorch: torch.nn.init.orthogonal_.
const Tensor& orthogonal_(const Tensor& tensor, double gain = 1,
                          const Generator& generator = default_generator());
/// Fills a matrix from the normal distribution with mean 0 and the given `std`, with
/// ceil(sparsity * rows) randomly chosen elements of each column set to zero. The positions of the
/// zeros are drawn from the default generator. Throws ValueError unless the tensor has 2 dimensions
/// and `sparsity` is in [0, 1]. PyTorch: torch.nn.init.sparse_.
const Tensor& sparse_(const Tensor& tensor, FloatArg sparsity, double std = 0.01,
                      const Generator& generator = default_generator());

}  // namespace nn::init
}  // namespace taper
