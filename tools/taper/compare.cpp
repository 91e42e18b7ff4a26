#include "compare.h"
#include "core/element_reader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace taper::cli {

using taper::Tensor;

namespace {

constexpr std::size_t kChunkSize = 4096;

Comparison::Changed compare_tensors(std::size_t i, const TensorItem& x, std::size_t j,
                                    const TensorItem& y, const taper::Tolerance& tolerance) {
  Comparison::Changed c{i, j};
  c.shape = !(x.shape == y.shape);
  c.dtype = x.dtype != y.dtype;
  if (c.shape) return c;
  // Tensors of an unsupported dtype can only be compared by their bytes.
  const bool foreign = x.foreign || y.foreign;
  if (!foreign || (!c.dtype && x.tensor.shape() == y.tensor.shape()))
    c.distance =
        taper::element_difference(x.tensor, y.tensor, foreign ? taper::Tolerance{} : tolerance);
  else
    c.distance.compared = false;
  return c;
}

int rank(const Comparison::Changed& c) { return c.shape ? 0 : c.dtype ? 1 : 2; }

bool same_value(const taper::Value& a, const taper::Value& b) {
  const bool nans =
      a.is_float() && b.is_float() && std::isnan(a.as_double()) && std::isnan(b.as_double());
  return nans || a == b;
}

template <class Item>
void compare_classes(const std::vector<Item>& a, const std::vector<Item>& b, Comparison& found) {
  std::map<std::string, std::string> there;
  for (const Item& item : b) there[item.name] = item.class_name;
  for (const Item& item : a) {
    const auto other = there.find(item.name);
    const std::string class_name = other == there.end() ? "" : other->second;
    if (class_name != item.class_name)
      found.values.push_back({item.name, item.class_name, class_name});
    if (other != there.end()) there.erase(other);
  }
  for (const auto& [name, class_name] : there) found.values.push_back({name, "", class_name});
}

void compare_values(const Contents& a, const Contents& b, Comparison& found) {
  std::map<std::string, const OtherItem*> there;
  for (const OtherItem& v : b.others) there[v.name] = &v;
  std::map<std::string, const OtherItem*> here;
  for (const OtherItem& v : a.others) {
    here[v.name] = &v;
    const auto other = there.find(v.name);
    if (other == there.end())
      found.values.push_back({v.name, brief(v.value), ""});
    else if (!same_value(v.value, other->second->value))
      found.values.push_back({v.name, brief(v.value), brief(other->second->value)});
  }
  for (const OtherItem& v : b.others)
    if (!here.contains(v.name)) found.values.push_back({v.name, "", brief(v.value)});
  compare_classes(a.opaques, b.opaques, found);
  // State dicts do not store the classes of modules.
  if (!a.modules.empty() && !b.modules.empty()) compare_classes(a.modules, b.modules, found);
}

}  // namespace

std::uint64_t fingerprint(const Tensor& t) {
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15;
  std::uint64_t hash = static_cast<std::uint64_t>(t.dtype()) + 1;
  const auto mix = [&](std::uint64_t v) {
    hash = (hash ^ v) * kPrime;
    hash ^= hash >> 29;
  };
  for (const std::int64_t n : t.shape()) mix(static_cast<std::uint64_t>(n));
  const taper::DistinctElements d = taper::distinct_elements(t);
  if (taper::is_heavily_overlapping(d.tensor)) return hash;
  if (t.is_floating_point()) {
    std::vector<double> piece(kChunkSize);
    taper::ElementReader<double> elements(d.tensor);
    for (std::size_t n; (n = elements.read(piece)) > 0;)
      for (std::size_t i = 0; i < n; ++i) mix(std::bit_cast<std::uint64_t>(piece[i]));
  } else {
    std::vector<std::int64_t> piece(kChunkSize);
    taper::ElementReader<std::int64_t> elements(d.tensor);
    for (std::size_t n; (n = elements.read(piece)) > 0;)
      for (std::size_t i = 0; i < n; ++i) mix(static_cast<std::uint64_t>(piece[i]));
  }
  return hash;
}

