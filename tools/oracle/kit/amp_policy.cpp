#include "cases/outcome.h"
#include "functions/table.h"
#include "kit/amp.h"
#include "taper/autograd/autocast.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

/// Returns the dtype of `{"dtype": name}`. Throws Unsupported for complex ones.
DType read_dtype(const Json& value) {
  const auto name = value.at("dtype").get<std::string>();
  if (name.starts_with("complex")) throw Unsupported("dtype " + name);
  return dtype_named(name);
}

/// Dtypes of the inputs of a call: that of the first tensor, and that of the others.
class Pattern {
 public:
  explicit Pattern(const std::string& text)
      : first_(dtype_named(text.substr(0, text.find('+')))),
        later_(dtype_named(text.substr(text.find('+') + 1))) {}
  DType next() { return std::exchange(first_, later_); }

 private:
  DType first_, later_;
};

Value make_input(Reader& read, const Json& spec, Pattern& pattern) {
  if (!spec.is_object()) return read(spec);
  if (spec.contains("shape")) {
    const Shape shape(spec.at("shape").get<std::vector<std::int64_t>>());
    const Tensor counts = arange(shape.numel());
    return (counts % 4 * 0.25 + 0.25).reshape(shape).to(pattern.next());
  }
  if (spec.contains("eye")) return (2 * eye(spec.at("eye").get<std::int64_t>())).to(pattern.next());
  if (spec.contains("list")) {
    Values items;
    for (const Json& item : spec.at("list")) items.push_back(make_input(read, item, pattern));
    return Value::list(std::move(items));
  }
  Json data = spec;
  data["dtype"] = name_of(read_dtype(spec.at("dtype")));
  return read(data);
}

std::string dtypes_of(const Value& result) {
  Values leaves;
  flatten(result, leaves);
  std::string names;
  for (const Value& leaf : leaves)
    if (leaf.is_tensor()) names += std::string(name_of(leaf.as_tensor().dtype())) + " ";
  return names;
}

}  // namespace

void run_autocast_policy(Case& c, Generators&) {
  const std::string name = c.text("name");
  Reader read(c);
  for (const auto& [lower, row] : c.at("expected").items())
    for (const auto& [text, expected] : row.items()) {
      Pattern pattern(text);
      Values inputs;
      for (const Json& input : c.at("inputs")) inputs.push_back(make_input(read, input, pattern));
      std::map<std::string, Value> named;
      for (const auto& [key, value] : c.at("args").items()) named[key] = read(value);
      std::string names;
      for (const Json& dtype : expected) names += std::string(name_of(read_dtype(dtype))) + " ";
      const std::string what = text + " under " + lower;
      try {
        const amp::Autocast scope({.dtype = dtype_named(lower)});
        c.expect_text(what, dtypes_of(call_function(name, inputs, named)), names);
      } catch (const Error& error) { c.fail(what + ": " + error.what()); }
    }
}

}  // namespace taper::oracle
