// Parametrizations that come with the library: weight and spectral norm, orthogonal matrices.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "taper/core/api.h"
#include "taper/nn/utils/parametrize.h"
#include "taper/nn/utils/spectral_norm.h"

namespace TAPER_API taper {
namespace nn::utils::parametrizations {

struct OrthogonalOptions {
  /// "matrix_exp", "cayley" or "householder". Empty: matrix_exp for square matrices, householder
  /// for others.
  std::string_view orthogonal_map{};
  /// Keep a matrix `base` of the start, which the map's result is multiplied by.
  bool use_trivialization = true;
};

namespace detail {
void add_weight_norm(Module& module, std::string_view name, std::optional<std::int64_t> dim);
void add_spectral_norm(Module& module, std::string_view name, const SpectralNormOptions& options);
void add_orthogonal(Module& module, std::string_view name, const OrthogonalOptions& options);
}  // namespace detail

/// w = g v / |v|: `original0` is g, the norms along all dimensions but `dim` (without it: one norm
/// of all), `original1` is v. State dicts of the older form load. PyTorch:
/// torch.nn.utils.parametrizations.weight_norm. Throws ValueError for a name that is not there.
template <std::derived_from<Module> M>
M& weight_norm(M& module, std::string_view name = "weight", std::optional<std::int64_t> dim = 0) {
  detail::add_weight_norm(module, name, dim);
  return module;
}

/// The tensor, as a matrix (outputs, others), divided by an estimate of its largest singular value;
/// a vector by its length. The estimate starts with 15 iterations of the power method; each
/// computation in training does `n_power_iterations` more. PyTorch:
/// torch.nn.utils.parametrizations.spectral_norm. Throws ValueError for a name that is not there
/// and for no iterations, IndexError for a dim that is not there.
template <std::derived_from<Module> M> M& spectral_norm(M& module, std::string_view name = "weight",
                                                        const SpectralNormOptions& options = {}) {
  detail::add_spectral_norm(module, name, options);
  return module;
}

/// A matrix (..., m, n) with orthonormal columns, or rows if m < n. It starts as the tensor itself
/// if that is orthogonal, else as the Q of its QR decomposition. PyTorch:
/// torch.nn.utils.parametrizations.orthogonal. Throws ValueError for a name that is not there, for
/// a tensor of less than two dimensions and for another word than the three.
template <std::derived_from<Module> M>
M& orthogonal(M& module, std::string_view name = "weight", const OrthogonalOptions& options = {}) {
  detail::add_orthogonal(module, name, options);
  return module;
}

}  // namespace nn::utils::parametrizations
}  // namespace taper
