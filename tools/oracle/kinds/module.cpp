// Kinds layer and loss: loads the state of a module, calls and differentiates it.
#include <set>

#include "kinds/kinds.h"
#include "layers/build.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "taper/core/generator.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

NamedTensors parameters_of(nn::Module& m, bool remove_duplicate = true) {
  NamedTensors list;
  for (const auto& p : m.named_parameters({.remove_duplicate = remove_duplicate}))
    list.emplace_back(p.name, p.value);
  return list;
}

NamedTensors state_entries(nn::Module& m) {
  NamedTensors list;
  const Value state = m.state_dict();
  for (const auto& [key, value] : state.as_dict())
    list.emplace_back(key.as_string(), value.as_tensor());
  return list;
}

// Returns the module specification of a case: name, arguments and children.
Json read_spec(Case& c) {
  Json spec{{"name", c.at("name")}, {"args", c.at("args")}};
  if (const Json* children = c.find("children")) spec["children"] = *children;
  return spec;
}

Value call_module(nn::Module& m, const Values& inputs, const std::map<std::string, Value>& named) {
  if (named.empty()) return m.call(inputs);
  const Value kwargs = Value::dict();
  for (const auto& [key, value] : named) kwargs[key] = value;
  return m.call(inputs, kwargs);
}

NamedTensors clone_tensors(NamedTensors tensors) {
  for (auto& [key, tensor] : tensors) tensor = tensor.clone();
  return tensors;
}

// Returns the names of the parameters. All other entries of the state dict are buffers.
std::set<std::string> parameter_names(nn::Module& m) {
  std::set<std::string> names;
  for (const auto& [name, tensor] : parameters_of(m, false)) names.insert(name);
  return names;
}

void load_params(Case& c, nn::Module& m) {
  const Value state = Value::ordered_dict();
  for (const auto& [key, reference] : c.at("params").items())
    state[key] = c.tensor(reference.at("t")).clone();
  const auto found = m.load_state_dict(state, {.strict = false});
  const Json& args = c.at("args");
  for (const std::string& key : found.missing_keys)
    if (!args.contains(key) || !is_reference(args.at(key)))
      c.fail("the case lacks a value of " + key);
  for (const std::string& key : found.unexpected_keys) c.fail("the module lacks " + key);
}

void expect_state_after(Case& c, nn::Module& m, const NamedTensors& before) {
  const Json& expected = c.at("state_after");
  const auto parameters = parameter_names(m);
  const NamedTensors after = state_entries(m);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto& [key, tensor] = after[i];
    if (parameters.contains(key) && difference(tensor, before[i].second, {}).empty()) continue;
    seen.insert(key);
    if (expected.contains(key))
      c.expect_close(key + " afterwards", tensor, c.tensor(expected.at(key).at("t")),
                     tolerance_of(c, expected.at(key)));
    else
      c.fail(key + " was modified by forward");
  }
  for (const auto& [key, reference] : expected.items())
    if (!seen.contains(key)) c.fail(key + " was not modified by forward");
}

void expect_keys(Case& c, nn::Module& m, const Json& expected) {
  const auto parameters = parameter_names(m);
  Json actual = Json::array();
  for (const auto& [key, tensor] : state_entries(m)) {
    const auto shape = tensor.shape();
    actual.push_back({key, std::vector<std::int64_t>(shape.begin(), shape.end()),
                      std::string(name_of(tensor.dtype())),
                      parameters.contains(key) ? "parameter" : "buffer"});
  }
  c.expect_text("state_dict_keys", actual.dump(), expected.dump());
}

}  // namespace

void run_module(Case& c) {
  c.ignore({"kind"});
  c.tolerance = {c.at("rtol").get<double>(), c.at("atol").get<double>()};
  const std::string name = c.text("name");
  Reader arguments(c);
  const Built m = build_module(read_spec(c), arguments);
  m->to(dtype_named(c.text("dtype")));
  c.expect_text("repr", m->str(), c.text("repr"));
  Call call(c);
  if (name.starts_with("Lazy")) {
    const NoGrad guard;
    static_cast<void>(m->call(call.inputs));
  }
  load_params(c, *m);
  m->train(c.text("mode") == "train");
  const NamedTensors before = clone_tensors(state_entries(*m));
  call.run([&](const Values& inputs, const auto& named) { return call_module(*m, inputs, named); });
  expect_value(c, "output", call.result, c.at("outputs"));
  const Json* after = c.find("repr_after");
  c.expect_text("repr afterwards", m->str(), (after ? *after : c.at("repr")).get<std::string>());
  expect_keys(c, *m, c.at("state_dict_keys"));
  expect_state_after(c, *m, before);
  check_gradients(c, call, parameters_of(*m));
}

void run_module_init(Case& c) {
  c.ignore({"kind"});
  c.tolerance = {c.at("rtol").get<double>(), c.at("atol").get<double>()};
  Reader arguments(c);
  manual_seed(seed_of(c.at("seed")));
  const Built m = build_module(read_spec(c), arguments);
  c.expect_text("repr", m->str(), c.text("repr"));
  expect_keys(c, *m, c.at("state_dict_keys"));
  const Json& expected = c.at("init");
  for (const auto& [key, tensor] : state_entries(*m))
    c.expect_close(key, tensor, c.tensor(expected.at(key).at("t")),
                   tolerance_of(c, expected.at(key)));
}

bool is_module_rejected(Case& c, std::string& text) {
  const Json* mode = c.find("mode");
  Built m;
  NamedTensors before;
  try {
    Reader arguments(c);
    m = build_module(read_spec(c), arguments);
    m->train(!mode || *mode == "train");
    before = clone_tensors(state_entries(*m));
    Call call(c);
    static_cast<void>(call_module(*m, call.inputs, call.named));
    return false;
  } catch (const Error& rejection) { text = rejection.what(); }
  if (m) {
    const auto after = state_entries(*m);
    for (std::size_t i = 0; i < after.size(); ++i)
      if (!difference(after[i].second, before.at(i).second, {}).empty())
        c.fail("the rejected call modified " + after[i].first);
  }
  return true;
}

}  // namespace taper::oracle
