#include "taper/data/random_split.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check.h"
#include "data/draw.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"

namespace taper::data::detail {
namespace {

[[noreturn]] void fail_sum() {
  fail<ValueError>("Sum of input lengths does not equal the length of the input dataset!");
}

}  // namespace

std::vector<std::int64_t> part_sizes(std::int64_t size, std::span<const std::int64_t> lengths) {
  std::int64_t remaining = size;
  for (const std::int64_t length : lengths) {
    if (length < 0) fail<ValueError>("random_split: lengths must not be negative: got {}", length);
    if (length > remaining) fail_sum();
    remaining -= length;
  }
  if (remaining != 0) fail_sum();
  return {lengths.begin(), lengths.end()};
}

std::vector<std::int64_t> part_sizes(std::int64_t size, std::span<const double> fractions) {
  const double sum = std::accumulate(fractions.begin(), fractions.end(), 0.0);
  // The tolerance is that of math.isclose.
  if (!(sum <= 1 && 1 - sum <= 1e-9)) fail_sum();
  std::vector<std::int64_t> sizes;
  std::int64_t remaining = size;
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    if (!(fractions[i] >= 0 && fractions[i] <= 1))
      fail<ValueError>("Fraction at index {} is not between 0 and 1", i);
    sizes.push_back(
        static_cast<std::int64_t>(std::floor(static_cast<double>(size) * fractions[i])));
    remaining -= sizes.back();
  }
  for (std::size_t i = 0; remaining > 0; i = (i + 1) % sizes.size(), --remaining) ++sizes[i];
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] == 0)
      warn("Length of split at index " + std::to_string(i) +
           " is 0. This might result in an empty dataset.");
  return sizes;
}

std::vector<std::vector<std::int64_t>> split_indices(std::span<const std::int64_t> sizes,
                                                     const std::optional<Generator>& generator) {
  const std::int64_t size = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const Tensor order = randperm(size, {}, generator_or_default(generator));
  const std::int64_t* at = order.const_data_ptr<std::int64_t>();
  std::vector<std::vector<std::int64_t>> parts;
  for (const std::int64_t n : sizes) {
    parts.emplace_back(at, at + n);
    at += n;
  }
  return parts;
}

}  // namespace taper::data::detail
