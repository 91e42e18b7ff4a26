// Descriptions of pickled modules, which load() represents as opaque data.
#include "files/describe.h"
#include "taper/io/pickled_module.h"

namespace taper::oracle {

std::optional<Json> Describer::module(const Value& v) {
  const std::optional<PickledModule> m = pickled_module(v);
  if (!m) return {};
  Json out = {{"t", "module"},
              {"class", m->class_name},
              {"training", m->training},
              {"parameters", named(m->parameters)},
              {"buffers", named(m->buffers)},
              {"non_persistent", m->non_persistent},
              {"modules", named(m->modules)},
              {"attributes", named(m->attributes)}};
  for (const auto& [kind, count] : m->hooks) out["hooks"][kind] = count;
  return out;
}

}  // namespace taper::oracle
