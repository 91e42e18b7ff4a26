#include "glob.h"

#include <algorithm>

#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

/// Where the set that begins at `at` ends: behind its `]`; npos if it has none.
std::size_t end_of_set(std::string_view pattern, std::size_t at) {
  std::size_t i = at + 1;
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) ++i;
  if (i < pattern.size() && pattern[i] == ']') ++i;
  const std::size_t end = pattern.find(']', i);
  return end == std::string_view::npos ? end : end + 1;
}

bool in_set(std::string_view set, char c) {
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

/// Matches with a single return to the last star, in bounded time. `stars` gets what each matched.
bool match(std::string_view p, std::string_view s, std::vector<std::string_view>* stars) {
  std::vector<std::pair<std::size_t, std::size_t>> begun;  // of each star: begin and end in s
  std::size_t i = 0, j = 0, star = std::string_view::npos;
  while (j < s.size()) {
    const std::size_t set = i < p.size() && p[i] == '[' ? end_of_set(p, i) : std::string_view::npos;
    if (i < p.size() && p[i] == '*') {
      begun.emplace_back(j, j);
      star = i++;
    } else if (set != std::string_view::npos && in_set(p.substr(i, set - i), s[j])) {
      i = set, ++j;
    } else if (i < p.size() && set == std::string_view::npos && (p[i] == '?' || p[i] == s[j])) {
      ++i, ++j;
    } else if (star != std::string_view::npos) {
      i = star + 1;
      j = ++begun.back().second;
    } else {
      return false;
    }
  }
  for (; i < p.size() && p[i] == '*'; ++i) begun.emplace_back(j, j);
  if (stars)
    for (const auto& [begin, end] : begun) stars->push_back(s.substr(begin, end - begin));
  return i == p.size();
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  return match(pattern, text, nullptr);
}

bool selects(std::string_view pattern, std::string_view name) {
  if (match(pattern, name, nullptr)) return true;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos;
       dot = name.find('.', dot + 1))
    if (match(pattern, name.substr(0, dot), nullptr)) return true;
  return false;
}

void Renames::add_glob(const std::string& rule) {
  const std::size_t equals = rule.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("--rename takes OLD=NEW, got '" + printable(rule) + "'");
  Rule r{{}, rule.substr(0, equals), rule.substr(equals + 1)};
  if (std::count(r.to.begin(), r.to.end(), '*') > std::count(r.from.begin(), r.from.end(), '*'))
    throw UsageError("--rename " + printable(rule) +
                     ": there are more * in the new name than in the old");
  rules_.push_back(std::move(r));
}

void Renames::add_regex(const std::string& rule) {
  const std::size_t equals = rule.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("--rename-regex takes OLD=NEW, got '" + printable(rule) + "'");
  Rule r{Pattern::of(rule.substr(0, equals)), rule.substr(0, equals), rule.substr(equals + 1)};
  if (!r.pattern)
    throw UsageError("--rename-regex: '" + printable(r.from) +
                     "' is no extended regular expression (POSIX)");
  rules_.push_back(std::move(r));
}

std::string Renames::operator()(std::string name) const {
  for (const Rule& r : rules_) {
    if (r.pattern) {
      name = r.pattern->replace(name, r.to);
      continue;
    }
    std::vector<std::string_view> stars;
    if (!match(r.from, name, &stars)) continue;
    std::string renamed;
    std::size_t next = 0;
    for (const char c : r.to)
      if (c == '*')
        renamed += stars[next++];
      else
        renamed += c;
    name = std::move(renamed);
  }
  return name;
}

}  // namespace taper::cli
