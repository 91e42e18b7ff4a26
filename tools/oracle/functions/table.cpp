#include "functions/table.h"

#include <array>

#include "cases/outcome.h"
#include "functions/overloads.h"

namespace taper::oracle {
namespace {

const FunctionTable& table() {
  static const FunctionTable all = [] {
    FunctionTable t;
    add_activations(t);
    add_attention(t);
    add_convolutions(t);
    add_creation(t);
    add_decompositions(t);
    add_distances(t);
    add_dropouts(t);
    add_elementary(t);
    add_elementwise_losses(t);
    add_embeddings(t);
    add_gelu(t);
    add_indexing(t);
    add_losses(t);
    add_normalizations(t);
    add_pointwise(t);
    add_pools(t);
    add_products(t);
    add_reductions(t);
    add_random(t);
    add_rearranging(t);
    add_scans(t);
    add_scattering(t);
    add_sequences(t);
    add_sorting(t);
    add_spatial(t);
    add_views(t);
    add_windows(t);
    return t;
  }();
  return all;
}

}  // namespace

Value call_function(const std::string& function, Values positional,
                    std::map<std::string, Value> named) {
  const std::string name = resolve_alias(function);
  BoundCall call = bind_call(name, std::move(positional), std::move(named));
  Arguments arguments(name, std::move(call.positional), std::move(call.named));
  for (const std::string& key : {name, bare_name(name)})
    if (const auto found = table().find(key); found != table().end()) {
      Value result = found->second(arguments);
      return result;
    }
  return call_op(call.op, arguments);
}

}  // namespace taper::oracle
