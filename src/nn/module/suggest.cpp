#include "nn/module/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/check.h"

namespace taper::nn {
namespace {

/// Returns the edit distance: number of insertions, deletions and substitutions.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitution_cost = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitution_cost, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const std::string* nearest_name(std::string_view wanted, const std::vector<std::string>& names) {
  const std::string* nearest = nullptr;
  std::size_t min = wanted.size() / 4 + 1;  // a larger distance is unlikely to be a typo
  for (const std::string& name : names) {
    const std::size_t d = edit_distance(wanted, name);
    if (d > 0 && d < name.size() && d <= min && (!nearest || d < min)) nearest = &name, min = d;
  }
  return nearest;
}

std::string did_you_mean(std::string_view what, std::string_view wanted,
                         const std::vector<std::string>& names) {
  const std::string* const nearest = nearest_name(wanted, names);
  if (!nearest) return {};
  return format_message("\n  no {} '{}': did you mean '{}'?", what, wanted, *nearest);
}

}  // namespace taper::nn
