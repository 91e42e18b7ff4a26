#include "glob.h"

#include <algorithm>
#include <utility>

#include "usage_error.h"
#include "words.h"

namespace taper::cli {

bool matches_name_or_module(std::string_view pattern, std::string_view name) {
  if (glob_matches(pattern, name)) return true;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos;
       dot = name.find('.', dot + 1))
    if (glob_matches(pattern, name.substr(0, dot))) return true;
  return false;
}

void Renames::add_glob(const std::string& rule) {
  const std::size_t equals = rule.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("--rename: expected OLD=NEW, got '" + printable(rule) + "'");
  Rule r{{}, rule.substr(0, equals), rule.substr(equals + 1)};
  if (std::count(r.to.begin(), r.to.end(), '*') > std::count(r.from.begin(), r.from.end(), '*'))
    throw UsageError("--rename " + printable(rule) + ": NEW must not contain more * than OLD");
  rules_.push_back(std::move(r));
}

void Renames::add_regex(const std::string& rule) {
  const std::size_t equals = rule.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("--rename-regex: expected OLD=NEW, got '" + printable(rule) + "'");
  Rule r{Pattern::compile(rule.substr(0, equals)), rule.substr(0, equals), rule.substr(equals + 1)};
  if (!r.pattern)
    throw UsageError("--rename-regex: '" + printable(r.from) +
                     "' is not a POSIX extended regular expression");
  rules_.push_back(std::move(r));
}

std::string Renames::operator()(std::string name) const {
  for (const Rule& r : rules_) {
    if (r.pattern) {
      name = r.pattern->replace(name, r.to);
      continue;
    }
    if (auto renamed = taper::glob_replace(name, r.from, r.to)) name = std::move(*renamed);
  }
  return name;
}

}  // namespace taper::cli
