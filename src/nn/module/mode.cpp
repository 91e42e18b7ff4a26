// Training mode, requires_grad, and functions applied to all modules.
#include "nn/module/extra.h"
#include "taper/autograd/grad_mode.h"

namespace taper::nn {

void Module::set_training(bool mode) {
  const RecursionGuard guard(*this, "train");
  training = mode;
  for (const NamedModule& c : children_of(*this, true)) c.module->set_training(mode);
}

Module& Module::train(bool mode) {
  set_training(mode);
  return *this;
}
Module& Module::eval() { return train(false); }

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

Module& Module::requires_grad_(bool requires_grad) {
  for_each_parameter([&](Parameter& p) { p.set_requires_grad(requires_grad); });
  return *this;
}

Module& Module::apply(const SharedFunction<void(Module&)>& fn) {
  {
    const RecursionGuard guard(*this, "apply");
    for (const NamedModule& c : children_of(*this, true)) c.module->apply(fn);
  }
  fn(*this);
  return *this;
}

}  // namespace taper::nn
