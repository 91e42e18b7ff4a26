// Flag of tensors that are parameters and print as "Parameter containing: ...".
#pragma once

namespace taper {
class Tensor;

/// Returns true if the tensor is the value of an `nn::Parameter`. It must be defined.
bool is_parameter(const Tensor& tensor);
/// Sets the flag for all handles to the tensor, which must be defined.
void set_is_parameter(const Tensor& tensor, bool value);

}  // namespace taper
