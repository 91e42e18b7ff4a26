// Fields: objects of a case with detection of unknown fields.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// An object of a case, such as one op of a program. All of its fields must be read.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}
  const Json& at(const char* name);
  const Json* find(const char* name);
  double number(const char* name) { return number_of(at(name)); }
  double number(const char* name, double default_value);
  std::string text(const char* name) { return at(name).get<std::string>(); }
  Shape shape(const char* name) { return at(name).get<std::vector<std::int64_t>>(); }
  /// Throws MalformedCase if there are unread fields.
  void done() const;

  /// Converts a JSON number, or one of the strings "nan", "inf" and "-inf", to a double.
  static double number_of(const Json& value);

 private:
  const Json& object_;
  std::set<std::string> known_fields_;
};

/// Converts a JSON integer to a seed of 64 bits. Negative seeds are taken modulo 2^64.
std::uint64_t seed_of(const Json& value);

}  // namespace taper::oracle
