#include "table_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/csv.h"
#include "words.h"

namespace taper::cli {
namespace {

/// Indices of the rows for training and for testing.
struct Rows {
  std::vector<std::int64_t> train, test;
};

Rows divide(const taper::Tensor& labels, double test_share) {
  Rows rows;
  std::map<std::int64_t, std::int64_t> seen;
  for (std::int64_t i = 0; i < labels.size(0); ++i) {
    const std::int64_t n = seen[labels[i].item<std::int64_t>()]++;
    (training::is_test_example(n, test_share) ? rows.test : rows.train).push_back(i);
  }
  return rows;
}

}  // namespace

bool is_table(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".csv.gz");
}

training::ImageSet read_table_set(const std::string& path, const std::string& target,
                                  double test_share) {
  const data::CsvTable table = data::read_csv(path);
  std::vector<std::string> features = table.names();
  const std::string name = target.empty() && !features.empty() ? features.back() : target;
  const auto found = std::find(features.begin(), features.end(), name);
  if (found == features.end() || features.size() < 2)
    throw taper::ValueError(fmt::format("{}: column '{}' does not exist, or is the only one",
                                        printable(path), printable(name)));
  features.erase(found);
  const data::CsvColumn& column = table[name];
  if (!column.is_string() && taper::is_floating_point(column.tensor().dtype()))
    throw taper::ValueError(
        fmt::format("{}: column '{}': expected classes, which are strings or integers, got numbers",
                    printable(path), printable(name)));

  training::ImageSet set;
  set.about = "rows of a table";
  if (column.missing() > 0)
    throw taper::ValueError(fmt::format("{}: column '{}': {} missing values", printable(path),
                                        printable(name), column.missing()));
  const auto [labels, classes] = column.factorize();
  set.classes = classes;
  const Rows rows = divide(labels, test_share);
  if (rows.train.size() < 2 || rows.test.empty())
    throw taper::ValueError(printable(path) + ": too few rows to split off a test set");
  const taper::Tensor all = table.tensor(features, taper::float32);
  const taper::Tensor train = tensor(rows.train), test = tensor(rows.test);
  const taper::Tensor some = all.index_select(0, train);
  if (all.isnan().any().item<bool>())
    throw taper::ValueError(printable(path) + ": there are missing values");
  // A constant column remains zero.
  const taper::Tensor mean = some.mean(0), std = some.std(0);
  const taper::Tensor scale = std.masked_fill(std.eq(0), 1);
  const auto standardized = [&](const taper::Tensor& index) {
    return ((all.index_select(0, index) - mean) / scale).contiguous();
  };
  set.examples = {.train_images = standardized(train),
                  .test_images = standardized(test),
                  .train_labels = labels.index_select(0, train),
                  .test_labels = labels.index_select(0, test)};
  return set;
}

}  // namespace taper::cli
