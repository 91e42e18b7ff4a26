#include "pattern.h"

#include <regex.h>

#include <array>

namespace taper::cli {

struct Pattern::CompiledRegex {
  regex_t regex{};
  bool is_valid;
  explicit CompiledRegex(const std::string& text)
      : is_valid(text.find('\0') == std::string::npos &&
                 regcomp(&regex, text.c_str(), REG_EXTENDED) == 0) {}
  ~CompiledRegex() {
    if (is_valid) regfree(&regex);
  }
  CompiledRegex(const CompiledRegex&) = delete;
  CompiledRegex& operator=(const CompiledRegex&) = delete;
};

std::optional<Pattern> Pattern::compile(const std::string& text) {
  auto compiled = std::make_shared<const CompiledRegex>(text);
  if (!compiled->is_valid) return {};
  return Pattern(std::move(compiled));
}

std::string Pattern::replace(const std::string& text, const std::string& by) const {
  std::array<regmatch_t, 10> groups;
  std::string result;
  std::size_t at = 0;
  while (at <= text.size() && regexec(&compiled_->regex, text.c_str() + at, groups.size(),
                                      groups.data(), at > 0 ? REG_NOTBOL : 0) == 0) {
    const auto group_text = [&](std::size_t group) {
      const regmatch_t& g = groups[group];
      if (g.rm_so < 0) return std::string();
      return text.substr(at + static_cast<std::size_t>(g.rm_so),
                         static_cast<std::size_t>(g.rm_eo - g.rm_so));
    };
    const auto begin = static_cast<std::size_t>(groups[0].rm_so),
               end = static_cast<std::size_t>(groups[0].rm_eo);
    result += text.substr(at, begin);
    for (std::size_t i = 0; i < by.size(); ++i) {
      const char next = by[i] == '$' && i + 1 < by.size() ? by[i + 1] : '\0';
      if (next >= '1' && next <= '9')
        result += group_text(static_cast<std::size_t>(next - '0')), ++i;
      else if (next == '&')
        result += group_text(0), ++i;
      else if (next == '$')
        result += '$', ++i;
      else
        result += by[i];
    }
    // An empty match must advance by one character, which is copied.
    if (end == begin && at + end < text.size()) result += text[at + end];
    at += end == begin ? end + 1 : end;
  }
  if (at < text.size()) result += text.substr(at);
  return result;
}

}  // namespace taper::cli
