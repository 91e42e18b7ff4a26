#include "taper/optim/optimizer.h"

#include <algorithm>
#include <ostream>

#include "core/check.h"
#include "core/observer.h"
#include "nn/module/suggest.h"
#include "optim/flag_guard.h"
#include "optim/hooks.h"
#include "optim/options.h"
#include "taper/autograd/autograd.h"
#include "taper/core/warning.h"

namespace taper::optim {

ParamGroup::ParamGroup(std::vector<Tensor> params, Options options)
    : params_(std::move(params)), options_(Value::dict(options)), states_(params_.size()) {}

Params::Params(std::vector<Tensor> params) {
  if (!params.empty()) groups_.emplace_back(std::move(params));
}
Params::Params(std::initializer_list<Tensor> params) : Params(std::vector<Tensor>(params)) {}
Params::Params(std::vector<ParamGroup> groups) : groups_(std::move(groups)) {}
Params::Params(std::initializer_list<ParamGroup> groups) : groups_(groups) {}

Optimizer::Optimizer(Value defaults, bool has_check_pass)
    : defaults_(std::move(defaults)), has_check_pass_(has_check_pass) {}
Optimizer::~Optimizer() = default;

void Optimizer::add_params(Params params) {
  if (params.groups().empty()) fail<ValueError>("optimizer got an empty parameter list");
  for (ParamGroup& group : params.groups()) add_param_group(std::move(group));
}

namespace {

/// Returns the scope of a method in profiles, named as in PyTorch.
ScopeInfo scope_of(const Optimizer& optimizer, std::string_view method) {
  const std::string type(optimizer.type_name());
  std::string name = "Optimizer.";
  name += method;
  return {.name = name + "#" + type + "." + std::string(method)};
}

/// Returns true if the option `differentiable` is true.
bool is_differentiable(const Value& options) {
  const Value* found = find_named(options, "differentiable");
  return found && found->is_bool() && found->as_bool();
}

/// Returns the addresses of the tensors, sorted so that long lists can be intersected in linear
/// time.
std::vector<const TensorImpl*> sorted_addresses(const std::vector<Tensor>& params) {
  std::vector<const TensorImpl*> ids;
  for (const Tensor& p : params) ids.push_back(p.impl());
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// Throws ValueError if an option of a new group is probably a misspelled option of the optimizer,
/// which would have no effect. As in Python, a group may have other entries, such as its name.
void check_group_options(const Optimizer& optimizer, const Dict& group, const Dict& defaults) {
  std::vector<std::string> known;
  for (const auto& [name, value] : defaults) known.push_back(name.as_string());
  for (const auto& [key, value] : group) {
    if (!key.is_string() || defaults.contains(key)) continue;
    if (const std::string* const nearest = nn::nearest_name(key.as_string(), known))
      fail<ValueError>("{}: unknown option {} of a parameter group: did you mean '{}'?",
                       optimizer.type_name(), key.repr(), *nearest);
  }
}

}  // namespace

void Optimizer::add_param_group(ParamGroup group) {
  for (const Tensor& p : group.params_) {
    if (!p.defined())
      fail<TypeError>("optimizer can only optimize Tensors, but one of the params is NoneType");
    if (!p.is_leaf() && !p.retains_grad() && !is_differentiable(defaults_))
      fail<ValueError>("can't optimize a non-leaf Tensor");
  }
  check_group_options(*this, group.options_.as_dict(), defaults_.as_dict());
  // Copied, because the caller may pass the same group to several optimizers.
  group.options_ = group.options_.as_dict().copy();
  for (const auto& [name, value] : defaults_.as_dict())
    if (!group.options_.contains(name)) group.options_[name] = value;

  const auto ids = sorted_addresses(group.params_);
  if (std::adjacent_find(ids.begin(), ids.end()) != ids.end())
    warn(
        "optimizer contains a parameter group with duplicate parameters; in future, this will "
        "cause an error; see github.com/pytorch/pytorch/issues/40967 for more information");
  for (const ParamGroup& other : groups_) {
    if (other.names_.empty() != group.names_.empty())
      fail<ValueError>(
          "all optimizer param groups should be with/without names. cannot add param group {} to "
          "the optimizer",
          group.names_.empty() ? "without names" : "with names");
    const auto others = sorted_addresses(other.params_);
    std::vector<const TensorImpl*> shared_params;
    std::set_intersection(ids.begin(), ids.end(), others.begin(), others.end(),
                          std::back_inserter(shared_params));
    if (!shared_params.empty())
      fail<ValueError>("some parameters appear in more than one parameter group");
  }
  groups_.push_back(std::move(group));
}

Value Optimizer::state(const Tensor& param) const {
  for (const ParamGroup& group : groups_)
    for (std::size_t i = 0; i < group.params_.size(); ++i)
      if (group.params_[i].is_same(param)) return group.states_[i];
  return {};
}

void Optimizer::step() { (void)hooked_step(nullptr); }
Ignorable<Tensor> Optimizer::step(const SharedFunction<Tensor()>& closure) {
  return hooked_step(&closure);
}

Tensor Optimizer::hooked_step(const SharedFunction<Tensor()>* closure) {
  const ObservedScope observed([&] { return scope_of(*this, "step"); });
  const NoGrad guard;
  step_called_ = true;
  if (!hooks_) return run_step(closure);
  run_hooks(hooks_->before_step, *this);
  Tensor loss = run_step(closure);
  run_hooks(hooks_->after_step, *this);
  return loss;
}

Tensor Optimizer::run_step(const SharedFunction<Tensor()>* closure) {
  Tensor loss;
  if (closure) {
    const EnableGrad guard;
    loss = (*closure)();
  }
  if (has_check_pass_ && groups_.size() > 1) {
    const FlagGuard guard(is_check_pass_);
    update_groups();
  }
  update_groups();
  return loss;
}

void Optimizer::update_groups() {
  for (ParamGroup& group : groups_) {
    const GradMode grad_mode(is_differentiable(group.options_));
    update(group);
  }
}

void Optimizer::zero_grad(bool set_to_none) {
  const ObservedScope observed([&] { return scope_of(*this, "zero_grad"); });
  for (const ParamGroup& group : groups_)
    for (const Tensor& p : group.params_) {
      if (set_to_none) {
        p.set_grad(Tensor());
        continue;
      }
      const Tensor grad = p.grad();
      if (!grad.defined()) continue;
      if (grad.grad_fn())
        grad.detach_();
      else
        grad.set_requires_grad(false);
      grad.zero_();
    }
}

std::string Optimizer::str() const {
  std::string text(type_name());
  text += " (";
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    text += "\nParameter Group " + std::to_string(i) + "\n";
    std::vector<std::pair<std::string, std::string>> sorted_options;
    for (const auto& [name, value] : groups_[i].options_.as_dict())
      sorted_options.emplace_back(name.str(), value.str());
    if (!groups_[i].names_.empty()) {
      Value names = Value::list();
      for (const std::string& name : groups_[i].names_) names.append(name);
      sorted_options.emplace_back("param_names", names.str());
    }
    std::sort(sorted_options.begin(), sorted_options.end());
    for (const auto& [name, value] : sorted_options) text += "    " + name + ": " + value + "\n";
  }
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, const Optimizer& optimizer) {
  return out << optimizer.str();
}

Optimizer::Hooks& Optimizer::hooks() {
  if (!hooks_) hooks_ = std::make_shared<Hooks>();
  return *hooks_;
}
RemovableHandle Optimizer::register_step_pre_hook(SharedFunction<void(Optimizer&)> hook) {
  return hooks().before_step->add(hooks_->before_step, std::move(hook));
}
RemovableHandle Optimizer::register_step_post_hook(SharedFunction<void(Optimizer&)> hook) {
  return hooks().after_step->add(hooks_->after_step, std::move(hook));
}
RemovableHandle Optimizer::register_state_dict_pre_hook(SharedFunction<void(Optimizer&)> hook) {
  return hooks().before_state_dict->add(hooks_->before_state_dict, std::move(hook));
}
RemovableHandle Optimizer::register_state_dict_post_hook(
    SharedFunction<Value(Optimizer&, const Value&)> hook) {
  return hooks().after_state_dict->add(hooks_->after_state_dict, std::move(hook));
}
RemovableHandle Optimizer::register_load_state_dict_pre_hook(
    SharedFunction<Value(Optimizer&, const Value&)> hook) {
  return hooks().before_load->add(hooks_->before_load, std::move(hook));
}
RemovableHandle Optimizer::register_load_state_dict_post_hook(
    SharedFunction<void(Optimizer&)> hook) {
  return hooks().after_load->add(hooks_->after_load, std::move(hook));
}

}  // namespace taper::optim
