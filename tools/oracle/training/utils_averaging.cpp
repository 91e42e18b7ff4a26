// Averages of a model during training.
#include "layers/build.h"
#include "taper/core/dict.h"
#include "taper/nn/sequential.h"
#include "taper/optim/swa_utils.h"
#include "training/model.h"
#include "training/utils_kinds.h"

namespace taper::oracle {
namespace {

void load_weights(Case& c, nn::Module& model, const std::string& prefix) {
  const Value state = Value::dict();
  for (const auto& [key, value] : state_entries(model)) state[key] = c.tensor(prefix + key);
  model.load_state_dict(state);
}

void expect_entries(Case& c, nn::Module& model, const std::string& prefix) {
  for (const auto& [key, value] : state_entries(model))
    c.expect_close(prefix + key, value, c.tensor(prefix + key));
}

void run_averaging(Case& c) {
  c.ignore({"model"});
  const std::map<std::string, Value> f64{{"dtype", DType::f64}};
  nn::Sequential model;
  model.add_module("0", make_layer("Linear", {3, 2}, f64));
  model.add_module("1", make_layer("BatchNorm1d", {2}, f64));
  load_weights(c, model, "start.");
  optim::AveragedModel swa(model);
  optim::AveragedModel ema(
      model, {.multi_avg_fn = optim::get_ema_multi_avg_fn(c.at("ema_decay").get<double>()),
              .use_buffers = c.at("ema_use_buffers").get<bool>()});
  for (int t = 0; c.has_tensor("model" + std::to_string(t) + ".0.weight"); ++t) {
    const std::string at = std::to_string(t) + ".";
    load_weights(c, model, "model" + at);
    swa.update_parameters(model), ema.update_parameters(model);
    expect_entries(c, swa, "swa" + at), expect_entries(c, ema, "ema" + at);
  }
  Json keys = Json::array();
  for (const auto& [key, value] : state_entries(swa)) keys.push_back(key);
  c.expect_text("keys", keys.dump(), c.at("keys").dump());
  std::vector<Tensor> loader;
  for (int i = 0; c.has_tensor("bn_data" + std::to_string(i)); ++i)
    loader.push_back(c.tensor("bn_data" + std::to_string(i)));
  optim::update_bn(loader, swa);
  expect_entries(c, swa, "swa_after_update_bn.");
}

}  // namespace

void add_averaging_kinds(UtilsKinds& kinds) { kinds["averaging"] = run_averaging; }

}  // namespace taper::oracle
