// Spectral normalization by a hook. PyTorch: torch.nn.utils.spectral_norm.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "taper/core/api.h"
#include "taper/nn/module.h"

namespace TAPER_API taper {
namespace nn::utils {

/// Options of spectral_norm.
struct SpectralNormOptions {
  std::int64_t n_power_iterations = 1;  ///< number of power iterations per call in training mode
  double eps = 1e-12;                   ///< lower bound of the norms that vectors are divided by
  /// Dimension of the outputs; default: 1 for transposed convolutions, otherwise 0.
  std::optional<std::int64_t> dim{};
};

namespace detail {
void add_spectral_norm(Module& module, std::string_view name, const SpectralNormOptions& options);
void take_spectral_norm(Module& module, std::string_view name);
}  // namespace detail

/// Divides the parameter `name`, as a matrix W `(outputs, others)`, by an estimate u^T W v of its
/// largest singular value. Each call in training mode updates the vectors u and v, buffers
/// `<name>_u` and `<name>_v`, by power iterations. The trained parameter is `<name>_orig`; the
/// member is computed before each call. Returns the module. parametrizations::spectral_norm
/// supersedes this function. Throws AttributeError if the parameter does not exist, ValueError if
/// it is None or uninitialized or if n_power_iterations is not positive, and RuntimeError if it
/// already has a spectral norm. PyTorch: torch.nn.utils.spectral_norm.
template <std::derived_from<Module> M> M& spectral_norm(M& module, std::string_view name = "weight",
                                                        const SpectralNormOptions& options = {}) {
  detail::add_spectral_norm(module, name, options);
  return module;
}
/// Removes the spectral norm of a parameter, which becomes an ordinary parameter with its current
/// value; returns the module. Throws ValueError if it does not have a spectral norm.
/// PyTorch: torch.nn.utils.remove_spectral_norm.
template <std::derived_from<Module> M>
M& remove_spectral_norm(M& module, std::string_view name = "weight") {
  detail::take_spectral_norm(module, name);
  return module;
}

}  // namespace nn::utils
}  // namespace taper
