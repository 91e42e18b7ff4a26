// Options, results and contexts of state_dict and load_state_dict.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/dict.h"
#include "taper/core/shared_function.h"

namespace TAPER_API taper {
namespace nn {

/// Options of state_dict.
struct StateDictOptions {
  Value destination{};        ///< dict to fill; default: a new OrderedDict with `_metadata`
  std::string_view prefix{};  ///< prepended to every key
  bool keep_vars = false;     ///< stores the parameters themselves instead of detached aliases
};

struct LoadReport;

/// Options of load_state_dict. `strict` and `assign` are those of PyTorch; the others are specific
/// to Taper.
struct LoadStateDictOptions {
  bool strict = true;   ///< treats missing and unexpected keys as errors
  bool assign = false;  ///< assigns the tensors of the state dict instead of copying their elements
  /// If true, an error leaves the module unchanged. If false, entries that were loaded before the
  /// error remain loaded, as in PyTorch.
  bool all_or_nothing = true;
  /// If true, an entry with a different shape is skipped and reported instead of being an error.
  bool ignore_mismatched_shapes = false;
  /// Prefixes that are removed from the beginning of every key, repeatedly: {"module.",
  /// "_orig_mod."}.
  std::vector<std::string> strip_prefixes{};
  /// Renames keys by patterns; the first pattern that matches an entire key is applied. `*` matches
  /// any text, `?` matches one character, and `[a-c]` and `[!a-c]` match one character that is or
  /// is not in the set. The n-th `*` of the new name is replaced with the text that the n-th `*` of
  /// the pattern matches: {{"backbone.*", "*"}}.
  std::vector<std::pair<std::string, std::string>> rename_patterns{};
  /// Renames keys by a function, applied after the patterns. An empty result drops the entry.
  SharedFunction<std::string(const std::string& key)> rename{};
  LoadReport* report = nullptr;  ///< receives the outcome of each entry
};

/// Result of load_state_dict; prints as in Python.
struct IncompatibleKeys {
  std::vector<std::string> missing_keys{}, unexpected_keys{};
  /// Returns true if all keys matched.
  bool empty() const { return missing_keys.empty() && unexpected_keys.empty(); }
  /// Returns Python's printed form.
  std::string str() const;
};
/// Writes `keys.str()`.
std::ostream& operator<<(std::ostream& out, const IncompatibleKeys& keys);

/// Outcome of each entry of a state dict, and the keys of the module that were not loaded.
struct LoadReport {
  /// Key with an explanation.
  struct Note {
    std::string key, text;
  };
  std::vector<std::string> loaded;     ///< keys of the module, in the order of loading
  std::vector<Note> cast;              ///< loaded with conversion: "float64 to float32"
  std::vector<Note> renamed;           ///< renamed by the options: the original key
  std::vector<Note> skipped;           ///< not loaded: the reason
  std::vector<std::string> untouched;  ///< keys of the module that were not loaded
  /// Returns a summary, "3 loaded (1 cast, 2 renamed), 1 skipped, 2 unchanged", followed by one
  /// line for each entry that was cast, renamed or skipped and for each key that is unchanged.
  std::string str() const;
};
/// Writes `report.str()`.
std::ostream& operator<<(std::ostream& out, const LoadReport& report);

/// Context of save_to_state_dict for one module.
struct SaveState {
  Dict& destination;
  std::string_view prefix;
  bool keep_vars;
};

class StateDictLoader;

/// Context of load_from_state_dict and of load pre-hooks for one module: the arguments of Python's
/// _load_from_state_dict.
struct LoadState {
  Dict& state;  ///< copy of the entries under `prefix`; entries may be added and removed
  std::string_view prefix;
  const Value& metadata;  ///< dict of this module in `_metadata`, such as {'version': 1}
  std::vector<std::string>&missing_keys, &unexpected_keys, &errors;
  StateDictLoader& loader;  ///< assigns the tensors

  /// Returns `version` of the metadata; empty if the metadata does not have it.
  std::optional<std::int64_t> version() const;
  /// Returns `name` with the prefix of the module.
  std::string key(std::string_view name) const;
};

}  // namespace nn
}  // namespace taper
