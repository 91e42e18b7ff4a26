#include "core/references.h"

#include "core/tensor_impl.h"

namespace taper {

std::uint32_t count_handles(const Tensor& t) { return impl(t).use_count(); }

std::uint32_t count_tensors_of_storage(const Tensor& t) { return impl(t).storage->use_count(); }

}  // namespace taper
