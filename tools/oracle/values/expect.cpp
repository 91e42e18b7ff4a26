#include "values/expect.h"

#include "cases/outcome.h"
#include "values/reader.h"

namespace taper::oracle {

Tolerance tolerance_of(const Case& c, const Json& reference) {
  Tolerance t = c.tolerance;
  if (reference.contains("atol")) t.atol = reference.at("atol").get<double>();
  return t;
}

void expect_value(Case& c, const std::string& what, const Value& actual, const Json& expected) {
  if (is_reference(expected)) {
    const Tensor& stored = c.tensor(expected.at("t"));
    if (!actual.is_tensor()) return c.fail(what + ": got " + actual.repr() + ", expected a tensor");
    return c.expect_close(what, actual.as_tensor(), stored, tolerance_of(c, expected));
  }
  if (expected.is_array()) {
    Values items;
    if (actual.is_list() || actual.is_tuple()) items = actual.as_sequence();
    if (actual.kind() == Value::Kind::size)
      for (const std::int64_t size : actual.as_size()) items.emplace_back(size);
    if (items.size() != expected.size())
      return c.fail(what + ": got " + actual.repr() + ", expected " + expected.dump());
    for (std::size_t i = 0; i < items.size(); ++i)
      expect_value(c, what + "[" + std::to_string(i) + "]", items[i], expected[i]);
    return;
  }
  if (expected.is_object() && expected.contains("packed")) {
    const Json& parts = expected.at("packed");
    return expect_value(c, what, actual,
                        Json::array({parts.at("data"), parts.at("batch_sizes"),
                                     parts.at("sorted_indices"), parts.at("unsorted_indices")}));
  }
  Reader read(c);
  const Value expected_value = read(expected);
  const bool number = expected_value.is_float() && (actual.is_float() || actual.is_int());
  if (number ? !close(actual.as_double(), expected_value.as_double(), c.tolerance)
             : !(actual.kind() == expected_value.kind() && actual == expected_value))
    c.fail(what + ": got " + actual.repr() + ", expected " + expected_value.repr());
}

void expect_gradient(Case& c, const std::string& what, const Tensor& actual, const Json& expected,
                     bool second_order) {
  if (expected.is_null()) {
    if (actual.defined() && !is_zero(actual)) c.fail(what + ": got a gradient, expected none");
    return;
  }
  const Tensor& stored = c.tensor(expected.at("t"));
  if (second_order && !actual.defined() && is_zero(stored)) return;
  c.expect_close(what, actual, stored, tolerance_of(c, expected));
}

}  // namespace taper::oracle
