#include "values/arguments.h"

#include "cases/outcome.h"
#include "taper/core/error.h"

namespace taper::oracle {

Scalar scalar_of(const Value& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int();
  return value.as_double();
}

Shape shape_of(const Value& value) {
  return value.is_int() ? Shape(value.as_int()) : value.as_size();
}

const Value* Arguments::peek(const std::string& name) const {
  if (next_index_ < positional_.size()) return &positional_[next_index_];
  const auto found = named_.find(name);
  return found == named_.end() ? nullptr : &found->second;
}

const Value* Arguments::next(const std::string& name) {
  if (next_index_ < positional_.size()) return &positional_[next_index_++];
  return named(name);
}

const Value* Arguments::named(const std::string& name) {
  const auto found = named_.find(name);
  if (found == named_.end()) return nullptr;
  auto node = named_.extract(found);
  positional_.insert(positional_.begin() + static_cast<std::ptrdiff_t>(next_index_),
                     std::move(node.mapped()));
  return &positional_[next_index_++];
}

const Value* Arguments::next_or_missing(const std::string& name, bool is_optional) {
  const Value* value = next(name);
  if (!value && !is_optional) throw TypeError(callee_ + ": missing the argument '" + name + "'");
  return value;
}

Value Arguments::value(const std::string& name) { return *next_or_missing(name, false); }

Tensor Arguments::tensor(const std::string& name) {
  return next_or_missing(name, false)->as_tensor();
}

std::optional<Tensor> Arguments::optional_tensor(const std::string& name) {
  const Value* value = next(name);
  if (!value || value->is_none()) return std::nullopt;
  return value->as_tensor();
}

std::vector<Tensor> Arguments::tensors(const std::string& name) {
  std::vector<Tensor> list;
  for (const Value& item : next_or_missing(name, false)->as_sequence())
    list.push_back(item.as_tensor());
  return list;
}

Scalar Arguments::scalar(const std::string& name, std::optional<Scalar> default_value) {
  const Value* value = next_or_missing(name, default_value.has_value());
  return value ? scalar_of(*value) : *default_value;
}

std::int64_t Arguments::integer(const std::string& name,
                                std::optional<std::int64_t> default_value) {
  const Value* value = next_or_missing(name, default_value.has_value());
  return value ? value->as_int() : *default_value;
}

double Arguments::number(const std::string& name, std::optional<double> default_value) {
  const Value* value = next_or_missing(name, default_value.has_value());
  return value ? value->as_double() : *default_value;
}

bool Arguments::boolean(const std::string& name, std::optional<bool> default_value) {
  const Value* value = next_or_missing(name, default_value.has_value());
  return value ? value->as_bool() : *default_value;
}

std::string Arguments::text(const std::string& name, std::optional<std::string> default_value) {
  const Value* value = next_or_missing(name, default_value.has_value());
  return value ? value->as_string() : *default_value;
}

Shape Arguments::shape(const std::string& name, std::optional<Shape> default_value) {
  const Value* value = next_or_missing(name, default_value.has_value());
  return value ? shape_of(*value) : *default_value;
}

std::vector<std::optional<std::int64_t>> Arguments::optional_integers(const std::string& name) {
  const Value& value = *next_or_missing(name, false);
  const auto one = [](const Value& v) {
    return v.is_none() ? std::nullopt : std::optional(v.as_int());
  };
  if (!value.is_list() && !value.is_tuple()) return {one(value)};
  std::vector<std::optional<std::int64_t>> list;
  for (const Value& v : value.as_sequence()) list.push_back(one(v));
  return list;
}

std::optional<std::int64_t> Arguments::optional_integer(const std::string& name) {
  const Value* value = next(name);
  return value && !value->is_none() ? std::optional(value->as_int()) : std::nullopt;
}

std::optional<double> Arguments::optional_number(const std::string& name) {
  const Value* value = next(name);
  return value && !value->is_none() ? std::optional(value->as_double()) : std::nullopt;
}

std::optional<Scalar> Arguments::optional_scalar(const std::string& name) {
  const Value* value = next(name);
  return value && !value->is_none() ? std::optional(scalar_of(*value)) : std::nullopt;
}

std::optional<Shape> Arguments::optional_shape(const std::string& name) {
  const Value* value = next(name);
  return value && !value->is_none() ? std::optional(shape_of(*value)) : std::nullopt;
}

std::optional<DType> Arguments::optional_dtype(const std::string& name) {
  const Value* value = next(name);
  return value && !value->is_none() ? std::optional(value->as_dtype()) : std::nullopt;
}

void Arguments::done() const {
  if (next_index_ < positional_.size())
    throw Unsupported(callee_ + " with " + std::to_string(positional_.size()) + " arguments");
  if (!named_.empty()) throw Unsupported(callee_ + "(" + named_.begin()->first + ")");
}

}  // namespace taper::oracle
