// Cases of tar archives in the convention of WebDataset.
#include "cases/outcome.h"
#include "kit/tables.h"
#include "kit/temporary_folder.h"
#include "taper/core/dict.h"
#include "taper/data/web_dataset.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

Values read_examples(Case& c) {
  const TemporaryFolder folder;
  std::vector<std::string> urls;
  for (const Json& reference : c.at("shards"))
    urls.push_back(
        folder.write("shard-" + std::to_string(urls.size()) + ".tar", read_tensor(c, reference)));
  const data::WebDataset dataset(urls, {.decode = read_bool(c.at("decode"))});
  Values examples;
  const auto next = dataset.iterate();
  while (auto example = next()) examples.push_back(*std::move(example));
  return examples;
}

/// Converts the value of a JSON field.
Json json_of(const Value& value) {
  if (value.is_none()) return {};
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int();
  if (value.is_float()) return value.as_double();
  if (value.is_string()) return value.as_string();
  Json result = value.is_dict() ? Json::object() : Json::array();
  if (value.is_dict())
    for (const auto& [key, item] : value.as_dict()) result[key.as_string()] = json_of(item);
  else
    for (const Value& item : value.as_list()) result.push_back(json_of(item));
  return result;
}

void expect_field(Case& c, const std::string& what, const Value& actual, const Json& expected) {
  if (!expected.is_object() || !expected.contains("json"))
    return expect_data(c, what, actual, expected);
  Fields fields(expected);
  c.expect_text(what, json_of(actual).dump(), Json::parse(fields.text("json")).dump());
  fields.done();
}

void expect_example(Case& c, const std::string& what, const Value& example, const Json& expected) {
  Fields fields(expected);
  c.expect_text(what + ", key", example["__key__"].as_string(), fields.text("key"));
  const Json& parts = fields.at("fields");
  fields.done();
  std::size_t i = 0;
  for (const auto& [key, value] : example.as_dict()) {
    const std::string& name = key.as_string();
    if (name == "__key__" || name == "__url__") continue;
    if (i == parts.size()) return c.fail(what + ": unexpected field " + name);
    c.expect_text(what + ", field", name, parts.at(i).at(0).get<std::string>());
    expect_field(c, what + ", " + name, value, parts.at(i++).at(1));
  }
  if (i < parts.size()) c.fail(what + ": no field " + parts.at(i).at(0).dump());
}

}  // namespace

void run_shards(Case& c, Generators&) {
  const Values examples = read_examples(c);
  Fields expected(c.at("expected"));
  const Json& samples = expected.at("samples");
  expected.done();
  if (examples.size() != samples.size())
    return c.fail("got " + std::to_string(examples.size()) + " examples, expected " +
                  std::to_string(samples.size()));
  for (std::size_t i = 0; i < samples.size(); ++i)
    expect_example(c, "example " + std::to_string(i), examples[i], samples.at(i));
}

void run_shards_error(Case& c, Generators&) {
  expect_error(c, [&] { static_cast<void>(read_examples(c)); });
}

}  // namespace taper::oracle
