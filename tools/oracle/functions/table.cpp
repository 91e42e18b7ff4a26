#include "functions/table.h"

#include <array>

#include "cases/outcome.h"

namespace taper::oracle {
namespace {

const FunctionTable& table() {
  static const FunctionTable all = [] {
    FunctionTable t;
    add_activations(t);
    add_convolutions(t);
    add_creation(t);
    add_dropouts(t);
    add_gathers(t);
    add_indexing(t);
    add_losses(t);
    add_pointwise(t);
    add_pools(t);
    add_products(t);
    add_reductions(t);
    add_random(t);
    add_sequences(t);
    add_views(t);
    return t;
  }();
  return all;
}

// Removes the namespace of functions that are named like their ops.
std::string bare(const std::string& name) {
  for (const std::string prefix : {"F.", "Tensor.", "torch."})
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  return name;
}

}  // namespace

Value call_function(const std::string& name, Values positional,
                    std::map<std::string, Value> named) {
  Arguments arguments(name, std::move(positional), std::move(named));
  for (const std::string& key : {name, bare(name)})
    if (const auto found = table().find(key); found != table().end()) {
      Value result = found->second(arguments);
      return result;
    }
  return call_op(bare(name), arguments);
}

}  // namespace taper::oracle
