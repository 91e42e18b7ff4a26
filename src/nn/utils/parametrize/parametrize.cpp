#include "nn/utils/parametrize/parametrize.h"

#include "core/check.h"
#include "taper/autograd/grad_mode.h"
#include "taper/nn/detail/module_access.h"
#include "taper/nn/module_dict.h"

namespace taper::nn::utils::parametrize {
namespace {

constexpr std::string_view kParametrizations = "parametrizations";

/// Returns the dict of parametrizations, or null if nothing is parametrized.
ModuleDict* find_parametrizations(const Module& m) {
  const NameLookup found(m, kParametrizations);
  const bool child = found.kind == NameLookup::Kind::child && found.child_slot.module;
  return child ? found.child_slot.module->as<ModuleDict>() : nullptr;
}
ParametrizationList* find_list(const Module& m, std::string_view name) {
  const ModuleDict* dict = find_parametrizations(m);
  if (!dict || !dict->contains(name)) return nullptr;
  return (*dict)[name].as<ParametrizationList>();
}

/// Computes a member as the value of the parametrization list of its name.
class ListComputation final : public MemberComputation {
 public:
  explicit ListComputation(std::string_view name) : name_(name) {}
  Tensor compute(Module& m) const override {
    return cached_value(m, name_, parametrizations_of(m, name_));
  }
  bool is_computed_on_read() const override { return true; }
  void assign(Module& m, std::string_view name, const Tensor& value) const override {
    parametrizations_of(m, name).right_inverse(value);
  }

