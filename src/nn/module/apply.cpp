// Module::convert_tensors: the primitive of all conversions. PyTorch: Module._apply.
#include <atomic>

#include "core/check.h"
#include "nn/module/computed_members.h"
#include "nn/module/extra.h"
#include "taper/autograd/grad_mode.h"

namespace taper::nn {
namespace {

std::atomic<bool> overwrite{false}, swap{false};

/// Returns true if a tensor can adopt the data of another tensor and remain the same object.
bool can_adopt_data(const Tensor& old, const Tensor& converted) {
  return old.device().is_meta() == converted.device().is_meta();
}
bool keeps_object(const Tensor& old, const Tensor& converted) {
  return swap || (!overwrite && can_adopt_data(old, converted));
}

/// Returns a gradient with the data of `converted`: `grad` itself if possible, otherwise a new
/// tensor.
Tensor converted_grad(const Tensor& grad, const Tensor& converted) {
  if (!keeps_object(grad, converted) || !grad.is_leaf() || grad.is_view())
    return converted.detach().requires_grad_(grad.requires_grad());
  grad.set_data(converted);
  return grad;
}

struct Converter final : MemberVisitor {
  Module& module;
  const SharedFunction<Tensor(const Tensor&)>& fn;
  Converter(Module& m, const SharedFunction<Tensor(const Tensor&)>& f) : module(m), fn(f) {}

  void parameter(const ParameterSlot& s) override {
    if (!s.value) return;
    Parameter& p = *s.value;
    const NoGrad guard;
    const Tensor converted = fn(p);
    const Tensor old_grad = p.grad();
    const Tensor grad = old_grad.defined() ? converted_grad(old_grad, fn(old_grad)) : Tensor();
    if (keeps_object(p, converted)) {
      p.set_grad({});
      replace_data(s, converted);
    } else {
      s.put(Parameter(converted, p.requires_grad()));
    }
    if (grad.defined()) s.value->set_grad(grad);
  }
  void buffer(const BufferSlot& s) override {
    if (s.value) *s.value = fn(*s.value);
  }

 private:
  void replace_data(const ParameterSlot& s, const Tensor& converted) {
    if (!swap) return s.value->set_data(converted);
    try {
      s.value->set_data(converted);
    } catch (const Error&) {
      fail<RuntimeError>("_apply(): Couldn't swap {}.{}", module.type_name(), s.name);
    }
  }
};

}  // namespace

void set_overwrite_module_params_on_conversion(bool value) { overwrite = value; }
bool get_overwrite_module_params_on_conversion() { return overwrite; }
void set_swap_module_params_on_conversion(bool value) { swap = value; }
bool get_swap_module_params_on_conversion() { return swap; }

void Module::convert_tensors(const SharedFunction<Tensor(const Tensor&)>& fn, bool recurse) {
  if (recurse) {
    const RecursionGuard guard(*this, "to");
    for (const NamedModule& c : children_of(*this, true)) c.module->convert_tensors(fn);
  }
  Converter converter(*this, fn);
  accept(converter);
  // Computed members are converted too, so that they remain consistent until the next call
  // recomputes them.
  const NoGrad guard;
  if (const auto& computed_members = ModuleAccess::computed_members(*this))
    for (const ComputedMembers::Computed& c : computed_members->computed)
      set_computed_value(*this, c.name, fn(computed_value(*this, c.name).detach()));
}

}  // namespace taper::nn
