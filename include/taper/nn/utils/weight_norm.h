// Weight normalization by a hook. PyTorch: torch.nn.utils.weight_norm.
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

/// Reparametrizes the parameter `name` as g v / |v|: `<name>_g` is g, the norms over all dimensions
/// except `dim`, or one norm over all dimensions if `dim` is empty; `<name>_v` is v. The member is
/// computed before each call. Returns the module. parametrizations::weight_norm supersedes this
/// function. Throws AttributeError if the parameter does not exist, ValueError if it is
/// uninitialized, and RuntimeError if it already has a weight norm.
/// PyTorch: torch.nn.utils.weight_norm.
template <std::derived_from<Module> M>
M& weight_norm(M& module, std::string_view name = "weight", std::optional<std::int64_t> dim = 0) {
  detail::add_weight_norm(module, name, dim);
  return module;
}
/// Removes the weight norm of a parameter, which becomes an ordinary parameter with its current
/// value; returns the module. Throws ValueError if it does not have a weight norm.
/// PyTorch: torch.nn.utils.remove_weight_norm.
template <std::derived_from<Module> M>
M& remove_weight_norm(M& module, std::string_view name = "weight") {
  detail::take_weight_norm(module, name);
  return module;
}

}  // namespace nn::utils
}  // namespace taper
