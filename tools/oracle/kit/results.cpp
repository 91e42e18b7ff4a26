// Comparison of results with tolerances.
#include <cmath>

#include "cases/outcome.h"
#include "kit/values.h"
#include "taper/core/dict.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

struct Limits {
  Tolerance tolerance;
  std::int64_t outliers = 0;  ///< number of elements that may be anything
  double equal = 0;           ///< minimum share of equal elements
};

/// As difference(), with outliers and a minimum share of equal elements.
std::string difference_within(const Tensor& actual, const Tensor& expected, const Limits& limits) {
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape())
    return difference(actual, expected, limits.tolerance);
  const Tensor a = actual.detach().to(DType::f64).contiguous(),
               e = expected.to(DType::f64).contiguous();
  const auto x = a.data<double>(), y = e.data<double>();
  std::int64_t num_far = 0, num_equal = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    num_far += !close(x[i], y[i], limits.tolerance);
    num_equal += close(x[i], y[i], {});
  }
  if (num_far > limits.outliers)
    return std::to_string(num_far) + " outliers, at most " + std::to_string(limits.outliers) +
           " expected: " + difference(a, e, limits.tolerance);
  const double share =
      x.empty() ? 1 : static_cast<double>(num_equal) / static_cast<double>(x.size());
  if (share < limits.equal)
    return "share of equal elements " + std::to_string(share) + ", expected at least " +
           std::to_string(limits.equal);
  return "";
}

void expect_record(Case& c, const std::string& what, const Value& actual, const Json& expected) {
  if (!actual.is_dict()) return c.fail(what + ": got " + actual.type_name() + ", expected a dict");
  if (actual.size() != expected.size())
    c.fail(what + ": got " + actual.repr() + ", expected " + expected.dump());
  for (const auto& [key, value] : expected.items()) {
    const Value* found = actual.as_dict().find(key);
    if (found)
      expect_result(c, what + "." + key, *found, value);
    else
      c.fail(what + ": no '" + key + "'");
  }
}

/// Compares a dict with its expected entries, in order.
void expect_entries(Case& c, const std::string& what, const Value& actual, const Json& entries) {
  if (!actual.is_dict() || actual.size() != entries.size())
    return c.fail(what + ": got " + actual.repr() + ", expected " + entries.dump());
  const auto& found = actual.as_dict().entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string place = what + "[" + found[i].first.repr() + "]";
    expect_result(c, place + ", key", found[i].first, entries.at(i).at(0));
    expect_result(c, place, found[i].second, entries.at(i).at(1));
  }
}

}  // namespace

const Tensor& read_tensor(Case& c, const Json& reference) {
  Fields fields(reference);
  const std::string role = fields.text("t");
  const Json* of = fields.find("of");
  fields.done();
  if (!of) return c.tensor(role);
  const std::string name = of->get<std::string>() + "/" + role;
  const auto found = c.file().tensors.find(name);
  if (found == c.file().tensors.end()) throw MalformedCase("no tensor '" + name + "'");
  return found->second;
}

void expect_tensor(Case& c, const std::string& what, const Tensor& actual, const Json& reference) {
  Fields fields(reference);
  const Tensor& expected = c.tensor(fields.text("t"));
  Limits limits;
  limits.tolerance = {fields.number("rtol", c.tolerance.rtol),
                      fields.number("atol", c.tolerance.atol)};
  const Json* outliers = fields.find("outliers");
  const Json* equal = fields.find("equal");
  fields.done();
  if (!outliers && !equal) return c.expect_close(what, actual, expected, limits.tolerance);
  if (outliers) limits.outliers = read_integer(*outliers);
  if (equal) limits.equal = read_number(*equal);
  if (std::string text = difference_within(actual, expected, limits); !text.empty())
    c.fail(what + ": " + text);
}

void expect_result(Case& c, const std::string& what, const Value& actual, const Json& expected) {
  if (expected.is_object() && expected.contains("t")) {
    if (actual.is_tensor()) return expect_tensor(c, what, actual.as_tensor(), expected);
    return c.fail(what + ": got " + actual.type_name() + ", expected a tensor");
  }
  if (expected.is_number_float() || (expected.is_object() && expected.contains("float"))) {
    if (actual.is_float())
      return c.expect_number(what, actual.as_double(), read_number(expected), c.tolerance);
    return c.fail(what + ": got " + actual.repr() + ", expected " + expected.dump());
  }
  if (expected.is_object() && expected.contains("dict"))
    return expect_entries(c, what, actual, expected.at("dict"));
  if (expected.is_object() && expected.contains("tuple")) {
    if (actual.is_tuple())
      return expect_result(c, what, Value::list(actual.as_tuple()), expected.at("tuple"));
    return c.fail(what + ": got " + actual.type_name() + ", expected a tuple");
  }
  if (expected.is_object()) return expect_record(c, what, actual, expected);
  if (!expected.is_array()) return expect_data(c, what, actual, expected);
  if (!actual.is_list() || actual.size() != expected.size())
    return c.fail(what + ": got " + actual.repr() + ", expected " + expected.dump());
  for (std::size_t i = 0; i < expected.size(); ++i)
    expect_result(c, what + "[" + std::to_string(i) + "]", actual.as_list()[i], expected.at(i));
}

}  // namespace taper::oracle
