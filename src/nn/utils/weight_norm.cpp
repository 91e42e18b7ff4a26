#include "taper/nn/utils/weight_norm.h"

#include "core/check.h"
#include "nn/module/computed_members.h"
#include "nn/utils/norms.h"
#include "taper/autograd/grad_mode.h"

namespace taper::nn::utils {
namespace {

class WeightNorm final : public MemberComputation {
 public:
  WeightNorm(std::string_view name, std::int64_t dim) : name_(name), dim_(dim) {}
  Tensor compute(Module& m) const override {
    return apply_weight_norm(m.get_parameter(v_name()), m.get_parameter(g_name()), dim_);
  }
  std::string g_name() const { return name_ + "_g"; }
  std::string v_name() const { return name_ + "_v"; }

 private:
  std::string name_;
  std::int64_t dim_;
};

std::shared_ptr<const WeightNorm> weight_norm_of(const Module& m, std::string_view name) {
  return std::dynamic_pointer_cast<const WeightNorm>(computation_of(m, name));
}

}  // namespace

void detail::add_weight_norm(Module& m, std::string_view name, std::optional<std::int64_t> dim) {
  if (weight_norm_of(m, name))
    fail<RuntimeError>("Cannot register two weight_norm hooks on the same parameter {}", name);
  const Tensor weight = m.get_parameter(name);
  if (is_lazy(weight))
    fail<ValueError>(
        "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run "
        "the dummy forward before applying weight normalization");
  const auto computation = std::make_shared<const WeightNorm>(name, dim.value_or(-1));
  for (const std::string& entry_name : {computation->g_name(), computation->v_name()})
    if (m.has_attr(entry_name)) fail<KeyError>("attribute '{}' already exists", entry_name);
  Tensor g;
  {
    const NoGrad guard;
    g = norm_except_dim(weight, dim.value_or(-1));
  }
  (void)register_computed_member(m, name, computation);
  m.register_parameter(computation->g_name(), Parameter(g));
  m.register_parameter(computation->v_name(), Parameter(weight.detach()));
  (void)recompute(m, name);
}

void detail::take_weight_norm(Module& m, std::string_view name) {
  const auto computation = weight_norm_of(m, name);
  if (!computation) fail<ValueError>("weight_norm of '{}' not found in {}", name, m.str());
  const Tensor weight = computation->compute(m);
  m.del_attr(computation->g_name());
  m.del_attr(computation->v_name());
  remove_computed_member(m, name, Parameter(weight.detach()));
}

}  // namespace taper::nn::utils
