#include "run_settings.h"

namespace training {

using taper::Value;

Value Settings::to_value() const {
  return Value::dict({{"lr", lr},
                      {"momentum", momentum},
                      {"weight_decay", weight_decay},
                      {"epochs", epochs},
                      {"batch", batch},
                      {"seed", seed}});
}

Settings Settings::from_value(const Value& value) {
  Settings s;
  s.lr = value["lr"].as_double();
  s.momentum = value["momentum"].as_double();
  s.weight_decay = value["weight_decay"].as_double();
  s.epochs = value["epochs"].as_int();
  s.batch = value["batch"].as_int();
  s.seed = value["seed"].as_int();
  return s;
}

}  // namespace training
