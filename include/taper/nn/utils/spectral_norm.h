// Spectral normalisation, in its older form.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "taper/core/api.h"
#include "taper/nn/module.h"

namespace TAPER_API taper {
namespace nn::utils {

struct SpectralNormOptions {
  std::int64_t n_power_iterations = 1;  ///< per call in training
  double eps = 1e-12;                   ///< least length that a vector is divided by
  /// The dimension of the outputs: 0, or 1 for transposed convolutions.
  std::optional<std::int64_t> dim{};
};

namespace detail {
void add_spectral_norm(Module& module, std::string_view name, const SpectralNormOptions& options);
void take_spectral_norm(Module& module, std::string_view name);
}  // namespace detail

/// Divides the parameter `name`, as a matrix (outputs, others), by an estimate of its largest
/// singular value: u . W v, where each call in training takes the vectors, buffers `<name>_u` and
/// `<name>_v`, a step of the power method further. What is trained is `<name>_orig`. The member is
/// computed before each call. parametrizations::spectral_norm is the newer form. PyTorch:
/// torch.nn.utils.spectral_norm. Throws AttributeError for a name that is no parameter, ValueError
/// for one without a shape and for no iterations, RuntimeError for one that has it already.
template <std::derived_from<Module> M> M& spectral_norm(M& module, std::string_view name = "weight",
                                                        const SpectralNormOptions& options = {}) {
  detail::add_spectral_norm(module, name, options);
  return module;
}
/// Makes it an ordinary parameter of its present value. Throws ValueError for one without. PyTorch:
/// torch.nn.utils.remove_spectral_norm.
template <std::derived_from<Module> M>
M& remove_spectral_norm(M& module, std::string_view name = "weight") {
  detail::take_spectral_norm(module, name);
  return module;
}

}  // namespace nn::utils
}  // namespace taper
