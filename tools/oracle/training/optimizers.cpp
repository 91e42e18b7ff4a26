#include "training/optimizers.h"

#include "cases/outcome.h"
#include "taper/optim/sgd.h"
#include "values/arguments.h"

namespace taper::oracle {
namespace {

Value value_of(const Json& v) {
  if (v.is_null()) return {};
  if (v.is_boolean()) return v.get<bool>();
  if (v.is_number_integer()) return v.get<std::int64_t>();
  if (v.is_number_float()) return v.get<double>();
  if (v.is_string()) return v.get<std::string>();
  if (!v.is_array()) throw MalformedCase("unknown option " + v.dump());
  Values items;
  for (const Json& item : v) items.push_back(value_of(item));
  return Value::list(std::move(items));
}

std::optional<bool> optional_flag(Arguments& a, const std::string& name) {
  const Value* v = a.next(name);
  if (!v || v->is_none()) return std::nullopt;
  return v->as_bool();
}

std::unique_ptr<optim::Optimizer> make_sgd(optim::Params params, Arguments& a) {
  optim::SGDOptions o;
  o.lr = a.scalar("lr", o.lr);
  o.momentum = a.scalar("momentum", o.momentum);
  o.dampening = a.scalar("dampening", o.dampening);
  o.weight_decay = a.scalar("weight_decay", o.weight_decay);
  o.nesterov = a.boolean("nesterov", o.nesterov);
  o.maximize = a.boolean("maximize", o.maximize);
  o.foreach = optional_flag(a, "foreach");
  o.fused = optional_flag(a, "fused");
  a.done();
  return std::make_unique<optim::SGD>(std::move(params), o);
}

using Make = std::unique_ptr<optim::Optimizer> (*)(optim::Params, Arguments&);
const std::map<std::string, Make>& makers() {
  static const std::map<std::string, Make> table = {{"SGD", make_sgd}};
  return table;
}

}  // namespace

Options options_of(const Json& object) {
  Options options;
  for (const auto& [name, value] : object.items()) options[name] = value_of(value);
  return options;
}

bool has_optimizer(const std::string& name) { return makers().contains(name); }

std::unique_ptr<optim::Optimizer> make_optimizer(const std::string& name, optim::Params params,
                                                 const Options& options) {
  const auto found = makers().find(name);
  if (found == makers().end()) throw Unsupported("optim." + name);
  Arguments arguments("optim." + name, {}, options);
  return found->second(std::move(params), arguments);
}

}  // namespace taper::oracle
