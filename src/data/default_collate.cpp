#include <algorithm>

#include "core/check.h"
#include "taper/core/dict.h"
#include "taper/data/collate.h"

namespace taper::data {
namespace {

// Python's default limit of recursion.
constexpr int kMaxDepth = 1000;

void check_depth(int depth) {
  if (depth > kMaxDepth)
    fail<ValueError>("default_collate: the data is nested deeper than {} levels", kMaxDepth);
}

bool is_number(const Value& v) { return v.is_int() || v.is_bool() || v.is_float(); }

Tensor stack_values(const Values& values) {
  std::vector<Tensor> tensors;
  for (const Value& v : values) {
    if (!v.is_tensor())
      fail<TypeError>("expected Tensor as element {} in argument 0, but got {}", tensors.size(),
                      v.type_name());
    tensors.push_back(v.as_tensor());
  }
  return stack(tensors);
}

Tensor number_tensor(const Values& values) {
  bool all_bool = true, any_float = false;
  for (const Value& v : values) {
    if (v.kind() == Value::Kind::big_integer)
      fail<ValueError>("default_collate: the integer {} does not fit into 64 bits", v.str());
    if (!is_number(v))
      fail<TypeError>("default_collate: expected numbers, as the first element, but got {}",
                      v.type_name());
    all_bool &= v.is_bool();
    any_float |= v.is_float();
  }
  if (any_float) {
    std::vector<double> numbers;
    for (const Value& v : values) numbers.push_back(v.as_double());
    const Tensor all = tensor(numbers);
    return values[0].is_float() ? all : all.to(default_dtype());
  }
  std::vector<std::int64_t> numbers;
  for (const Value& v : values) numbers.push_back(v.as_int());
  return all_bool ? tensor(numbers).to(DType::bool_) : tensor(numbers);
}

Value collate(const Values& values, bool in_container, int depth);

/// Returns the converted items of a list or tuple: a list, or a named tuple of the same class.
Value as_collated(const Value& sequence, Values items) {
  return sequence.item_names().empty() ? Value::list(std::move(items))
                                       : sequence.with_items(std::move(items));
}

Value collate_sequences(const Values& values, int depth) {
  const std::size_t length = values[0].as_sequence().size();
  for (const Value& v : values) {
    if (!v.is_list() && !v.is_tuple())
      fail<TypeError>("default_collate: expected lists or tuples, as the first element, but got {}",
                      v.type_name());
    if (v.as_sequence().size() != length)
      fail<RuntimeError>("each element in list of batch should be of equal size");
  }
  Values columns;
  for (std::size_t i = 0; i < length; ++i) {
    Values column;
    for (const Value& v : values) column.push_back(v.as_sequence()[i]);
    columns.push_back(collate(column, true, depth));
  }
  return as_collated(values[0], std::move(columns));
}

Value collate_dicts(const Values& values, int depth) {
  Value result = Value::dict();
  result.as_dict().set_class_name(values[0].as_dict().class_name());
  for (const auto& [key, first] : values[0].as_dict()) {
    Values column;
    for (const Value& v : values) {
      if (!v.is_dict())
        fail<TypeError>("default_collate: expected dicts, as the first element, but got {}",
                        v.type_name());
      column.push_back(v.as_dict().at(key));
    }
    result.as_dict().set(key, collate(column, false, depth));
  }
  return result;
}

Value collate(const Values& values, bool in_container, int depth) {
  check_depth(depth);
  if (values.empty()) fail<IndexError>("default_collate: expected at least one element");
  const Value& first = values[0];
  if (first.is_tensor()) return stack_values(values);
  if (is_number(first) || first.kind() == Value::Kind::big_integer) return number_tensor(values);
  if (first.is_string() || first.kind() == Value::Kind::bytes)
    return in_container ? Value::tuple(values) : Value::list(values);
  if (first.is_dict()) return collate_dicts(values, depth + 1);
  if (first.is_list() || first.is_tuple()) return collate_sequences(values, depth + 1);
  fail<TypeError>(
      "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
      "{}",
      first.class_text());
}

Value convert(const Value& data, int depth) {
  check_depth(depth);
  if (data.is_dict()) {
    Value result = Value::dict();
    result.as_dict().set_class_name(data.as_dict().class_name());
    for (const auto& [key, value] : data.as_dict())
      result.as_dict().set(key, convert(value, depth + 1));
    return result;
  }
  if (!data.is_list() && !data.is_tuple()) return data;
  Values items;
  for (const Value& item : data.as_sequence()) items.push_back(convert(item, depth + 1));
  return as_collated(data, std::move(items));
}

}  // namespace

Value default_collate(const Values& examples) { return collate(examples, false, 0); }
Value default_convert(const Value& data) { return convert(data, 0); }

Value Collate<Value>::batch(std::vector<Value>&& examples) { return default_collate(examples); }

}  // namespace taper::data
