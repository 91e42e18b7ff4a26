#include "nn/module/load/rename.h"

#include <algorithm>
#include <optional>

#include "core/check.h"
#include "core/glob.h"

namespace taper::nn {
namespace {

/// Returns `text` rewritten to the pattern `to` if it matches the pattern `from`, otherwise
/// nullopt. Throws ValueError if `to` contains more `*` than `from`.
std::optional<std::string> apply_rename_pattern(std::string_view text, std::string_view from,
                                                std::string_view to) {
  auto name = glob_replace(text, from, to);
  if (name && std::count(to.begin(), to.end(), '*') > std::count(from.begin(), from.end(), '*'))
    fail<ValueError>("load_state_dict: the pattern '{}' has more '*' than '{}'", to, from);
  return name;
}

std::string rename_key(std::string name, const LoadStateDictOptions& options) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string& prefix : options.strip_prefixes)
      if (!prefix.empty() && name.starts_with(prefix)) name.erase(0, prefix.size()), again = true;
  }
  for (const auto& [from, to] : options.rename_patterns)
    if (auto changed = apply_rename_pattern(name, from, to)) {
      name = std::move(*changed);
      break;
    }
  return options.rename ? options.rename(name) : name;
}

std::string_view parent_of(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return key.substr(0, dot == std::string_view::npos ? 0 : dot);
}

/// Returns the metadata under the new names of modules. The metadata of a module with entries are
/// moved with its entries. Other names only lose the stripped prefixes.
Value rename_metadata(const Value& metadata, const Value& parents,
                      const LoadStateDictOptions& options) {
  Value out = Value::ordered_dict();
  const LoadStateDictOptions prefixes_only{.strip_prefixes = options.strip_prefixes};
  for (const auto& [key, entry] : metadata.as_dict()) {
    if (const Value* to = parents.find(key)) {
      out.as_dict().set(*to, entry);
      continue;
    }
    std::string name = rename_key(key.as_string() + ".", prefixes_only);
    if (!name.empty()) name.pop_back();
    if (!out.contains(name)) out.as_dict().set(name, entry);
  }
  return out;
}

}  // namespace

Value rename_keys(const Value& state, const LoadStateDictOptions& options) {
  if (options.strip_prefixes.empty() && options.rename_patterns.empty() && !options.rename)
    return state;
  Value out = Value::ordered_dict(), parents = Value::dict(), original_names = Value::dict();
  for (const auto& [key, entry] : state.as_dict()) {
    const std::string& old = key.as_string();
    const std::string name = rename_key(old, options);
    if (name.empty()) {
      if (options.report) options.report->skipped.push_back({old, "dropped by rename"});
      continue;
    }
    if (const Value* other = original_names.find(name))
      fail<ValueError>("load_state_dict: both '{}' and '{}' are renamed to '{}'",
                       other->as_string(), old, name);
    original_names.as_dict().set(name, old);
    parents.as_dict().set(parent_of(old), parent_of(name));
    out.as_dict().set(name, entry);
    if (options.report && name != old) options.report->renamed.push_back({name, old});
  }
  if (const Value* metadata = state.as_dict().attribute("_metadata");
      metadata && metadata->is_dict())
    out.as_dict().set_attribute("_metadata", rename_metadata(*metadata, parents, options));
  return out;
}

}  // namespace taper::nn
