#include "layers/table.h"

#include "cases/outcome.h"

namespace taper::oracle {

Built make_layer(const std::string& name, Values positional, std::map<std::string, Value> named) {
  static const LayerTable table = [] {
    LayerTable t;
    add_activations(t);
    add_convolutions(t);
    add_dropouts(t);
    add_linears(t);
    add_losses(t);
    add_norms(t);
    add_pools(t);
    add_recurrent(t);
    add_softmaxes(t);
    return t;
  }();
  const auto found = table.find(name);
  if (found == table.end()) throw Missing(name);
  Arguments arguments(name, std::move(positional), std::move(named));
  return found->second(arguments);
}

}  // namespace taper::oracle
