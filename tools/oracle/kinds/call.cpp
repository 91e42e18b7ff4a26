#include "kinds/kinds.h"

namespace taper::oracle {

Call::Call(Case& c) : of(c), read(c) {
  for (const Json& input : c.at("inputs")) inputs.push_back(read(input));
  if (const Json* named_inputs = c.find("kwinputs"))
    for (const auto& [name, value] : named_inputs->items()) named[name] = read(value);
}

void Call::run(const Callee& callee) {
  const Json* count = of.find("n_forward");
  const Json* clone = of.find("clone_first_input");
  for (int i = 0, n = count ? count->get<int>() : 1; i < n; ++i) {
    Values arguments = inputs;
    if (clone && clone->get<bool>()) arguments.at(0) = arguments.at(0).as_tensor().clone();
    result = callee(arguments, named);
  }
}

}  // namespace taper::oracle
