#include "core/parameter_flag.h"

#include "core/tensor_impl.h"
#include "taper/core/tensor.h"

namespace taper {

bool is_parameter(const Tensor& tensor) { return impl(tensor).parameter; }
void set_is_parameter(const Tensor& tensor, bool value) { impl(tensor).parameter = value; }

}  // namespace taper
