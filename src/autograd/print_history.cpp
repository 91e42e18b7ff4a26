// Printed form of a tensor's history.
#include "core/print/print.h"
#include "taper/autograd/autograd.h"

namespace taper::print {

std::string autograd_suffix(const Tensor& tensor) {
  if (const GradFn made_by = tensor.grad_fn()) return "grad_fn=<" + made_by.name() + ">";
  return tensor.requires_grad() ? "requires_grad=True" : "";
}

}  // namespace taper::print
