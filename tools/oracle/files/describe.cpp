#include "files/describe.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cases/compare.h"
#include "cases/outcome.h"
#include "cases/sha256.h"
#include "core/tensor_impl.h"
#include "files/dtype_names.h"

namespace taper::oracle {
namespace {

constexpr int kMaxDepth = 2000;
constexpr std::int64_t kLargestNumber = std::int64_t{1} << 53;  // JSON readers round larger numbers

Json typed_json(const char* type) { return {{"t", type}}; }
Json typed_json(const char* type, Json v) { return {{"t", type}, {"v", std::move(v)}}; }

Json integer(std::int64_t v) {
  const bool exact = v > -kLargestNumber && v < kLargestNumber;
  return typed_json("int", exact ? Json(v) : Json(std::to_string(v)));
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes)
    for (const int shift : {4, 0})
      out += "0123456789abcdef"[static_cast<unsigned char>(c) >> shift & 15];
  return out;
}

Json shape_json(const Shape& shape) {
  return std::vector<std::int64_t>(shape.begin(), shape.end());
}

std::string unqualified_name(const std::string& dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

}  // namespace

Json number_json(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  return v;
}

std::string python_name(const Value& global) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRenamed = {
      {{"__builtin__", "builtins"},
       {"copy_reg", "copyreg"},
       {"numpy.core.multiarray", "numpy._core.multiarray"},
       {"numpy.core.numeric", "numpy._core.numeric"}}};
  auto [module, name] = global.as_global();
  if (module == "__builtin__" && name == "xrange") name = "range";
  for (const auto& [old, now] : kRenamed)
    if (module == old) module = now;
  return std::string(module) + "." + std::string(name);
}

void Describer::consume_budget(std::size_t parts) {
  if (parts > budget_) throw MalformedCase("value too large to describe");
  budget_ -= parts;
}

Json Describer::operator()(const Value& v) {
  struct DepthGuard {
    int& depth;
    ~DepthGuard() { --depth; }
  } depth_guard{depth_};
  if (++depth_ > kMaxDepth) throw MalformedCase("value nesting is too deep to describe");
  consume_budget(1);
  switch (v.kind()) {
    case Value::Kind::none: return typed_json("none");
    case Value::Kind::boolean: return typed_json("bool", v.as_bool());
    case Value::Kind::integer: return integer(v.as_int());
    case Value::Kind::big_integer: return typed_json("int", v.as_string());
    case Value::Kind::floating: {
      const double x = v.as_double();
      return typed_json("float", x == 0 && std::signbit(x) ? Json("-0") : number_json(x));
    }
    case Value::Kind::complex: {
      const Complex c = v.as_complex();
      return typed_json("complex", {number_json(c.real), number_json(c.imag)});
    }
    case Value::Kind::string: return typed_json("str", v.as_string());
    case Value::Kind::bytes: return {{"t", "bytes"}, {"hex", hex(v.as_bytes())}};
    case Value::Kind::tensor: return tensor(v);
    case Value::Kind::list: return sequence("list", v.as_sequence());
    case Value::Kind::tuple: return sequence("tuple", v.as_sequence());
    case Value::Kind::set: return sequence("set", v.as_sequence());
    case Value::Kind::dict: return dict(v.as_dict());
    case Value::Kind::size: return typed_json("size", shape_json(v.as_size()));
    case Value::Kind::dtype: return typed_json("dtype", short_name(v.as_dtype()));
    case Value::Kind::device: return typed_json("device", v.as_device().str());
    case Value::Kind::global: return {{"t", "global"}, {"name", python_name(v)}};
    case Value::Kind::opaque: return opaque(v);
    case Value::Kind::module:
    case Value::Kind::missing: break;
  }
  throw MalformedCase("a value of type " + v.type_name() + " cannot result from a file");
}

Json Describer::tensor(const Value& v) {
  const Tensor& t = v.as_tensor();
  consume_budget(static_cast<std::size_t>(t.numel()));
  const std::string bytes = bytes_of(t);
  Json out = {{"t", "tensor"},
              {"dtype", short_name(t.dtype())},
              {"shape", shape_json(t.shape())},
              {"stride", shape_json(t.strides())},
              {"offset", t.storage_offset()},
              {"sha256", sha256(bytes.data(), bytes.size())},
              {"requires_grad", t.requires_grad()},
              {"parameter", v.is_parameter()}};
  label(t, out);
  return out;
}

void Describer::label(const Tensor& t, Json& described) {
  kept_.emplace_back(t);
  const Storage* storage = impl(t).storage.get();
  const auto found = labels_.emplace(storage, "s" + std::to_string(labels_.size())).first;
  described["storage"] = found->second;
  described["storage_bytes"] = storage->bytes();
}

Json Describer::sequence(const char* type, const Values& items) {
  Json out = {{"t", type}, {"items", Json::array()}};
  for (const Value& item : items) out["items"].push_back((*this)(item));
  return out;
}

Json Describer::dict(const Dict& d) {
  Json out = {{"t", "dict"},
              {"class", d.class_name().empty() ? "dict" : unqualified_name(d.class_name())},
              {"items", Json::array()}};
  for (const auto& [key, v] : d) {
    Json name = (*this)(key), value = (*this)(v);
    out["items"].push_back(Json::array({std::move(name), std::move(value)}));
  }
  if (const Value* metadata = d.attribute("_metadata"); metadata && !metadata->is_none())
    out["attrs"] = Json::array({Json::array({"_metadata", (*this)(*metadata)})});
  return out;
}

Json Describer::named(const Value& dict) {
  Json out = Json::array();
  for (const auto& [name, v] : dict.as_dict()) {
    Json described = (*this)(v);
    out.push_back(Json::array({name.as_string(), std::move(described)}));
  }
  return out;
}

}  // namespace taper::oracle
