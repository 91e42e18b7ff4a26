#include "files/entry.h"

#include <algorithm>
#include <array>

#include "cases/outcome.h"

namespace taper::oracle {
namespace {

constexpr std::array kKinds = {"torch-zip",   "torch-legacy",      "torchscript",
                               "safetensors", "safetensors-index", "other"};
constexpr std::array kExpectations = {"value", "value_or_error", "opaque_or_error", "error"};
// Some fields are informative or concern Python.
constexpr std::array kFields = {
    "file",   "kind",     "expect",          "must_fail",           "value",
    "reason", "note",     "python",          "python_weights_only", "hostile",
    "order",  "metadata", "pickle_protocol", "may_be_opaque"};

template <std::size_t N>
bool is_one_of(const std::array<const char*, N>& known, const std::string& name) {
  return std::find(known.begin(), known.end(), name) != known.end();
}

}  // namespace

FileEntry read_entry(const Json& entry, const std::string& folder, bool strict_stride) {
  for (const auto& [field, value] : entry.items())
    if (!is_one_of(kFields, field)) throw MalformedCase("unknown field '" + field + "'");
  FileEntry e;
  e.file = entry.at("file"), e.kind = entry.at("kind"), e.expect = entry.at("expect");
  if (!is_one_of(kKinds, e.kind)) throw MalformedCase("unknown kind '" + e.kind + "'");
  if (!is_one_of(kExpectations, e.expect))
    throw MalformedCase("unknown expectation '" + e.expect + "'");
  if (entry.value("must_fail", e.expect == "error") != (e.expect == "error"))
    throw MalformedCase("must_fail contradicts the expectation");
  e.path = folder + "/" + e.file;
  e.hostile = entry.value("hostile", false);
  if (entry.contains("value")) e.value = &entry["value"];
  if (e.expect == "value" && !e.value) throw MalformedCase("missing value to compare with");
  if (entry.contains("metadata")) e.metadata = &entry["metadata"];
  e.rules.strict_stride = strict_stride;
  e.rules.only_tensors = e.kind == "safetensors" || e.kind == "safetensors-index";
  e.rules.may_stay_opaque = e.expect == "opaque_or_error";
  for (const Json& key : entry.value("may_be_opaque", Json::array()))
    e.rules.opaque_keys.insert(key.get<std::string>());
  return e;
}

}  // namespace taper::oracle
