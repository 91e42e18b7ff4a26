#include "values/reader.h"

#include <limits>

#include "cases/outcome.h"
#include "core/dtype_table.h"
#include "layers/build.h"
#include "taper/core/factory.h"
#include "taper/nn/module_value.h"

namespace taper::oracle {
namespace {

double parse_non_finite(const std::string& name) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (name == "inf") return kInf;
  if (name == "-inf") return -kInf;
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw MalformedCase("unknown float '" + name + "'");
}

NestedList to_nested_list(const Json& data) {
  if (data.is_boolean()) return data.get<bool>();
  if (data.is_number_integer()) return data.get<std::int64_t>();
  if (data.is_number_float()) return data.get<double>();
  throw MalformedCase("unknown element " + data.dump());
}

// Parses the nested lists of numbers of a literal tensor: appends the numbers to `into` and the
// sizes to `shape`.
void collect(const Json& data, Shape& shape, std::size_t depth, std::vector<Json>& into) {
  if (!data.is_array()) return into.push_back(data);
  if (shape.size() == depth) shape.push_back(static_cast<std::int64_t>(data.size()));
  for (const Json& item : data) collect(item, shape, depth + 1, into);
}

Tensor parse_tensor(const Json& value) {
  Shape shape;
  std::vector<Json> flat;
  collect(value.at("data"), shape, 0, flat);
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  if (count != flat.size()) throw MalformedCase("tensor rows of unequal length");
  const DType dtype = dtype_named(value.at("dtype"));
  const Tensor t = empty(shape, {.dtype = dtype}).view({-1});
  for (std::size_t i = 0; i < flat.size(); ++i)
    t[static_cast<std::int64_t>(i)].copy_(taper::tensor(to_nested_list(flat[i]), {.dtype = dtype}));
  return t.view(shape);
}

// Returns {tag: value}, from which an index is created.
Value make_tagged(const char* tag, Value value) { return Value::dict({{tag, std::move(value)}}); }

}  // namespace

DType dtype_named(const std::string& name) {
  if (const auto dtype = find_dtype(&DTypeNames::brief, name)) return *dtype;
  if (const auto dtype = find_dtype(&DTypeNames::torch, name)) return *dtype;
  throw MalformedCase("unknown dtype '" + name + "'");
}

bool is_reference(const Json& value) { return value.is_object() && value.contains("t"); }

Value Reader::operator()(const Json& value) {
  if (value.is_null()) return nullptr;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    Values items;
    for (const Json& item : value) items.push_back((*this)(item));
    return Value::list(std::move(items));
  }
  if (value.contains("t")) return tensor(value);
  if (value.contains("zeros"))
    return zeros(Shape(value.at("zeros").get<std::vector<std::int64_t>>()),
                 {.dtype = dtype_named(value.at("dtype"))});
  if (value.contains("data")) return parse_tensor(value);
  if (value.contains("dtype")) return dtype_named(value.at("dtype"));
  if (value.contains("slice")) return make_tagged("slice", (*this)(value.at("slice")));
  if (value.contains("ellipsis")) return make_tagged("ellipsis", true);
  if (value.contains("float")) return parse_non_finite(value.at("float"));
  if (value.contains("module")) return nn::value_of(build_module(value.at("module"), *this));
  if (value.contains("packed")) return packed(value.at("packed"));
  throw MalformedCase("unknown value " + value.dump());
}

Value Reader::packed(const Json& parts) {
  Values items;
  for (const char* part : {"data", "batch_sizes", "sorted_indices", "unsorted_indices"})
    items.push_back((*this)(parts.at(part)));
  return Value::tuple(std::move(items));
}

Value Reader::tensor(const Json& reference) {
  for (const auto& [field, ignored] : reference.items())
    if (field != "t" && field != "grad" && field != "transform" && field != "atol")
      throw MalformedCase("unknown field '" + field + "' of a tensor");
  const auto role = reference.at("t").get<std::string>();
  if (const Tensor known = leaf(role); known.defined()) return known;
  Tensor x = case_.tensor(role).clone();
  if (reference.contains("transform")) x = relayout(x, reference.at("transform")).detach();
  if (reference.value("grad", false)) {
    x.set_requires_grad();
    leaves_.emplace_back(role, x);
  }
  seen_[role] = x;
  return x;
}

Tensor Reader::leaf(const std::string& role) const {
  for (const auto& [name, tensor] : leaves_)
    if (name == role) return tensor;
  return {};
}

Tensor relayout(const Tensor& x, const std::string& how) {
  if (how == "transpose-last-two") return x.transpose(-1, -2).contiguous().transpose(-1, -2);
  if (how == "channels-last") {
    if (x.dim() == 4) return x.permute({0, 2, 3, 1}).contiguous().permute({0, 3, 1, 2});
    if (x.dim() == 5) return x.permute({0, 2, 3, 4, 1}).contiguous().permute({0, 4, 1, 2, 3});
  }
  if (how == "every-second") {
    Shape doubled_shape = x.shape();
    doubled_shape[doubled_shape.size() - 1] *= 2;
    const Tensor y = zeros(doubled_shape, {.dtype = x.dtype()}).slice(-1, {}, {}, 2);
    y.copy_(x);
    return y;
  }
  if (how == "offset") {
    const Tensor y = zeros({x.numel() + 3}, {.dtype = x.dtype()}).slice(0, 3, {}).view(x.shape());
    y.copy_(x);
    return y;
  }
  if (how == "expand-first") return x.narrow(0, 0, 1).expand(x.shape());
  throw MalformedCase("unknown transform '" + how + "'");
}

void flatten(const Value& value, Values& into) {
  if (!value.is_list() && !value.is_tuple()) return into.push_back(value);
  for (const Value& item : value.as_sequence()) flatten(item, into);
}

}  // namespace taper::oracle
