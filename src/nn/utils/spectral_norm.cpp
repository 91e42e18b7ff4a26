#include "taper/nn/utils/spectral_norm.h"

#include "core/check.h"
#include "nn/module/computed_members.h"
#include "nn/utils/norms.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"

namespace taper::nn::utils {
namespace {

class SpectralNorm final : public MemberComputation {
 public:
  /// Version of the entries in state dicts. Since version 1, v is saved and the weight is not.
  static constexpr std::int64_t kVersion = 1;

  SpectralNorm(std::string_view name, const SpectralNormOptions& o, std::int64_t dim)
      : orig(std::string(name) + "_orig"),
        u(std::string(name) + "_u"),
        v(std::string(name) + "_v"),
        iterations_(o.n_power_iterations),
        eps_(o.eps),
        dim_(dim) {}
  const std::string orig, u, v;  ///< names of the parameter and of the two buffers
  std::uint64_t state_dict_hook = 0, load_hook = 0;

  Tensor compute(Module& m) const override { return weight(m, m.training); }
  Tensor weight(Module& m, bool iterate) const {
    const Tensor w = m.get_parameter(orig), matrix = this->matrix(w);
    const Tensor left = m.get_buffer(u), right = m.get_buffer(v);
    if (iterate) {
      const NoGrad guard;
      for (std::int64_t i = 0; i < iterations_; ++i) {
        right.copy_(normalize(matrix.t().mv(left), eps_));
        left.copy_(normalize(matrix.mv(right), eps_));
      }
    }
    // The vectors are cloned, because the next call modifies the buffers, possibly before the
    // backward pass of this one.
    return w / left.clone().dot(matrix.mv(right.clone()));
  }
  Tensor matrix(const Tensor& w) const { return as_matrix(w, dim_); }
  Tensor random_unit_vector(const Tensor& like, std::int64_t n) const {
    return normalize(empty({n}, {.dtype = like.dtype(), .device = like.device()}).normal_(), eps_);
  }

