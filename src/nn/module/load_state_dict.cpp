// load_state_dict: arguments, reports and printed results.
#include <ostream>

#include "core/check.h"
#include "nn/module/load/loader.h"

namespace taper::nn {

IncompatibleKeys Module::load_state_dict(const Value& state, const LoadStateDictOptions& options) {
  if (!state.is_dict())
    fail<TypeError>("Expected state_dict to be dict-like, got {}.", state.class_text());
  if (options.report) *options.report = {};
  IncompatibleKeys keys;
  StateDictLoader(*this, state, options, keys).run();
  return keys;
}

void Module::load_from_state_dict(LoadState& state) { state.loader.load_module(*this, state); }

std::optional<std::int64_t> LoadState::version() const {
  const Value* version = metadata.as_dict().find("version");
  if (!version || !version->is_int()) return std::nullopt;
  return version->as_int();
}

std::string LoadState::key(std::string_view name) const {
  std::string key(prefix);
  return key += name;
}

std::string LoadReport::str() const {
  std::string out = std::to_string(loaded.size()) + " loaded";
  if (!cast.empty() || !renamed.empty())
    out += " (" + std::to_string(cast.size()) + " cast, " + std::to_string(renamed.size()) +
           " renamed)";
  out += ", " + std::to_string(skipped.size()) + " skipped, " + std::to_string(untouched.size()) +
         " unchanged";
  for (const Note& n : cast) out += "\n  cast " + n.key + ": " + n.text;
  for (const Note& n : renamed) out += "\n  renamed " + n.key + ": was " + n.text;
  for (const Note& n : skipped) out += "\n  skipped " + n.key + ": " + n.text;
  for (const std::string& key : untouched) out += "\n  unchanged " + key;
  return out;
}

std::ostream& operator<<(std::ostream& out, const LoadReport& report) {
  return out << report.str();
}

}  // namespace taper::nn
