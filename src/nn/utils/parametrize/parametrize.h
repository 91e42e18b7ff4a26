// What the parts of parametrize share.
#pragma once
#include "nn/module/overlay.h"
#include "taper/nn/utils/parametrize.h"

namespace taper::nn::utils::parametrize {

/// `to` stays the object it is and gets the contents of `from`.
void set_contents(const Tensor& to, const Tensor& from);
/// The checks of a value at the first registration.
void check_value(const Value& v, const Shape& shape, DType dtype);
/// forward of a list, whatever comes out.
Value value_of_list(const ParametrizationList& list);
/// The value of a list, computed once while a CacheScope lives.
Tensor cached_value(Module& module, std::string_view name, ParametrizationList& list);

}  // namespace taper::nn::utils::parametrize
