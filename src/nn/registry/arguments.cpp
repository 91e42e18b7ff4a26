// Arguments: typed access to constructor arguments.
#include "core/check.h"
#include "nn/registry/schema.h"

namespace taper::nn::detail {
namespace {

bool is_number(const Value& v) { return v.is_int() || v.is_float() || v.is_bool(); }

}  // namespace

const Value& Arguments::operator[](std::string_view name) const {
  for (const auto& [key, value] : all)
    if (key == name) return value;
  fail<KeyError>("{}(): the signature has no argument '{}'", schema_.name, name);
}

void Arguments::reject(std::string_view name, std::string_view expected) const {
  fail<TypeError>("{}(): argument '{}' must be {}, not {}", schema_.name, name, expected,
                  (*this)[name].type_name());
}
void Arguments::throw_missing(std::string_view name) const {
  fail<TypeError>("{}() missing 1 required positional argument: '{}'", schema_.name, name);
}

bool Arguments::flag(std::string_view name) const {
  const Value& v = (*this)[name];
  if (!v.is_bool() && !v.is_int()) reject(name, "bool");
  return v.as_int() != 0;
}
std::int64_t Arguments::integer(std::string_view name) const {
  const Value& v = (*this)[name];
  if (!v.is_int() && !v.is_bool()) reject(name, "int");
  return v.as_int();
}
double Arguments::number(std::string_view name) const {
  const Value& v = (*this)[name];
  if (!is_number(v)) reject(name, "float");
  return v.as_double();
}
Scalar Arguments::scalar(std::string_view name) const {
  const Value& v = (*this)[name];
  if (!is_number(v)) reject(name, "a number");
  return Convert<Scalar>::from(v);
}
const std::string& Arguments::string(std::string_view name) const {
  const Value& v = (*this)[name];
  if (!v.is_string()) reject(name, "str");
  return v.as_string();
}

Shape Arguments::sizes(std::string_view name) const {
  const Value& v = (*this)[name];
  if (v.is_int()) return Shape{v.as_int()};
  if (v.kind() == Value::Kind::size) return v.as_size();
  if (!v.is_tuple() && !v.is_list()) reject(name, "int or a tuple of ints");
  Shape all;
  for (const Value& size : v.as_sequence()) {
    if (!size.is_int() && !size.is_none()) reject(name, "int or a tuple of ints");
    all.push_back(size.is_none() ? -1 : size.as_int());
  }
  return all;
}

std::optional<std::int64_t> Arguments::optional_integer(std::string_view name) const {
  if ((*this)[name].is_none()) return std::nullopt;
  return integer(name);
}
std::optional<double> Arguments::optional_number(std::string_view name) const {
  if ((*this)[name].is_none()) return std::nullopt;
  return number(name);
}
std::optional<Shape> Arguments::optional_sizes(std::string_view name) const {
  if ((*this)[name].is_none()) return std::nullopt;
  return sizes(name);
}
std::optional<Tensor> Arguments::tensor(std::string_view name) const {
  const Value& v = (*this)[name];
  if (v.is_none()) return std::nullopt;
  if (!v.is_tensor()) reject(name, "Tensor");
  return v.as_tensor();
}
std::optional<DType> Arguments::dtype() const {
  const Value& v = (*this)["dtype"];
  if (v.is_none()) return std::nullopt;
  if (v.kind() != Value::Kind::dtype) reject("dtype", "torch.dtype");
  return v.as_dtype();
}
std::optional<Device> Arguments::device() const {
  const Value& v = (*this)["device"];
  if (v.is_none()) return std::nullopt;
  if (v.is_string()) return Device(v.as_string());
  if (v.kind() != Value::Kind::device) reject("device", "torch.device or str");
  return v.as_device();
}

}  // namespace taper::nn::detail
