// Patterns over names of tensors.
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
/// Whether the pattern matches a name or a module it lies in: "layer1" matches "layer1.0.weight".
bool selects(std::string_view pattern, std::string_view name);

/// One name for another. A rule `OLD=NEW` is a glob for the whole name, and each `*` of NEW stands
/// for what the `*` of OLD in the same place matched; a rule of regular expressions is searched for
/// in the name as `sed` would.
class Renames {
 public:
  void add_glob(const std::string& rule);   ///< throws UsageError
  void add_regex(const std::string& rule);  ///< throws UsageError
  bool empty() const { return rules_.empty(); }
  /// The name after all rules, one after the other.
  std::string operator()(std::string name) const;

 private:
  struct Rule {
    std::optional<Pattern> pattern;  ///< of a rule of regular expressions
    std::string from, to;
  };
  std::vector<Rule> rules_;
};

}  // namespace taper::cli
