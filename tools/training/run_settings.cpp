#include "run_settings.h"

namespace training {

using taper::Value;

namespace {

Value value_of(const std::optional<double>& number) { return number ? Value(*number) : Value(); }

std::optional<double> number_of(const Value& value) {
  return value.is_none() ? std::nullopt : std::optional(value.as_double());
}

}  // namespace

Value Settings::to_value() const {
  taper::Values names;
  for (const std::string& name : augmentations) names.push_back(name);
  return Value::dict({{"lr", value_of(lr)},
                      {"momentum", value_of(momentum)},
                      {"weight_decay", value_of(weight_decay)},
                      {"epochs", epochs},
                      {"batch", batch},
                      {"seed", seed},
                      {"optimizer", optimizer},
                      {"schedule", schedule},
                      {"precision", precision},
                      {"augmentations", Value::list(names)}});
}

Settings Settings::from_value(const Value& value) {
  Settings s;
  s.lr = number_of(value["lr"]);
  s.momentum = number_of(value["momentum"]);
  s.weight_decay = number_of(value["weight_decay"]);
  s.epochs = value["epochs"].as_int();
  s.batch = value["batch"].as_int();
  s.seed = value["seed"].as_int();
  s.optimizer = value["optimizer"].as_string();
  s.schedule = value["schedule"].as_string();
  s.precision = value["precision"].as_string();
  for (const Value& name : value["augmentations"].as_list())
    s.augmentations.push_back(name.as_string());
  return s;
}

}  // namespace training
