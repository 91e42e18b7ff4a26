// Selection and renaming of tensors by patterns.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/glob.h"
#include "pattern.h"

namespace taper::cli {

using taper::glob_matches;
/// Returns true if the glob matches the name or a module that contains it: "layer1" selects
/// "layer1.0.weight".
bool matches_name_or_module(std::string_view pattern, std::string_view name);

/// Rules `OLD=NEW` that rename tensors. In a glob rule, OLD matches the whole name, and each `*` of
/// NEW is replaced with the text that the corresponding `*` of OLD matched. In a regular expression
/// rule, every match of OLD in the name is replaced.
class Renames {
 public:
  void add_glob(const std::string& rule);   ///< Adds a glob rule. Throws UsageError.
  void add_regex(const std::string& rule);  ///< Adds a regular expression. Throws UsageError.
  bool empty() const { return rules_.empty(); }
  /// Returns the name after applying all rules in the order in which they were added.
  std::string operator()(std::string name) const;

 private:
  struct Rule {
    std::optional<Pattern> pattern;  ///< set in regular expression rules
    std::string from, to;
  };
  std::vector<Rule> rules_;
};

}  // namespace taper::cli
