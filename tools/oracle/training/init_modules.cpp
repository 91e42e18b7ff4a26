// Family init: initial values of layers and networks.
#include "training/init_modules.h"

#include "cases/outcome.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/linear.h"
#include "taper/nn/rnn.h"
#include "training/fields.h"
#include "training/model.h"
#include "training/state.h"

namespace taper::oracle {
namespace {

void reset_parameters(nn::Module& m) {
  if (const auto linear = m.as<nn::Linear>()) return linear->reset_parameters();
  if (const auto recurrent = m.as<nn::RNNBase>()) return recurrent->reset_parameters();
  throw Unsupported(std::string(m.type_name()) + ".reset_parameters");
}

}  // namespace

void run_init_layer(Case& c) {
  const std::string name = c.text("name");
  Values positional;
  for (const Json& value : c.at("args")) positional.push_back(option_value("", value));
  std::map<std::string, Value> named;
  for (const auto& [key, value] : c.at("kwargs").items()) named[key] = option_value(key, value);
  manual_seed(seed_of(c.at("seed")));
  const Built m = make_layer(name, std::move(positional), std::move(named));
  if (const Json& shape = c.at("dummy_input"); !shape.is_null()) {
    m->eval();
    static_cast<void>(m->call({zeros(Shape(shape.get<std::vector<std::int64_t>>()))}));
    m->train();
  }
  expect_state(c, state_entries(*m));
  expect_next(c);
}

void run_init_stack(Case& c) {
  manual_seed(seed_of(c.at("seed")));
  const Built m = build_model(c.at("model"));
  const Json *seed = c.find("reset_seed"), *reset = c.find("reset");
  if (seed && reset) {
    manual_seed(seed_of(*seed));
    for (const Json& name : *reset) reset_parameters(m->get_submodule(name.get<std::string>()));
  }
  expect_state(c, state_entries(*m));
  expect_next(c);
}

}  // namespace taper::oracle
