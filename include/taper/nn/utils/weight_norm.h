// Weight normalisation, in its older form.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "taper/core/api.h"
#include "taper/nn/module.h"

namespace TAPER_API taper {
namespace nn::utils {
namespace detail {
void add_weight_norm(Module& module, std::string_view name, std::optional<std::int64_t> dim);
void take_weight_norm(Module& module, std::string_view name);
}  // namespace detail

/// Makes the parameter `name` the product of two: `<name>_g`, the norms along all dimensions but
/// `dim` (without it: one norm of all), times `<name>_v` over its norms. The member is computed
/// before each call. parametrizations::weight_norm is the newer form. PyTorch:
/// torch.nn.utils.weight_norm. Throws AttributeError for a name that is no parameter, ValueError
/// for one without a shape, RuntimeError for one that has it already.
template <std::derived_from<Module> M>
M& weight_norm(M& module, std::string_view name = "weight", std::optional<std::int64_t> dim = 0) {
  detail::add_weight_norm(module, name, dim);
  return module;
}
/// Makes it an ordinary parameter of its present value. Throws ValueError for one without. PyTorch:
/// torch.nn.utils.remove_weight_norm.
template <std::derived_from<Module> M>
M& remove_weight_norm(M& module, std::string_view name = "weight") {
  detail::take_weight_norm(module, name);
  return module;
}

}  // namespace nn::utils
}  // namespace taper