 private:
  std::int64_t iterations_;
  double eps_;
  std::int64_t dim_;
};

std::shared_ptr<const SpectralNorm> spectral_norm_of(const Module& m, std::string_view name) {
  return std::dynamic_pointer_cast<const SpectralNorm>(computation_of(m, name));
}

/// Returns the minimum-norm solution of the least-squares problem W x = u, with conjugate gradients
/// of the normal equations.
Tensor least_squares(const Tensor& w, const Tensor& u) {
  Tensor x = zeros({w.size(1)}, {.dtype = float64}), residual = u.clone(), s = w.t().mv(residual),
         p = s;
  double now = s.dot(s).item<double>();
  const double tolerance = 1e-26 * now;
  for (std::int64_t i = 4 * std::min(w.size(0), w.size(1)); i > 0 && now > tolerance; --i) {
    const Tensor q = w.mv(p);
    const double step = now / q.dot(q).item<double>();
    x.add_(p, step);
    residual.sub_(q, step);
    s = w.t().mv(residual);
    const double next = s.dot(s).item<double>();
    p = s + p * (next / now);
    now = next;
  }
  return x;
}

/// Migrates a state dict before version 1, which contains the weight but not v: computes a v that
/// is consistent with the weight and u.
void migrate(const SpectralNorm& norm, std::string_view name, LoadState& state) {
  const Value* versions = state.metadata.as_dict().find("spectral_norm");
  const Value* version =
      versions && versions->is_dict() ? versions->find(std::string(name) + ".version") : nullptr;
  if (version && version->is_int() && version->as_int() >= SpectralNorm::kVersion) return;
  const std::string orig = state.key(norm.orig), key = state.key(name), u = state.key(norm.u),
                    v = state.key(norm.v);
  const auto has = [&](const std::string& k) { return state.state.contains(k); };
  // Entries of version 1 whose metadata are absent do not need a migration.
  if ((!version || version->is_none()) && has(orig) && has(u) && has(v) && !has(key)) return;
  bool missing = false;
  for (const std::string& k : {orig, key, u})
    if (!has(k)) state.missing_keys.push_back(k), missing = true;
  if (missing) return;
  const NoGrad guard;
  const Tensor weight_orig = state.state.find(orig)->as_tensor();
  const Tensor weight = state.state.find(key)->as_tensor();
  const Tensor left = state.state.find(u)->as_tensor();
  const Tensor matrix = norm.matrix(weight_orig).to(float64), left64 = left.to(float64);
  const double sigma = (weight_orig / weight).mean().item<double>();
  Tensor right = least_squares(matrix, left64);
  right = right * (sigma / left64.dot(matrix.mv(right)).item<double>());
  state.state.erase(key);
  state.state.set(v, right.to(left.dtype()));
}

}  // namespace

void detail::add_spectral_norm(Module& m, std::string_view name, const SpectralNormOptions& o) {
  if (spectral_norm_of(m, name))
    fail<RuntimeError>("Cannot register two spectral_norm hooks on the same parameter {}", name);
  if (o.n_power_iterations <= 0)
    fail<ValueError>("Expected n_power_iterations to be positive, but got n_power_iterations={}",
                     o.n_power_iterations);
  const NameLookup found(m, name);
  if (found.kind == NameLookup::Kind::parameter && !found.parameter_slot.value)
    fail<ValueError>("`SpectralNorm` cannot be applied as parameter `{}` is None", name);
  const Tensor weight = m.get_parameter(name);
  if (is_lazy(weight))
    fail<ValueError>(
        "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run "
        "the dummy forward before applying spectral normalization");
  const auto norm = std::make_shared<SpectralNorm>(name, o, o.dim.value_or(output_dim(m)));
  for (const std::string& entry_name : {norm->orig, norm->u, norm->v})
    if (m.has_attr(entry_name)) fail<KeyError>("attribute '{}' already exists", entry_name);
  Tensor left, right;
  {
    const NoGrad guard;
    const Tensor matrix = norm->matrix(weight);
    left = norm->random_unit_vector(weight, matrix.size(0));
    right = norm->random_unit_vector(weight, matrix.size(1));
  }
  (void)register_computed_member(m, name, norm);
  set_computed_value(m, name, weight.detach());  // not normalized before the first call
  m.register_parameter(norm->orig, Parameter::of(weight));
  m.register_buffer(norm->u, left);
  m.register_buffer(norm->v, right);
  const std::string key = std::string(name) + ".version";
  norm->state_dict_hook =
      m.register_state_dict_post_hook([key](Module&, const Value&, std::string_view,
                                            const Value& metadata) {
         if (!metadata.contains("spectral_norm")) metadata["spectral_norm"] = Value::dict();
         const Value versions = metadata["spectral_norm"];
         if (versions.contains(key))
           fail<RuntimeError>("Unexpected key in metadata['spectral_norm']: {}", key);
         versions[key] = SpectralNorm::kVersion;
       }).id();
  norm->load_hook = m.register_load_state_dict_pre_hook([tensor_name = std::string(name)](
                                                            Module& self, LoadState& state) {
                       if (const auto there = spectral_norm_of(self, tensor_name))
                         migrate(*there, tensor_name, state);
                     }).id();
}

void detail::take_spectral_norm(Module& m, std::string_view name) {
  const auto norm = spectral_norm_of(m, name);
  if (!norm) fail<ValueError>("spectral_norm of '{}' not found in {}", name, m.str());
  Tensor weight;
  {
    const NoGrad guard;
    weight = norm->weight(m, false);
  }
  for (const std::string& entry_name : {norm->u, norm->v, norm->orig}) m.del_attr(entry_name);
  remove_computed_member(m, name, Parameter(weight));
  // A copy of the module has a separate hook table with hooks of the same ids.
  const auto& hooks = ModuleAccess::hooks(m);
  hooks->remove_hook(norm->state_dict_hook);
  hooks->remove_hook(norm->load_hook);
}

}  // namespace taper::nn::utils
