// Nested data of examples.
#include <algorithm>
#include <iterator>
#include <limits>

#include "cases/outcome.h"
#include "kit/values.h"
#include "taper/core/dict.h"
#include "training/fields.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

std::string from_base64(const std::string& text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t digit = kDigits.find(c);
    if (digit == kDigits.npos) throw MalformedCase("invalid base64: " + text);
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return bytes;
}

Value read_list(Case& c, const Json& items) {
  Values values;
  for (const Json& item : items) values.push_back(read_data(c, item));
  return Value::list(std::move(values));
}

Value read_entries(Case& c, const Json& entries) {
  Value dict = Value::dict();
  for (const Json& entry : entries)
    dict.as_dict().set(read_data(c, entry.at(0)), read_data(c, entry.at(1)));
  return dict;
}

Value read_named_tuple(Case& c, Fields& fields) {
  std::vector<std::pair<std::string, Value>> items;
  for (const Json& field : fields.at("fields"))
    items.emplace_back(field.at(0).get<std::string>(), read_data(c, field.at(1)));
  return Value::named_tuple(fields.text("namedtuple"), std::move(items));
}

/// Returns true for an object that represents one value; other objects are records.
bool is_tagged(const Json& object) {
  constexpr const char* kTags[] = {"t", "float", "dtype", "bytes", "tuple", "dict", "namedtuple"};
  return std::any_of(std::begin(kTags), std::end(kTags),
                     [&](const char* tag) { return object.contains(tag); });
}

Value read_record(Case& c, const Json& parts) {
  Value record = Value::dict();
  for (const auto& [name, part] : parts.items()) record.as_dict().set(name, read_data(c, part));
  return record;
}

Value read_object(Case& c, const Json& value) {
  if (!is_tagged(value)) return read_record(c, value);
  Fields fields(value);
  Value result;
  if (fields.find("t")) {
    fields.find("of");
    result = read_tensor(c, value);
  } else if (fields.find("dtype"))
    result = dtype_named(fields.text("dtype"));
  else if (fields.find("float"))
    result = read_number(value);
  else if (fields.find("bytes"))
    result = Value::bytes(from_base64(fields.text("bytes")));
  else if (const Json* items = fields.find("tuple"))
    result = Value::tuple(read_list(c, *items).as_sequence());
  else if (const Json* entries = fields.find("dict"))
    result = read_entries(c, *entries);
  else if (fields.find("namedtuple"))
    result = read_named_tuple(c, fields);
  fields.done();
  return result;
}

void expect_items(Case& c, const std::string& what, const Values& actual, const Json& expected) {
  if (actual.size() != expected.size()) {
    c.fail(what + ": got " + std::to_string(actual.size()) + " items, expected " +
           std::to_string(expected.size()));
    return;
  }
  for (std::size_t i = 0; i < actual.size(); ++i)
    expect_data(c, what + "[" + std::to_string(i) + "]", actual[i], expected.at(i));
}

void expect_entries(Case& c, const std::string& what, const Value& actual, const Json& expected) {
  if (!actual.is_dict()) return c.fail(what + ": got " + actual.type_name() + ", expected a dict");
  Values keys, values;
  for (const auto& [key, value] : actual.as_dict()) keys.push_back(key), values.push_back(value);
  Json expected_keys = Json::array(), expected_values = Json::array();
  for (const Json& entry : expected) {
    expected_keys.push_back(entry.at(0));
    expected_values.push_back(entry.at(1));
  }
  expect_items(c, what + ", keys", keys, expected_keys);
  expect_items(c, what, values, expected_values);
}

void expect_named_tuple(Case& c, const std::string& what, const Value& actual, Fields& expected) {
  c.expect_text(what + ", class", actual.type_name(), expected.text("namedtuple"));
  Values names;
  for (const std::string& name : actual.item_names()) names.emplace_back(name);
  Json expected_names = Json::array(), expected_items = Json::array();
  for (const Json& field : expected.at("fields")) {
    expected_names.push_back(field.at(0));
    expected_items.push_back(field.at(1));
  }
  expect_items(c, what + ", names", names, expected_names);
  expect_items(c, what, actual.as_tuple(), expected_items);
}

void expect_object(Case& c, const std::string& what, const Value& actual, const Json& expected) {
  if (!is_tagged(expected)) {
    Json entries = Json::array();
    for (const auto& [name, part] : expected.items()) entries.push_back(Json::array({name, part}));
    return expect_entries(c, what, actual, entries);
  }
  Fields fields(expected);
  if (fields.find("t")) {
    if (actual.is_tensor())
      c.expect_close(what, actual.as_tensor(), c.tensor(fields.text("t")), {});
    else
      c.fail(what + ": got " + actual.type_name() + ", expected a tensor");
  } else if (fields.find("bytes")) {
    c.expect_text(what, actual.as_bytes(), from_base64(fields.text("bytes")));
  } else if (const Json* items = fields.find("tuple")) {
    expect_items(c, what, actual.as_tuple(), *items);
  } else if (const Json* entries = fields.find("dict")) {
    expect_entries(c, what, actual, *entries);
  } else if (fields.find("namedtuple")) {
    expect_named_tuple(c, what, actual, fields);
  }
  fields.done();
}

}  // namespace

Value read_data(Case& c, const Json& value) {
  if (value.is_null()) return {};
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return read_list(c, value);
  if (value.is_object()) return read_object(c, value);
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
    return Value::big_integer(value.dump());
  return value.get<std::int64_t>();
}

void expect_data(Case& c, const std::string& what, const Value& actual, const Json& expected) {
  if (expected.is_object()) return expect_object(c, what, actual, expected);
  if (expected.is_array()) {
    if (actual.is_list()) return expect_items(c, what, actual.as_list(), expected);
    return c.fail(what + ": got " + actual.type_name() + ", expected a list");
  }
  const Value wanted = read_data(c, expected);
  if (actual.kind() != wanted.kind() || !(actual == wanted))
    c.fail(what + ": got " + actual.repr() + ", expected " + wanted.repr());
}

}  // namespace taper::oracle
