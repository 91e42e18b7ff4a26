#include "training/described.h"

#include "cases/outcome.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

double number_of(const Json& v) {
  if (v.is_string()) {
    if (v == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (v == "inf" || v == "-inf")
      return v == "inf" ? std::numeric_limits<double>::infinity()
                        : -std::numeric_limits<double>::infinity();
    throw MalformedCase("unknown float " + v.dump());
  }
  return v.get<double>();
}

Value key_of(const Json& key) {
  const std::string type = key.at("t");
  if (type == "int") return key.at("v").get<std::int64_t>();
  if (type == "str") return key.at("v").get<std::string>();
  throw MalformedCase("unknown key " + key.dump());
}

void expect_dict(Case& c, const std::string& what, const Value& actual, const Json& expected,
                 Tolerance tolerance) {
  if (!actual.is_dict()) return c.fail(what + ": got " + actual.repr() + ", expected a dict");
  const Json& items = expected.at("items");
  if (actual.size() != items.size()) {
    std::string keys;
    for (const auto& [key, value] : actual.as_dict()) keys += " " + key.repr();
    c.fail(what + ": got the keys" + keys + ", expected " + std::to_string(items.size()));
  }
  for (const Json& item : items) {
    const Value key = key_of(item.at(0));
    const Value* found = actual.find(key);
    const std::string name = what + "[" + key.repr() + "]";
    if (found)
      expect_described(c, name, *found, item.at(1), tolerance);
    else
      c.fail(name + " is missing");
  }
}

void expect_list(Case& c, const std::string& what, const Value& actual, const Json& expected,
                 Tolerance tolerance) {
  const Json& items = expected.at("items");
  if (!(actual.is_list() || actual.is_tuple()) || actual.size() != items.size())
    return c.fail(what + ": got " + actual.repr() + ", expected " + std::to_string(items.size()) +
                  " items");
  for (std::size_t i = 0; i < items.size(); ++i)
    expect_described(c, what + "[" + std::to_string(i) + "]", actual.as_sequence()[i], items[i],
                     tolerance);
}

}  // namespace

void expect_described(Case& c, const std::string& what, const Value& actual, const Json& expected,
                      Tolerance tolerance) {
  const std::string type = expected.at("t");
  const auto mismatch = [&] {
    c.fail(what + ": got " + actual.repr() + ", expected " + expected.dump());
  };
  if (type == "dict") return expect_dict(c, what, actual, expected, tolerance);
  if (type == "list" || type == "tuple") return expect_list(c, what, actual, expected, tolerance);
  if (type == "none") {
    if (!actual.is_none()) mismatch();
  } else if (type == "bool") {
    if (!actual.is_bool() || actual.as_bool() != expected.at("v").get<bool>()) mismatch();
  } else if (type == "str") {
    if (!actual.is_string() || actual.as_string() != expected.at("v").get<std::string>())
      mismatch();
  } else if (type == "int" || type == "float") {
    if (!(actual.is_int() || actual.is_float()) ||
        !close(actual.as_double(), number_of(expected.at("v")), {1e-12, 1e-15}))
      mismatch();
  } else if (type == "tensor") {
    const Tensor& stored = c.tensor(expected.at("role"));
    if (stored.dtype() != dtype_named(expected.at("dtype")) ||
        !(stored.shape() == Shape(expected.at("shape").get<std::vector<std::int64_t>>())))
      throw MalformedCase("the stored tensor of " + what + " does not match its description");
    if (!actual.is_tensor()) return mismatch();
    c.expect_close(what, actual.as_tensor(), stored, tolerance);
  } else {
    throw MalformedCase("unknown type '" + type + "' of a value");
  }
}

}  // namespace taper::oracle
