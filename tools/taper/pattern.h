// Pattern: regular expressions for names.
#pragma once
#include <memory>
#include <optional>
#include <string>

namespace taper::cli {

/// POSIX extended regular expression, with \w, \s and \b. Uses the C library, because the recursion
/// depth of <regex> grows with the length of the text.
class Pattern {
 public:
  /// Compiles a pattern. Returns nullopt if `text` is not a regular expression.
  static std::optional<Pattern> compile(const std::string& text);
  /// Replaces every match in `text` with `by`, in which $1 to $9 are groups, $& is the match and $$
  /// is a dollar sign.
  std::string replace(const std::string& text, const std::string& by) const;

 private:
  struct CompiledRegex;
  explicit Pattern(std::shared_ptr<const CompiledRegex> compiled)
      : compiled_(std::move(compiled)) {}
  std::shared_ptr<const CompiledRegex> compiled_;
};

}  // namespace taper::cli
