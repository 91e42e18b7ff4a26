// Functions that run the cases of each kind.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "values/expect.h"
#include "values/reader.h"

namespace taper::oracle {

/// Run the layer cases of kind functional, of kinds layer and loss, of kind init and of kind error.
void run_functional(Case& c);
void run_module(Case& c);
void run_module_init(Case& c);
void run_error(Case& c);
/// Constructs and calls the module of an error case. Returns true and stores the error message in
/// `text` if either was rejected. Records a failure if a rejected call modified the module's state.
bool is_module_rejected(Case& c, std::string& text);

/// A call with the options of its case: `n_forward`, `clone_first_input`.
struct Call {
  explicit Call(Case& c);
  Values inputs;
  std::map<std::string, Value> named;  ///< `args` of a function and `kwinputs`
  Value result;

  using Callee = std::function<Value(const Values&, const std::map<std::string, Value>&)>;
  void run(const Callee& callee);
  Case& of;
  Reader read;
};

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Runs backward if the case requests it, and compares all gradients of first and second order.
/// `parameters` are those of the module, if any.
void check_gradients(Case& c, const Call& call, const NamedTensors& parameters);

}  // namespace taper::oracle
