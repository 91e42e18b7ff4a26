// Predefined parametrizations: weight norm, spectral norm, orthogonal matrices.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "taper/core/api.h"
#include "taper/nn/utils/parametrize.h"
#include "taper/nn/utils/spectral_norm.h"

namespace TAPER_API taper {
namespace nn::utils::parametrizations {

/// Options of orthogonal.
struct OrthogonalOptions {
  /// "matrix_exp", "cayley" or "householder". Default: "matrix_exp" for square matrices,
  /// "householder" for others.
  std::string_view orthogonal_map{};
  /// Stores a fixed matrix `base`, by which the result of the map is multiplied.
  bool use_trivialization = true;
};

namespace detail {
void add_weight_norm(Module& module, std::string_view name, std::optional<std::int64_t> dim);
void add_spectral_norm(Module& module, std::string_view name, const SpectralNormOptions& options);
void add_orthogonal(Module& module, std::string_view name, const OrthogonalOptions& options);
}  // namespace detail

/// Weight normalization: w = g v / |v|. `original0` is g, the norms over all dimensions except
/// `dim`, or one norm over all dimensions if `dim` is empty; `original1` is v. State dicts of
/// nn::utils::weight_norm can be loaded. Returns the module. Throws ValueError if the name does not
/// exist. PyTorch: torch.nn.utils.parametrizations.weight_norm.
template <std::derived_from<Module> M>
M& weight_norm(M& module, std::string_view name = "weight", std::optional<std::int64_t> dim = 0) {
  detail::add_weight_norm(module, name, dim);
  return module;
}

/// Spectral normalization: divides the tensor, as a matrix `(outputs, others)`, by an estimate of
/// its largest singular value; a vector by its norm. The estimate is initialized with 15 iterations
/// of the power method; each computation in training mode performs `n_power_iterations` more.
/// Returns the module. Throws ValueError if the name does not exist or n_power_iterations is not
/// positive, IndexError if `dim` is out of range.
/// PyTorch: torch.nn.utils.parametrizations.spectral_norm.
template <std::derived_from<Module> M> M& spectral_norm(M& module, std::string_view name = "weight",
                                                        const SpectralNormOptions& options = {}) {
  detail::add_spectral_norm(module, name, options);
  return module;
}

/// Constrains a matrix `(..., m, n)` to have orthonormal columns, or rows if m < n. The initial
/// value is the tensor itself if it is orthogonal, otherwise Q of its QR decomposition. Returns the
/// module. Throws ValueError if the name does not exist, if the tensor has fewer than two
/// dimensions, or for an unknown map. PyTorch: torch.nn.utils.parametrizations.orthogonal.
template <std::derived_from<Module> M>
M& orthogonal(M& module, std::string_view name = "weight", const OrthogonalOptions& options = {}) {
  detail::add_orthogonal(module, name, options);
  return module;
}

}  // namespace nn::utils::parametrizations
}  // namespace taper
