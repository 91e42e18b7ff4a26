#include "core/glob.h"

#include <vector>

namespace taper {
namespace {

/// Returns the index after the `]` of the set that begins at `at`; npos if it is not closed.
std::size_t find_set_end(std::string_view pattern, std::size_t at) {
  std::size_t i = at + 1;
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) ++i;
  if (i < pattern.size() && pattern[i] == ']') ++i;
  const std::size_t end = pattern.find(']', i);
  return end == std::string_view::npos ? end : end + 1;
}

bool set_contains(std::string_view set, char c) {
  bool negated = false, found = false;
  set = set.substr(1, set.size() - 2);
  if (!set.empty() && (set[0] == '!' || set[0] == '^')) negated = true, set.remove_prefix(1);
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found = found || (set[i] <= c && c <= set[i + 2]);
      i += 2;
    } else {
      found = found || set[i] == c;
    }
  }
  return found != negated;
}

/// Returns true if the pattern `p` matches all of `s`. Matches from left to right. Each star
/// matches as little text as possible. On a mismatch only the last star is extended: the first
/// occurrence of the text between two stars leaves the most text for the rest of the pattern.
/// `stars` receives the text of each star.
bool match(std::string_view p, std::string_view s, std::vector<std::string_view>& stars) {
  std::size_t i = 0, j = 0, star = std::string_view::npos;
  while (j < s.size()) {
    const std::size_t set =
        i < p.size() && p[i] == '[' ? find_set_end(p, i) : std::string_view::npos;
    if (i < p.size() && p[i] == '*') {
      stars.push_back(s.substr(j, 0));
      star = i++;
    } else if (set != std::string_view::npos && set_contains(p.substr(i, set - i), s[j])) {
      i = set, ++j;
    } else if (i < p.size() && set == std::string_view::npos && (p[i] == '?' || p[i] == s[j])) {
      ++i, ++j;
    } else if (star != std::string_view::npos) {
      std::string_view& last = stars.back();
      const auto begin = static_cast<std::size_t>(last.data() - s.data());
      last = s.substr(begin, last.size() + 1);
      i = star + 1;
      j = begin + last.size();
    } else {
      return false;
    }
  }
  for (; i < p.size() && p[i] == '*'; ++i) stars.push_back(s.substr(j));
  return i == p.size();
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::vector<std::string_view> stars;
  return match(pattern, text, stars);
}

std::optional<std::string> glob_replace(std::string_view text, std::string_view from,
                                        std::string_view to) {
  std::vector<std::string_view> stars;
  if (!match(from, text, stars)) return std::nullopt;
  std::string out;
  std::size_t next = 0;
  for (const char c : to)
    if (c != '*')
      out += c;
    else if (next < stars.size())
      out += stars[next++];
  return out;
}

}  // namespace taper
