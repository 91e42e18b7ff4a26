// Training mode, requires_grad, and functions applied to all modules.
#include "nn/module/extra.h"
#include "taper/autograd/grad_mode.h"

namespace taper::nn {

void Module::set_training(bool mode) {
  const RecursionGuard guard(*this, "train");
  training = mode;
  for (const NamedModule& c : children_of(*this, true)) c.module->set_training(mode);
}

void Module::zero_grad(bool set_to_none) {
  for_each_parameter([&](Parameter& p) {
    const Tensor grad = p.grad();
    if (!grad.defined()) return;
    if (set_to_none) {
      p.set_grad({});
      return;
    }
    if (grad.is_leaf())
      grad.set_requires_grad(false);
    else
      grad.detach_();
    grad.zero_();
  });
}

void Module::set_requires_grad(bool requires_grad) {
  for_each_parameter([&](Parameter& p) { p.set_requires_grad(requires_grad); });
}

void Module::apply_to_all(const SharedFunction<void(Module&)>& fn) {
  {
    const RecursionGuard guard(*this, "apply");
    for (const NamedModule& c : children_of(*this, true)) c.module->apply_to_all(fn);
  }
  fn(*this);
}

}  // namespace taper::nn
