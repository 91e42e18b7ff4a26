// Saving and loading the state of modules.
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
#include "taper/core/function.h"

namespace TAPER_API taper {
namespace nn {

struct StateDictOptions {
  Value destination{};        ///< a dict to fill; default: a new OrderedDict with `_metadata`
  std::string_view prefix{};  ///< put before every key, as it is
  bool keep_vars = false;     ///< the parameters themselves instead of detached aliases
};

struct LoadReport;

/// How load_state_dict goes about it. `strict` and `assign` are Python's, the others are Taper's.
struct LoadStateDictOptions {
  bool strict = true;   ///< missing and unexpected keys are errors
  bool assign = false;  ///< the tensors of the state dict become the module's, nothing is copied
  /// On an error the module stays as it was. False: what was loaded before the error stays loaded,
  /// as in Python.
  bool all_or_nothing = true;
  /// An entry of another shape is passed over and reported instead of being an error.
  bool ignore_mismatched_shapes = false;
  /// Taken off the beginning of every key as long as one of them is there: {"module.",
  /// "_orig_mod."}.
  std::vector<std::string> strip_prefixes{};
  /// New names by pattern: the first that fits a whole key renames it. A `*` stands for any text,
  /// which the `*` of the same number in the new name gives again: {{"backbone.*", "*"}}.
  std::vector<std::pair<std::string, std::string>> rename_patterns{};
  /// New names by function, after the patterns. An empty one drops the entry.
  Function<std::string(const std::string& key)> rename{};
  LoadReport* report = nullptr;  ///< told what became of each entry
};

/// What load_state_dict found; prints as in Python.
struct IncompatibleKeys {
  std::vector<std::string> missing_keys{}, unexpected_keys{};
  bool empty() const { return missing_keys.empty() && unexpected_keys.empty(); }
  std::string str() const;
};
std::ostream& operator<<(std::ostream& out, const IncompatibleKeys& keys);

/// What became of each entry of a state dict, and what of the module it left alone.
struct LoadReport {
  struct Note {
    std::string key, text;
  };
  std::vector<std::string> loaded{};  ///< keys of the module, in the order of loading
  std::vector<Note> cast{};           ///< of those, converted: "float64 to float32"
  std::vector<Note> renamed{};        ///< by the options: the key as it was
  std::vector<Note> skipped{};        ///< not loaded, and why
  std::vector<std::string> left{};    ///< keys of the module that nothing was loaded into
  /// "3 loaded (1 cast, 2 renamed), 1 skipped, 2 left", and a line for each that is not plainly
  /// loaded.
  std::string str() const;
};
std::ostream& operator<<(std::ostream& out, const LoadReport& report);

/// What save_to_state_dict of one module works on.
struct SaveState {
  Dict& destination;
  std::string_view prefix;
  bool keep_vars;
};

class Loader;

/// What load_from_state_dict of one module works on: arguments of Python's _load_from_state_dict
/// and of load pre-hooks.
struct LoadState {
  Dict& state;  ///< the entries under `prefix`, a copy: entries may be added and removed
  std::string_view prefix;
  const Value& metadata;  ///< a dict: this module's in the file, such as {'version': 1}
  std::vector<std::string>&missing_keys, &unexpected_keys, &errors;
  Loader& loader;  ///< puts tensors in place

  /// `version` of the metadata; none for a file without.
  std::optional<std::int64_t> version() const;
  std::string key(std::string_view name) const;
};

}  // namespace nn
}  // namespace taper
