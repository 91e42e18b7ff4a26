// Helpers shared by the parts of parametrize.
#pragma once
#include "nn/module/computed_members.h"
#include "taper/nn/utils/parametrize.h"

namespace taper::nn::utils::parametrize {

/// Replaces the contents of tensor object `to` with those of `from`.
void set_contents(const Tensor& to, const Tensor& from);
/// Throws ValueError unless a value, computed at the first registration, is a tensor of this shape
/// and dtype.
void check_value(const Value& v, const Shape& shape, DType dtype);
/// Returns the result of forward of a list, without checks.
Value evaluate_list(const ParametrizationList& list);
/// Returns the value of a list, computed once within a CacheScope.
Tensor cached_value(Module& module, std::string_view name, ParametrizationList& list);

}  // namespace taper::nn::utils::parametrize
