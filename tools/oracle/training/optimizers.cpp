#include "training/optimizers.h"

#include <algorithm>

#include "cases/outcome.h"
#include "taper/optim/make.h"

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
  return Value::tuple(std::move(items));
}

}  // namespace

Options options_of(const Json& object) {
  Options options;
  for (const auto& [name, value] : object.items()) options[name] = value_of(value);
  return options;
}

bool has_optimizer(const std::string& name) {
  const auto names = optim::optimizer_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::unique_ptr<optim::Optimizer> make_optimizer(const std::string& name, optim::Params params,
                                                 const Options& options) {
  if (!has_optimizer(name)) throw Unsupported("optim." + name);
  Value given = Value::dict();
  for (const auto& [key, value] : options) given[key] = value;
  return optim::make(name, std::move(params), given);
}

}  // namespace taper::oracle
