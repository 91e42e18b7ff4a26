// Modules as functions of their parameters and buffers.
#pragma once
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/module_list.h"

namespace TAPER_API taper {
namespace func {

struct FunctionalCallOptions {
  /// What is one tensor under several names of the module is one here, too: a value for one name is
  /// used for all.
  bool tie_weights = true;
  /// Every parameter and buffer must be given, and nothing else.
  bool strict = false;
};

/// Calls the module, hooks included, with the tensors of a dict (name to tensor) or of several in
/// the place of its own, which are back afterwards, whatever happens.
///
///   Value y = nn::functional_call(net, Value::dict({{"fc.weight", w}}), x);
///
/// `args` is a tuple, or the single argument; None is no argument. What forward puts in the place
/// of a given tensor is written into the dict, if it is one. A name that is not there is made for
/// the call. The name of a parametrized tensor puts its parametrization aside. Throws ValueError
/// for dicts that share a key and for different values of what is tied, TypeError for what is no
/// tensor, AttributeError for a path that is not there, RuntimeError for what `strict` refuses.
/// PyTorch: torch.func.functional_call.
Value functional_call(nn::Module& module, const Value& parameters_and_buffers,
                      const Value& args = {}, const Value& kwargs = {},
                      const FunctionalCallOptions& options = {});

/// {parameters, buffers}: dicts of the tensors of all models by name, stacked along a new first
/// dimension. Parameters are new leaves, which require gradients if those of the models do. Throws
/// RuntimeError for no models, and for models that differ in class, mode or requires_grad.
/// PyTorch: torch.func.stack_module_state.
std::pair<Value, Value> stack_module_state(const std::vector<nn::Module*>& models);
std::pair<Value, Value> stack_module_state(const nn::ModuleList& models);
template <std::derived_from<nn::Module> M>
std::pair<Value, Value> stack_module_state(const std::vector<M>& models) {
  std::vector<nn::Module*> all;
  for (const M& m : models) all.push_back(&nn::detail::mutable_of(m));
  return stack_module_state(all);
}

}  // namespace func
}  // namespace taper

namespace TAPER_API taper {
namespace nn {
using func::functional_call;
using func::FunctionalCallOptions;
using func::stack_module_state;
}  // namespace nn
}  // namespace taper
