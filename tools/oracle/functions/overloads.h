// Overloads of functions and methods, with the registered op that implements each.
#pragma once
#include <string>

#include "values/signature.h"

namespace taper::oracle {

/// A call whose overload is selected.
struct BoundCall {
  std::string op;  ///< name of the op; a trailing underscore means in place
  Values positional;
  NamedValues named;
};

/// Returns the function that a second name such as "torch.arccos" or "torch.special.psi" stands
/// for, otherwise `function`.
std::string resolve_alias(const std::string& function);

/// Returns a function's name without the namespace: "F.relu", "torch.relu" and "Tensor.relu" are
/// "relu".
std::string bare_name(const std::string& function);

/// Selects the overload of a function that accepts the arguments and binds them to its parameters.
/// Functions without an overload in the table accept their arguments in the order of their entry or
/// op. Throws Unsupported if an argument is not a parameter of any overload, TypeError if the
/// arguments match none.
BoundCall bind_call(const std::string& function, Values positional, NamedValues named);

}  // namespace taper::oracle
