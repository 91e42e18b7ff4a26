// All parameters as one vector, and back.
#pragma once
#include <span>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::utils {

/// The elements of all parameters, one after another, `(N)`. Gradients flow back. PyTorch:
/// torch.nn.utils.parameters_to_vector. Throws DeviceError for parameters on several devices,
/// ValueError for none.
Tensor parameters_to_vector(std::span<const Tensor> parameters);

/// Copies the elements of `vector` into the parameters, whose storages stay their own (PyTorch
/// makes them views of the vector). PyTorch: torch.nn.utils.vector_to_parameters. Throws
/// ValueError, and changes nothing, unless there are as many elements as the parameters have.
void vector_to_parameters(const Tensor& vector, std::span<const Tensor> parameters);

}  // namespace nn::utils
}  // namespace taper
