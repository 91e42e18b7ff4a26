#include "cases/outcome.h"
#include "kit/amp.h"
#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/nn/utils/clip_grad.h"
#include "taper/optim/grad_scaler.h"
#include "taper/optim/sgd.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

amp::GradScaler make_scaler(const Json& args) {
  Fields fields(args);
  amp::GradScalerOptions options;
  options.init_scale = fields.number("init_scale", options.init_scale);
  options.growth_factor = fields.number("growth_factor", options.growth_factor);
  options.backoff_factor = fields.number("backoff_factor", options.backoff_factor);
  if (const Json* interval = fields.find("growth_interval"))
    options.growth_interval = read_integer(*interval);
  if (const Json* enabled = fields.find("enabled")) options.enabled = read_bool(*enabled);
  fields.done();
  return amp::GradScaler(options);
}

struct Optimized {
  std::vector<Tensor> params;
  std::unique_ptr<optim::SGD> optimizer;
};

std::vector<Tensor> gradients_of(const Optimized& o) {
  std::vector<Tensor> grads;
  for (const Tensor& p : o.params) grads.push_back(p.grad());
  return grads;
}

void expect_list(Case& c, const std::string& what, const std::vector<Tensor>& actual,
                 const Json& expected) {
  if (actual.size() != expected.size())
    return c.fail(what + ": " + std::to_string(actual.size()) + " tensors");
  for (std::size_t i = 0; i < actual.size(); ++i) expect_tensor(c, what, actual[i], expected[i]);
}

void expect_state(Case& c, const amp::GradScaler& scaler, Fields& expected) {
  const Value state = scaler.state_dict();
  const Json& entries = expected.at("state");
  c.expect_number("number of entries", static_cast<double>(state.size()),
                  static_cast<double>(entries.size()), {});
  for (const auto& [key, value] : entries.items()) expect_data(c, key, state[key], value);
  if (const Json* enabled = expected.find("enabled"))
    c.expect_text("enabled", scaler.is_enabled() ? "true" : "false", enabled->dump());
}

void expect_scale(Case& c, const amp::GradScaler& scaler, Fields& expected) {
  c.expect_number("scale", scaler.get_scale(), expected.number("scale"), c.tolerance);
  if (expected.find("growth_tracker"))
    c.expect_number("growth tracker", static_cast<double>(scaler.growth_tracker()),
                    expected.number("growth_tracker"), {});
}

void set_option(amp::GradScaler& scaler, const std::string& what, const Json& value) {
  if (what == "growth_factor")
    scaler.set_growth_factor(read_number(value));
  else if (what == "backoff_factor")
    scaler.set_backoff_factor(read_number(value));
  else if (what == "growth_interval")
    scaler.set_growth_interval(read_integer(value));
  else
    throw MalformedCase("unknown option '" + what + "'");
}

void run_action(Case& c, amp::GradScaler& scaler, Optimized& o, Fields& a, Fields& expected) {
  const std::string what = a.text("do");
  if (what == "backward") {
    Tensor loss = zeros({});
    const Json& gradients = a.at("gradients");
    for (std::size_t i = 0; i < o.params.size(); ++i)
      loss = loss + (o.params[i] * read_data(c, gradients.at(i)).as_tensor()).sum();
    scaler.scale(loss).backward();
    expect_list(c, "scaled gradients", gradients_of(o), expected.at("scaled_gradients"));
  } else if (what == "scale") {
    const Json& value = a.at("value");
    const Json& scaled = expected.at("scaled");
    if (!value.is_array())
      return expect_tensor(c, "scaled", scaler.scale(read_data(c, value).as_tensor()), scaled);
    std::vector<Tensor> outputs;
    for (const Json& item : value) outputs.push_back(read_data(c, item).as_tensor());
    expect_list(c, "scaled", scaler.scale(outputs), scaled);
  } else if (what == "unscale_") {
    scaler.unscale_(*o.optimizer);
    if (const Json* gradients = expected.find("gradients"))
      expect_list(c, "gradients", gradients_of(o), *gradients);
  } else if (what == "clip") {
    expect_tensor(c, "norm", nn::utils::clip_grad_norm_(o.params, a.number("max_norm")),
                  expected.at("norm"));
  } else if (what == "step") {
    scaler.step(*o.optimizer);
    if (const Json* params = expected.find("params"))
      expect_list(c, "parameters", o.params, *params);
  } else if (what == "update") {
    if (const Json* scale = a.find("new_scale"))
      scaler.update(read_number(*scale));
    else
      scaler.update();
    expect_scale(c, scaler, expected);
  } else if (what == "state") {
    expect_state(c, scaler, expected);
  } else if (what == "load") {
    const Value state = Value::dict();
    for (const auto& [key, value] : a.at("state").items()) state[key] = read_data(c, value);
    scaler.load_state_dict(state);
    expect_scale(c, scaler, expected);
  } else if (what == "set") {
    set_option(scaler, a.text("what"), a.at("value"));
    expect_state(c, scaler, expected);
  } else {
    throw MalformedCase("unknown action '" + what + "'");
  }
}

}  // namespace

void run_grad_scaler(Case& c, Generators&) {
  amp::GradScaler scaler = make_scaler(c.at("args"));
  std::vector<Optimized> optimized;
  for (const Json& spec : c.at("optimizers")) {
    Optimized& o = optimized.emplace_back();
    for (const Json& p : spec.at("params"))
      o.params.push_back(read_data(c, p).as_tensor().clone().requires_grad_());
    o.optimizer = std::make_unique<optim::SGD>(
        o.params, optim::SGDOptions{.lr = spec.at("lr").get<double>()});
  }
  const Json& records = c.at("expected").at("records");
  for (std::size_t i = 0; i < records.size(); ++i) {
    Fields action(c.at("actions").at(i)), expected(records[i]);
    const Json* index = action.find("optimizer");
    Optimized& o = optimized.at(index ? index->get<std::size_t>() : 0);
    const Json* fails = action.find("fails");
    bool failed = false;
    try {
      run_action(c, scaler, o, action, expected);
    } catch (const Error& error) {
      failed = true;
      if (!fails) c.fail("action " + std::to_string(i) + ": " + error.what());
    }
    if (fails && expected.find("fails") && !failed)
      c.fail("action " + std::to_string(i) + " does not fail");
    if (action.text("do") == "step" && !action.find("keep")) o.optimizer->zero_grad();
  }
}

void run_amp_error(Case& c, Generators& generators) {
  const Json* args = c.find("args");
  expect_error(c, [&] {
    if (args)
      static_cast<void>(make_scaler(*args));
    else
      run_autocast_program(c, generators);
  });
}

}  // namespace taper::oracle
