#include "taper/data/combine.h"

#include <algorithm>

#include "core/check.h"

namespace taper::data::detail {

std::pair<std::size_t, std::int64_t> find_part(std::int64_t i,
                                               const std::vector<std::int64_t>& ends) {
  i = wrap_index(i, ends.empty() ? 0 : ends.back());
  const auto end = std::upper_bound(ends.begin(), ends.end(), i);
  const auto part = static_cast<std::size_t>(end - ends.begin());
  return {part, part == 0 ? i : i - ends[part - 1]};
}

void check_stacked_sizes(const std::vector<std::int64_t>& sizes) {
  for (const std::int64_t size : sizes)
    if (size != sizes[0])
      fail<ValueError>("StackDataset: Size mismatch between datasets: got {} and {} examples",
                       sizes[0], size);
}

void check_stacked_names(const std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::find(names.begin(), name, *name) != name)
      fail<ValueError>("StackDataset: two datasets have the name '{}'", *name);
}

}  // namespace taper::data::detail
