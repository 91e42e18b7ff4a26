#include "kit/values.h"

#include "cases/outcome.h"
#include "cases/sha256.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

[[noreturn]] void reject(const char* expected, const Json& value) {
  throw TypeError(std::string("expected ") + expected + ", got " + value.dump());
}

}  // namespace

bool read_bool(const Json& value) {
  if (!value.is_boolean()) reject("a bool", value);
  return value.get<bool>();
}

std::int64_t read_integer(const Json& value) {
  if (!value.is_number_integer()) reject("an integer", value);
  return value.get<std::int64_t>();
}

double read_number(const Json& value) {
  if (value.is_object()) {
    Fields fields(value);
    const double number = Fields::number_of(fields.at("float"));
    fields.done();
    return number;
  }
  return Fields::number_of(value);
}

void expect_indices(Case& c, const std::string& what, const std::vector<std::int64_t>& actual,
                    const Json& expected) {
  if (expected.is_array()) {
    c.expect_text(what, Json(actual).dump(), expected.dump());
    return;
  }
  Fields outer(expected);
  Fields fields(outer.at("long"));
  outer.done();
  c.expect_number(what + ", length", static_cast<double>(actual.size()), fields.number("count"),
                  {});
  const Json& head = fields.at("head");
  const auto shown = static_cast<std::ptrdiff_t>(std::min(actual.size(), head.size()));
  c.expect_text(what + ", first elements",
                Json(std::vector<std::int64_t>(actual.begin(), actual.begin() + shown)).dump(),
                head.dump());
  c.expect_text(what + ", hash",
                sha256(reinterpret_cast<const std::uint8_t*>(actual.data()),
                       actual.size() * sizeof(std::int64_t)),
                fields.text("sha256"));
  fields.done();
}

void expect_error(Case& c, const SharedFunction<void()>& f) {
  c.ignore({"exception", "message"});
  if (!read_bool(c.at("expected").at("fails"))) throw MalformedCase("the case does not fail");
  try {
    f();
  } catch (const Error& error) {
    if (std::string_view(error.what()).empty()) c.fail("the error has no text");
    return;
  }
  c.fail("no error");
}

Generators::Generators(Case& c) : case_(c) {
  if (const Json* seeds = c.find("generators"))
    for (const auto& [name, seed] : seeds->items())
      generators_.emplace(name, Generator(seed_of(seed)));
}

std::optional<Generator> Generators::find(const Json* name) const {
  if (name == nullptr) return std::nullopt;
  const auto found = generators_.find(name->get<std::string>());
  if (found == generators_.end()) throw MalformedCase("no generator " + name->dump());
  return found->second;
}

void Generators::expect_next(const Json& expected) {
  Fields fields(expected);
  if (const Json* next = fields.find("next"))
    expect_tensor(case_, "next numbers of the default generator", rand({2}), *next);
  if (const Json* next = fields.find("generator_next"))
    for (const auto& [name, reference] : next->items())
      expect_tensor(case_, "next numbers of generator " + name, rand({2}, {}, generators_.at(name)),
                    reference);
}

void run_data(Case& c, Generators&) {
  for (const Json& role : c.at("tensors")) c.tensor(role.get<std::string>());
}

void run_kind(Case& c, const KitKinds& kinds) {
  const std::string kind = c.text("kind");
  const auto found = kinds.find(kind);
  if (found == kinds.end()) throw MalformedCase("unknown kind '" + kind + "'");
  if (const Json* tolerance = c.find("tolerance")) {
    Fields fields(*tolerance);
    c.tolerance = {fields.number("rtol"), fields.number("atol")};
    fields.done();
  }
  if (const Json* seed = c.find("seed")) manual_seed(seed_of(*seed));
  Generators generators(c);
  found->second(c, generators);
}

}  // namespace taper::oracle
