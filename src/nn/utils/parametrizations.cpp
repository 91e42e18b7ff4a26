// Weight and spectral norm as parametrizations.
#include "taper/nn/utils/parametrizations.h"

#include "core/check.h"
#include "nn/utils/norms.h"
#include "nn/utils/tensor_of.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"

namespace taper::nn::utils::parametrizations {
namespace detail {

struct WeightNorm final : Layer<WeightNorm> {
  explicit WeightNorm(std::int64_t norm_dim) : dim(norm_dim) {}
  TAPER_LAYER(WeightNorm)
  Tensor forward(const Tensor& g, const Tensor& v) { return apply_weight_norm(v, g, dim); }
  std::pair<Tensor, Tensor> right_inverse(const Tensor& weight) {
    return {norm_except_dim(weight, dim), weight};
  }
  std::int64_t dim = 0;
};
TAPER_LAYER_MEMBERS_AS(WeightNorm, "_WeightNorm")

struct SpectralNorm final : Layer<SpectralNorm> {
  std::optional<Buffer> _u, _v;
  SpectralNorm(const Tensor& weight, const SpectralNormOptions& o, std::int64_t output_dim)
      : dim(output_dim), iterations(o.n_power_iterations), eps(o.eps) {
    const std::int64_t rank = weight.dim();
    const auto wrapped_dim = wrap_index(dim, rank);
    if (!wrapped_dim)
      fail<IndexError>("Dimension out of range (expected to be in range of [{}, {}] but got {})",
                       -rank, rank - 1, dim);
    if (iterations <= 0)
      fail<ValueError>("Expected n_power_iterations to be positive, but got n_power_iterations={}",
                       iterations);
    dim = *wrapped_dim;
    if (rank == 1) return;  // a vector is normalized by its length
    const NoGrad guard;
    const Tensor matrix = as_matrix(weight, dim);
    const auto vector = [&](std::int64_t n) {
      return empty({n}, {.dtype = weight.dtype(), .device = weight.device()}).normal_();
    };
    const Tensor u = vector(matrix.size(0)), v = vector(matrix.size(1));
    _u.emplace(normalize(u, eps));
    _v.emplace(normalize(v, eps));
    power_method(matrix, 15);
  }
  TAPER_LAYER(SpectralNorm)

  Tensor forward(const Tensor& weight) {
    if (!_u) return normalize(weight, eps);
    const Tensor matrix = as_matrix(weight, dim);
    if (training) power_method(matrix, iterations);
    // The vectors are cloned, because the next call modifies the buffers, possibly before the
    // backward pass of this one.
    return weight / _u->clone().dot(matrix.mv(_v->clone()));
  }
  Tensor right_inverse(const Tensor& value) { return value; }

  void power_method(const Tensor& matrix, std::int64_t steps) {
    const NoGrad guard;
    for (std::int64_t i = 0; i < steps; ++i) {
      _u->copy_(normalize(matrix.mv(*_v), eps));
      _v->copy_(normalize(matrix.t().mv(*_u), eps));
    }
  }
  std::int64_t dim = 0, iterations = 1;
  double eps = 1e-12;
};
TAPER_LAYER_MEMBERS_AS(SpectralNorm, "_SpectralNorm", _u, _v)

}  // namespace detail

void detail::add_weight_norm(Module& m, std::string_view name, std::optional<std::int64_t> dim) {
  parametrize::register_parametrization(m, name, WeightNorm(dim.value_or(-1)), {.unsafe = true});
  // weight_norm stores the same two tensors under other names.
  m.register_load_state_dict_pre_hook([tensor_name = std::string(name)](Module&, LoadState& state) {
    const std::string g = state.key(tensor_name + "_g"), v = state.key(tensor_name + "_v");
    if (!state.state.contains(g) || !state.state.contains(v)) return;
    const std::string stem = "parametrizations." + tensor_name + ".original";
    state.state.set(state.key(stem + "0"), Value(*state.state.find(g)));
    state.state.set(state.key(stem + "1"), Value(*state.state.find(v)));
    state.state.erase(g);
    state.state.erase(v);
  });
}

void detail::add_spectral_norm(Module& m, std::string_view name, const SpectralNormOptions& o) {
  parametrize::register_parametrization(
      m, name, SpectralNorm(tensor_of(m, name), o, o.dim.value_or(output_dim(m))));
}

}  // namespace taper::nn::utils::parametrizations
