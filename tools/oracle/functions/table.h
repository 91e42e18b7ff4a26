// Table of functions by PyTorch's name: "F.relu", "torch.add", "Tensor.view". A name without a
// namespace, such as "relu", is an entry for functions and methods.
#pragma once
#include <map>
#include <string>

#include "values/arguments.h"

namespace taper::oracle {

using Function = Value (*)(Arguments&);
using FunctionTable = std::map<std::string, Function>;

/// Functions that consist of several ops or have a different signature, by family.
void add_activations(FunctionTable& table);
void add_attention(FunctionTable& table);
void add_convolutions(FunctionTable& table);
void add_creation(FunctionTable& table);
void add_decompositions(FunctionTable& table);
void add_distances(FunctionTable& table);
void add_dropouts(FunctionTable& table);
void add_elementary(FunctionTable& table);
void add_elementwise_losses(FunctionTable& table);
void add_embeddings(FunctionTable& table);
void add_gelu(FunctionTable& table);
void add_indexing(FunctionTable& table);
void add_losses(FunctionTable& table);
void add_normalizations(FunctionTable& table);
void add_pointwise(FunctionTable& table);
void add_pools(FunctionTable& table);
void add_products(FunctionTable& table);
void add_reductions(FunctionTable& table);
void add_random(FunctionTable& table);
void add_rearranging(FunctionTable& table);
void add_scans(FunctionTable& table);
void add_scattering(FunctionTable& table);
void add_sequences(FunctionTable& table);
void add_sorting(FunctionTable& table);
void add_spatial(FunctionTable& table);
void add_views(FunctionTable& table);
void add_windows(FunctionTable& table);

/// Calls a function by name: binds the arguments to an overload (functions/overloads.h), and calls
/// an entry of the tables above, otherwise the op of the overload with inputs and attributes by
/// name. Throws Unsupported if neither exists.
Value call_function(const std::string& name, Values positional, std::map<std::string, Value> named);

/// As call_function, for a registered op. A trailing underscore means in place.
Value call_op(const std::string& op, Arguments& arguments);

}  // namespace taper::oracle
