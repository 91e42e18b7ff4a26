// Programs that load state dicts.
#include <sstream>

#include "models/build_model.h"
#include "models/programs/programs.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

// Returns the text of the error of loading; None if there is none.
Value message_of_load(nn::Module& model, const Value& state) {
  try {
    model.load_state_dict(state);
    return {};
  } catch (const RuntimeError& error) { return error.what(); }
}

Value texts_of(const std::vector<std::string>& texts) {
  return Value::list(Values(texts.begin(), texts.end()));
}

}  // namespace

Value run_other_head(Case& c) {
  manual_seed(seed_of(c.at("seed")));
  Json other = c.at("model");
  other["args"]["num_classes"] = c.at("input").at("classes");
  const auto source = build_named_model(c.at("model")), target = build_named_model(other);
  const Value state = source->state_dict();
  const Value size_mismatch = message_of_load(*target, state);
  const Value target_state = target->state_dict();
  for (const auto& [key, value] : target_state.as_dict())
    if (!(value.as_tensor().shape() == state[key].as_tensor().shape())) state.as_dict().erase(key);
  state["extra.weight"] = zeros({2});
  const Value missing_and_unexpected = message_of_load(*target, state);
  const nn::IncompatibleKeys keys = target->load_state_dict(state, {.strict = false});

  std::stringstream file;
  save(target->state_dict(), file);
  const auto again = build_named_model(other);
  const std::string loaded = again->load_state_dict(load(file)).str();
  again->eval();
  const NoGrad guard;
  const Tensor logits = (*again)(ImageBatch(c).images);
  return Value::dict({{"size_mismatch", size_mismatch},
                      {"missing_and_unexpected", missing_and_unexpected},
                      {"missing", texts_of(keys.missing_keys)},
                      {"unexpected", texts_of(keys.unexpected_keys)},
                      {"loaded", loaded},
                      {"logits", logits}});
}

}  // namespace taper::oracle