 private:
  std::string name_;
};

/// Returns the value after the further parametrization `p`. Throws ValueError if the result is not
/// a tensor or has another dtype or shape.
Tensor compute_checked(Module& m, std::string_view name, const Parametrization& p) {
  const Tensor y = value(m, name);
  const Value x = p.module->call(Values{y});
  if (!x.is_tensor())
    fail<ValueError>("A parametrization must return a tensor. Got {}.", x.type_name());
  const Tensor& t = x.as_tensor();
  if (t.dtype() != y.dtype())
    fail<ValueError>(
        "Registering a parametrization may not change the dtype of the tensor, unless the `unsafe` "
        "flag is enabled.\nmodule.{}.dtype: torch.{}\nparametrization(module.{}).dtype: torch.{}",
        name, y.dtype(), name, t.dtype());
  if (t.shape() != y.shape())
    fail<ValueError>(
        "Registering a parametrization may not change the shape of the tensor, unless the `unsafe` "
        "flag is enabled.\nmodule.{}.shape: {}\nparametrization(module.{}).shape: {}",
        name, Value(y.shape()).repr(), name, Value(t.shape()).repr());
  if (!p.right_inverse) return t;
  Value z;
  try {
    z = p.right_inverse(*p.module, x);
  } catch (const NotImplementedError&) { return t; }
  if (!z.is_tensor())
    fail<ValueError>("parametrization.right_inverse must return a tensor. Got: {}", z.type_name());
  if (z.as_tensor().dtype() != y.dtype())
    fail<ValueError>(
        "The tensor returned by parametrization.right_inverse must have the same dtype as "
        "module.{}, unless the `unsafe` flag is enabled.\nmodule.{}.dtype: torch.{}\n"
        "returned dtype: torch.{}",
        name, name, y.dtype(), z.as_tensor().dtype());
  if (z.as_tensor().shape() != y.shape())
    fail<ValueError>(
        "The tensor returned by parametrization.right_inverse must have the same shape as "
        "module.{}, unless the `unsafe` flag is enabled.\nmodule.{}.shape: {}\nreturned shape: {}",
        name, name, Value(y.shape()).repr(), Value(z.as_tensor().shape()).repr());
  return t;
}

void register_first(Module& m, std::string_view name, Parametrization p, bool unsafe) {
  const NameLookup found(m, name);
  const bool parameter = found.kind == NameLookup::Kind::parameter && found.parameter_slot.value;
  const bool buffer = found.kind == NameLookup::Kind::buffer && found.buffer_slot.value;
  if (!parameter && !buffer)
    fail<ValueError>(
        "Module '{}' does not have a parameter, a buffer, or a parametrized element with name '{}'",
        m.str(), name);
  const Tensor original =
      parameter ? Tensor(*found.parameter_slot.value) : Tensor(*found.buffer_slot.value);
  const Tensor before = original.detach();
  auto list = std::make_shared<ParametrizationList>(std::move(p), original, parameter);
  list->unsafe = unsafe;
  Tensor first;
  try {
    const Value v = evaluate_list(*list);
    if (!unsafe) check_value(v, before.shape(), before.dtype());
    first = v.as_tensor();
  } catch (...) {
    set_contents(original, before);
    throw;
  }
  if (!is_parametrized(m)) {
    m.register_module(kParametrizations, std::make_shared<ModuleDict>());
    set_display_name(m, "Parametrized" + std::string(m.type_name()));
  }
  (void)register_computed_member(m, name, std::make_shared<ListComputation>(name));
  find_parametrizations(m)->set(name, std::move(list));
  set_computed_value(m, name, first);
}

void remove_parametrizations_of(Module& m, std::string_view name, const Tensor& tensor) {
  remove_computed_member(m, name, tensor);
  find_parametrizations(m)->erase(name);
  if (is_parametrized(m)) return;
  m.del_attr(kParametrizations);
  set_display_name(m, {});
}

}  // namespace

bool is_parametrized(const Module& m) {
  const ModuleDict* dict = find_parametrizations(m);
  return dict && !dict->empty();
}
bool is_parametrized(const Module& m, std::string_view name) {
  const ModuleDict* dict = find_parametrizations(m);
  return dict && dict->contains(name);
}

ParametrizationList& parametrizations_of(Module& m, std::string_view name) {
  ParametrizationList* list = find_list(m, name);
  if (!list) fail<ValueError>("Module {} does not have a parametrization on {}", m.str(), name);
  return *list;
}

const ParametrizationList& parametrizations_of(const Module& m, std::string_view name) {
  return parametrizations_of(nn::detail::mutable_of(m), name);
}

Tensor value(const Module& m, std::string_view name) {
  return recompute(nn::detail::mutable_of(m), name);
}
void assign(Module& m, std::string_view name, const Tensor& v) {
  parametrizations_of(m, name).right_inverse(v);
}

std::string_view type_before_parametrizations(const Module& m) {
  return nn::detail::ModuleAccess::class_info(m).name;
}

void detail::register_with(Module& m, std::string_view name, Parametrization p,
                           const RegisterOptions& options) {
  if (!p.module)
    fail<ValueError>("register_parametrization: parametrization of '{}' is null", name);
  p.module->train(m.training);
  ParametrizationList* list = find_list(m, name);
  if (!list) return register_first(m, name, std::move(p), options.unsafe);
  if (options.unsafe) {
    list->add(std::move(p));
    list->unsafe = true;
    (void)recompute(m, name);
  } else {
    const Tensor next = compute_checked(m, name, p);
    list->add(std::move(p));
    set_computed_value(m, name, next);
  }
}

void detail::remove_from(Module& m, std::string_view name, bool leave_parametrized) {
  ParametrizationList& list = parametrizations_of(m, name);
  const std::vector<Tensor> originals = list.originals();
  if (list.is_tensor) {
    if (leave_parametrized) {
      const NoGrad guard;
      set_contents(originals[0], value(m, name));
    }
    return remove_parametrizations_of(m, name, originals[0]);
  }
  if (!leave_parametrized)
    fail<ValueError>(
        "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in "
        "terms of a sequence of tensors.");
  const Tensor t = value(m, name);
  const bool parameter = NameLookup(m, name).parameter_slot.value != nullptr;
  remove_parametrizations_of(
      m, name, parameter ? Tensor(Parameter(t.detach(), t.requires_grad())) : t.detach());
}

void detail::transfer(Module& from, Module& to, std::string_view only) {
  if (!is_parametrized(from)) return;
  const std::vector<std::string> names = only.empty() ? find_parametrizations(from)->keys()
                                                      : std::vector<std::string>{std::string(only)};
  for (const std::string& name : names) {
    ParametrizationList& source = parametrizations_of(from, name);
    if (!to.has_attr(name)) to.register_parameter(name, Parameter(value(from, name).detach()));
    for (std::size_t i = 0; i < source.size(); ++i)
      register_with(to, name, source.parametrization(i), {});
    ParametrizationList& target = parametrizations_of(to, name);
    for (const NamedTensor& t : source.named_parameters({.recurse = false}))
      target.register_parameter(t.name, Parameter::of(t.value));
    for (const NamedTensor& t : source.named_buffers({.recurse = false}))
      target.register_buffer(t.name, t.value);
    to.refresh();
  }
}

}  // namespace taper::nn::utils::parametrize
