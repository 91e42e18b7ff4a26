#include <limits>

#include "cases/outcome.h"
#include "training/fields.h"

namespace taper::oracle {

const Json* Fields::find(const char* name) {
  known_fields_.insert(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

const Json& Fields::at(const char* name) {
  if (const Json* value = find(name)) return *value;
  throw MalformedCase(std::string("no field '") + name + "' in " + object_.dump());
}

double Fields::number(const char* name, double default_value) {
  const Json* value = find(name);
  return value ? number_of(*value) : default_value;
}

void Fields::done() const {
  for (const auto& [field, value] : object_.items())
    if (!known_fields_.contains(field))
      throw MalformedCase("unknown field '" + field + "' in " + object_.dump());
}

double Fields::number_of(const Json& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value == "inf") return kInfinity;
  if (value == "-inf") return -kInfinity;
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (!value.is_number()) throw MalformedCase("expected a number, got " + value.dump());
  return value.get<double>();
}

std::uint64_t seed_of(const Json& value) {
  return value.is_number_unsigned() ? value.get<std::uint64_t>()
                                    : static_cast<std::uint64_t>(value.get<std::int64_t>());
}

}  // namespace taper::oracle
