// Saving and loading the state of modules.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/dict.h"

namespace taper::nn {

struct StateDictOptions {
  Value destination{};        ///< a dict to fill; default: a new OrderedDict with `_metadata`
  std::string_view prefix{};  ///< put before every key, as it is
  bool keep_vars = false;     ///< the parameters themselves instead of detached aliases
};

struct LoadOptions {
  bool strict = true;  ///< missing and unexpected keys are errors
};

/// What load_state_dict found; prints as in Python.
struct IncompatibleKeys {
  std::vector<std::string> missing_keys{}, unexpected_keys{};
  bool empty() const { return missing_keys.empty() && unexpected_keys.empty(); }
  std::string str() const;
};
std::ostream& operator<<(std::ostream& out, const IncompatibleKeys& keys);

/// What save_to_state_dict of one module works on.
struct SaveState {
  Dict& destination;
  std::string_view prefix;
  bool keep_vars;
};

/// What load_from_state_dict of one module works on. Elements are copied only after all modules
/// were looked at and nothing was wrong.
struct LoadState {
  Dict& state;  ///< a copy of the caller's: entries may be added and removed
  std::string_view prefix;
  const Value& metadata;  ///< of this module in the file, such as {'version': 1}; none if missing
  std::vector<std::string>&missing_keys, &unexpected_keys, &errors;
  /// Copies `source` into `target` when all is well.
  struct Copy {
    std::string key;
    Tensor target, source;
  };
  std::vector<Copy>& copies;

  /// `version` of the metadata; none for a file without.
  std::optional<std::int64_t> version() const;
  std::string key(std::string_view name) const;
};

}  // namespace taper::nn
