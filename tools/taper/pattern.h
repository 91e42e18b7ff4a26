// Regular expressions over names, and what replaces their matches.
#pragma once
#include <memory>
#include <optional>
#include <string>

namespace taper::cli {

/// An extended regular expression of POSIX, with \w, \s and \b. The C library's, because those of
/// <regex> recurse with the length of the text.
class Pattern {
 public:
  /// None for a text that is no regular expression.
  static std::optional<Pattern> of(const std::string& text);
  /// The text with each match replaced: $1 to $9 stand for groups, $& for the match, $$ for $.
  std::string replace(const std::string& text, const std::string& by) const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace taper::cli
