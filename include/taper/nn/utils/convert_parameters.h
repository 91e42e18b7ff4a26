// Conversion between parameters and one vector.
#pragma once
#include <initializer_list>
#include <span>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/core/tensor_span.h"

namespace TAPER_API taper {
namespace nn::utils {

/// Returns the elements of all parameters, concatenated, as a vector `(N)`. The result is
/// differentiable. Throws DeviceError if the parameters are on several devices, ValueError if
/// `parameters` is empty. PyTorch: torch.nn.utils.parameters_to_vector.
Tensor parameters_to_vector(std::span<const Tensor> parameters);
inline Tensor parameters_to_vector(std::initializer_list<Tensor> parameters) {
  return parameters_to_vector(taper::detail::as_span(parameters));
}

/// Copies the elements of `vector` to the parameters. Unlike in PyTorch, the parameters do not
/// become views of the vector. Throws ValueError, without changing the parameters, unless `vector`
/// has as many elements as the parameters. PyTorch: torch.nn.utils.vector_to_parameters.
void vector_to_parameters(const Tensor& vector, std::span<const Tensor> parameters);

}  // namespace nn::utils
}  // namespace taper
