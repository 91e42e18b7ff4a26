#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "cases/outcome.h"
#include "files/bounds.h"
#include "files/describe.h"
#include "files/entry.h"
#include "files/walk.h"
#include "taper/core/error.h"
#include "taper/io/load.h"

namespace taper::oracle {
namespace {

namespace fs = std::filesystem;

std::uint64_t size_of_file(const std::string& path) {
  std::error_code none;
  const auto size = fs::file_size(path, none);
  return none ? 0 : size;
}

void compare_metadata(const FileEntry& e, const Value& v, std::vector<std::string>& failures) {
  if (!e.metadata || !v.is_dict()) return;
  const Value* found = v.as_dict().attribute("__metadata__");
  Json actual;
  if (found && found->is_dict()) {
    actual = Json::object();
    for (const auto& [key, text] : found->as_dict()) actual[key.as_string()] = text.as_string();
  }
  if (actual != *e.metadata)
    failures.push_back("metadata: expected " + e.metadata->dump() + ", got " + actual.dump());
}

/// Compares the value that was read with the expected one.
void check_value(const FileEntry& e, const Value& v, const std::string& summary,
                 std::vector<std::string>& failures) {
  if (e.expect == "error") {
    failures.push_back("expected an error, got a value: " + summary.substr(0, 200));
    return;
  }
  if (!e.value) return;
  for (std::string& text : differences(*e.value, Describer()(v), e.rules))
    failures.push_back(std::move(text));
  compare_metadata(e, v, failures);
}

void check_error(const FileEntry& e, const std::string& text, std::vector<std::string>& failures) {
  if (e.expect == "value") failures.push_back("unexpected error: " + text);
  if (const std::string why = check_error_clarity(text, e.path); !why.empty())
    failures.push_back(why + ": " + text);
  if (e.expect == "opaque_or_error")
    if (const std::string what = check_error_names(text, e); !what.empty())
      failures.push_back(what + ": " + text);
}

}  // namespace

CaseResult evaluate(const FileEntry& e) {
  CaseResult j;
  Bounds bounds(e.path, size_of_file(e.path));
  try {
    std::optional<Value> v = load(e.path);
    bounds.record_peak();
    const WalkResult walk_result = walk(*v);
    bounds.check_memory(walk_result.storage_bytes, j.failures);
    if (!walk_result.wrong.empty()) j.failures.push_back(walk_result.wrong);
    j.outcome = "read: " + walk_result.summary;
    j.was_read = true;
    j.seconds += bounds.lap();
    check_value(e, *v, walk_result.summary, j.failures);
    bounds.lap();
    v.reset();
    j.seconds += bounds.lap();
  } catch (const Error& error) {
    bounds.record_peak();
    j.seconds += bounds.lap();
    j.outcome = std::string("rejected: ") + error.what();
    bounds.check_memory(0, j.failures);
    check_error(e, error.what(), j.failures);
  } catch (const MalformedCase& error) {
    j.failures.push_back(error.what());
  } catch (const Json::exception& error) {
    j.failures.push_back(std::string("malformed entry: ") + error.what());
  } catch (const std::exception& error) {
    j.failures.push_back(std::string("exception of a foreign type: ") + error.what());
  }
  if (j.seconds > seconds_allowed())
    j.failures.push_back(fmt::format("time limit exceeded: got {:.1f} s, expected at most {} s",
                                     j.seconds, seconds_allowed()));
  bounds.check_leftovers(j.failures);
  return j;
}

}  // namespace taper::oracle
