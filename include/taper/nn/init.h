// Initial values of parameters.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/tensor.h"

/// Functions that fill a tensor in place, without recording, and return it. Random ones draw what
/// PyTorch draws for the same seed. A meta tensor stays as it is. PyTorch: torch.nn.init.
namespace TAPER_API taper {
namespace nn::init {

/// The factor by which a nonlinearity asks weights to be scaled: 1 for "linear", "sigmoid" and the
/// convolutions ("conv2d", "conv_transpose2d", ...), 5/3 for "tanh", sqrt(2) for "relu", 3/4 for
/// "selu", sqrt(2 / (1 + param^2)) for "leaky_relu", whose param defaults to 0.01.
/// Throws ValueError for another name, or a bool as param.
double calculate_gain(std::string_view nonlinearity, const std::optional<Scalar>& param = {});

/// Uniform in [a, b). Throws ValueError if a > b.
const Tensor& uniform_(const Tensor& tensor, double a = 0, double b = 1,
                       const Generator& generator = default_generator());
/// Normal. Throws ValueError if std < 0.
const Tensor& normal_(const Tensor& tensor, double mean = 0, double std = 1,
                      const Generator& generator = default_generator());
/// Normal, drawn again until it lies in [a, b] (bounds of the value, not multiples of std).
const Tensor& trunc_normal_(const Tensor& tensor, double mean = 0, double std = 1, double a = -2,
                            double b = 2, const Generator& generator = default_generator());

const Tensor& constant_(const Tensor& tensor, const Scalar& value);
const Tensor& ones_(const Tensor& tensor);
const Tensor& zeros_(const Tensor& tensor);
/// Ones on the diagonal of a matrix, zeros elsewhere. Throws ValueError unless there are 2
/// dimensions.
const Tensor& eye_(const Tensor& tensor);
/// Makes a convolution's weight `(out, in, ...)` pass its input on, as far as there are channels;
/// with `groups`, each group for itself. Throws ValueError unless there are 3 to 5 dimensions and
/// `out` is a multiple of `groups`.
const Tensor& dirac_(const Tensor& tensor, IntArg groups = 1);

// With fan_in = size(1) * receptive field and fan_out = size(0) * receptive field. All throw
// ValueError for fewer than 2 dimensions.

/// Uniform in [-b, b), b = gain * sqrt(6 / (fan_in + fan_out)): Glorot.
const Tensor& xavier_uniform_(const Tensor& tensor, double gain = 1,
                              const Generator& generator = default_generator());
/// Normal with std = gain * sqrt(2 / (fan_in + fan_out)).
const Tensor& xavier_normal_(const Tensor& tensor, double gain = 1,
                             const Generator& generator = default_generator());
/// Uniform in [-b, b), b = gain * sqrt(3 / fan) with gain = calculate_gain(nonlinearity, a): He.
/// `mode` is "fan_in" or "fan_out". A tensor without elements stays as it is.
const Tensor& kaiming_uniform_(const Tensor& tensor, const Scalar& a = 0,
                               std::string_view mode = "fan_in",
                               std::string_view nonlinearity = "leaky_relu",
                               const Generator& generator = default_generator());
/// Normal with std = gain / sqrt(fan).
const Tensor& kaiming_normal_(const Tensor& tensor, const Scalar& a = 0,
                              std::string_view mode = "fan_in",
                              std::string_view nonlinearity = "leaky_relu",
                              const Generator& generator = default_generator());

/// Rows (or columns, if there are fewer) of a random orthogonal matrix, times gain; dimensions
/// beyond the first count as one. Throws ValueError for fewer than 2 dimensions.
const Tensor& orthogonal_(const Tensor& tensor, double gain = 1,
                          const Generator& generator = default_generator());
/// Normal with `std`, and in each column of the matrix ceil(sparsity * rows) elements zero. Throws
/// ValueError unless there are 2 dimensions.
const Tensor& sparse_(const Tensor& tensor, FloatArg sparsity, double std = 0.01,
                      const Generator& generator = default_generator());

}  // namespace nn::init
}  // namespace taper
