// functional_call and stack_module_state: modules as functions of their parameters and buffers.
#pragma once
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/module_list.h"

namespace TAPER_API taper {
namespace func {

/// Options of functional_call.
struct FunctionalCallOptions {
  /// If a tensor has several names in the module, a value given for one name is used for all of
  /// them.
  bool tie_weights = true;
  /// Requires a value for every parameter and buffer, and rejects all other names.
  bool strict = false;
};

/// Calls the module, including its hooks, with its parameters and buffers temporarily replaced by
/// the tensors of a dict from names to tensors, or of a list or tuple of such dicts. The original
/// tensors are restored when the call returns or throws.
///
///   Value y = nn::functional_call(net, Value::dict({{"fc.weight", w}}), x);
///
/// `args` is a tuple, or a single argument; None means no argument. If forward replaces a given
/// tensor, the replacement is written to the dict, if it is a single dict. A name that the module
/// does not have is registered for the duration of the call. The name of a parametrized tensor
/// overrides its parametrization.
///
/// Throws ValueError if a key occurs in several dicts or if tied names have different values,
/// TypeError for a value that is not a tensor, AttributeError for a path that does not exist, and
/// RuntimeError for the names that `strict` rejects. PyTorch: torch.func.functional_call.
Value functional_call(nn::Module& module, const Value& parameters_and_buffers,
                      const Value& args = {}, const Value& kwargs = {},
                      const FunctionalCallOptions& options = {});

/// Returns {parameters, buffers}: dicts from names to tensors, each stacked over all models along a
/// new first dimension. Parameters are new leaves that require gradients if those of the models do.
/// Throws RuntimeError if `models` is empty, or if the models differ in class, mode or
/// requires_grad. PyTorch: torch.func.stack_module_state.
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