Comparison compare(const Contents& a, const Contents& b, const taper::Tolerance& tolerance) {
  Comparison found;
  std::map<std::string, std::size_t> there;
  for (std::size_t j = 0; j < b.tensors.size(); ++j) there.emplace(b.tensors[j].name, j);
  std::vector<bool> is_matched(b.tensors.size(), false);
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    const TensorItem& x = a.tensors[i];
    const auto other = there.find(x.name);
    if (other == there.end()) {
      found.only_first.push_back(i);
      continue;
    }
    ++found.common;
    is_matched[other->second] = true;
    Comparison::Changed c =
        compare_tensors(i, x, other->second, b.tensors[other->second], tolerance);
    if (c.shape || c.dtype || c.distance.num_different || !c.distance.compared)
      found.changed.push_back(std::move(c));
    else
      ++found.equal;
  }
  for (std::size_t j = 0; j < is_matched.size(); ++j)
    if (!is_matched[j]) found.only_second.push_back(j);
  std::stable_sort(found.changed.begin(), found.changed.end(), [](const auto& x, const auto& y) {
    return rank(x) != rank(y) ? rank(x) < rank(y)
                              : x.distance.max_abs_diff > y.distance.max_abs_diff;
  });
  compare_values(a, b, found);
  found.renames = guess_renames(a, found.only_first, b, found.only_second);
  return found;
}

namespace {

/// Returns the similarity of the last 128 characters of two names: the length of their longest
/// common subsequence plus twice the length of their common suffix, relative to the sum of their
/// lengths.
double name_similarity(const std::string& a, const std::string& b) {
  constexpr std::size_t kMaxLength = 128;
  const std::size_t m = std::min(a.size(), kMaxLength), n = std::min(b.size(), kMaxLength);
  const std::string_view x = std::string_view(a).substr(a.size() - m),
                         y = std::string_view(b).substr(b.size() - n);
  std::size_t suffix = 0;
  while (suffix < m && suffix < n && x[m - 1 - suffix] == y[n - 1 - suffix]) ++suffix;
  std::vector<std::size_t> row(n + 1, 0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0, diagonal = 0; j < n; ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = x[i] == y[j] ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  return static_cast<double>(row[n] + 2 * suffix) /
         static_cast<double>(std::max<std::size_t>(1, m + n));
}

}  // namespace

std::vector<Comparison::Rename> guess_renames(const Contents& a,
                                              const std::vector<std::size_t>& only_a,
                                              const Contents& b,
                                              const std::vector<std::size_t>& only_b) {
  struct Pair {
    double name_similarity;
    std::size_t i, j;
    bool same;
  };
  // Maximum number of pairs per shape and dtype. If there are more, only tensors at nearby
  // positions in the files are compared.
  constexpr std::size_t kMaxPairs = 4096;
  constexpr std::size_t kMaxOffset = 4;
  std::map<std::size_t, std::uint64_t> hashes_a, hashes_b;
  const auto hash = [](auto& hashes, const Contents& c, std::size_t i) {
    const auto [found, is_new] = hashes.emplace(i, 0);
    if (is_new) found->second = fingerprint(c.tensors[i].tensor);
    return found->second;
  };
  std::vector<Pair> pairs;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::vector<std::size_t>> kinds;
  const auto kind = [](const TensorItem& t) {
    return std::pair(t.dtype, std::vector<std::int64_t>(t.shape.begin(), t.shape.end()));
  };
  for (const std::size_t j : only_b) kinds[kind(b.tensors[j])].push_back(j);
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::size_t> counts, seen;
  for (const std::size_t i : only_a) ++counts[kind(a.tensors[i])];
  for (const std::size_t i : only_a) {
    const TensorItem& x = a.tensors[i];
    const auto found = kinds.find(kind(x));
    if (found == kinds.end()) continue;
    const std::vector<std::size_t>& candidates = found->second;
    const std::size_t place = seen[found->first]++;
    const bool all = candidates.size() * counts[found->first] <= kMaxPairs;
    const std::size_t begin =
                          all ? 0
                              : std::min(candidates.size(), place - std::min(place, kMaxOffset)),
                      end = all ? candidates.size()
                                : std::min(candidates.size(), place + kMaxOffset + 1);
    for (std::size_t n = begin; n < end; ++n) {
      const std::size_t j = candidates[n];
      const bool same =
          hash(hashes_a, a, i) == hash(hashes_b, b, j) &&
          taper::element_difference(x.tensor, b.tensors[j].tensor, {}).num_different == 0;
      pairs.push_back({name_similarity(x.name, b.tensors[j].name), i, j, same});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) {
    return x.same != y.same ? x.same : x.name_similarity > y.name_similarity;
  });
  constexpr double kMinSimilarity = 0.5;  // names with a smaller similarity are not paired
  std::vector<Comparison::Rename> renames;
  std::map<std::size_t, bool> is_paired_a, is_paired_b;
  for (const Pair& p : pairs) {
    if (is_paired_a[p.i] || is_paired_b[p.j] || (!p.same && p.name_similarity < kMinSimilarity))
      continue;
    is_paired_a[p.i] = is_paired_b[p.j] = true;
    renames.push_back({p.i, p.j, p.same});
  }
  std::sort(renames.begin(), renames.end(),
            [](const auto& x, const auto& y) { return x.first < y.first; });
  return renames;
}

}  // namespace taper::cli
