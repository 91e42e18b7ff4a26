#include "table_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "words.h"

namespace taper::cli {
namespace {

/// Indices of the rows for training and for testing.
struct Rows {
  std::vector<std::int64_t> train{}, test{};
};

/// Divides the rows of each class, or all rows if the labels are floating-point numbers.
Rows divide(const Tensor& labels, double test_share) {
  Rows rows;
  std::map<std::int64_t, std::int64_t> seen;
  for (std::int64_t i = 0; i < labels.size(0); ++i) {
    const std::int64_t group = labels.is_floating_point() ? 0 : labels[i].item<std::int64_t>();
    const bool is_test = training::is_test_example(seen[group]++, test_share);
    (is_test ? rows.test : rows.train).push_back(i);
  }
  return rows;
}

/// Sets the mean and the standard deviation of the features in the training rows. A constant column
/// becomes zero.
void standardize(TableColumns& columns, const Tensor& train_rows) {
  columns.mean = train_rows.mean(0);
  const Tensor std = train_rows.std(0);
  columns.scale = std.masked_fill(std.eq(0), 1);
}

bool is_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Returns the first row whose value is not a finite number; -1 if there is none.
std::int64_t first_invalid_row(const data::CsvColumn& column) {
  if (column.dtype() && column.dtype() != DType::bool_) {
    const Tensor invalid = ~column.tensor().to(float64).isfinite();
    return invalid.any().item<bool>() ? invalid.to(int64).argmax().item<std::int64_t>() : -1;
  }
  for (std::int64_t i = 0; i < column.size(); ++i)
    if (column.is_missing(i) || (column.is_string() && !is_number(column.text(i)))) return i;
  return column.is_string() && column.size() > 0 ? 0 : -1;
}

/// Returns the values of columns. Throws ValueError, which names the column and the row, unless all
/// are finite numbers.
Tensor read_features(const data::CsvTable& table, const std::vector<std::string>& features) {
  for (const std::string& name : features) {
    const data::CsvColumn& column = table[name];
    const std::int64_t row = first_invalid_row(column);
    if (row < 0) continue;
    const bool is_text = column.is_string() && !column.is_missing(row);
    throw ValueError(fmt::format(
        "column '{}', row {}: {}", printable(name), row + 1,
        is_text ? "expected a number, got '" + printable(std::string(column.text(row))) + "'"
                : "missing or infinite value"));
  }
  return table.tensor(features, float32);
}

/// Returns the target as numbers, standardized by the training rows.
Tensor standardized_numbers(TableColumns& columns, const Tensor& numbers, const Tensor& train) {
  const Tensor some = numbers.index_select(0, train);
  columns.target_mean = some.mean().item<double>();
  columns.target_scale = some.std().item<double>();
  if (!(columns.target_scale > 0))
    throw ValueError(
        fmt::format("column '{}': all values are the same", printable(columns.target)));
  return ((numbers - columns.target_mean) / columns.target_scale).to(float32);
}

/// Returns the classes of the rows, and their names: strings in the order of their occurrence, or
/// integers in ascending order.
std::pair<Tensor, std::vector<std::string>> classes_of(const data::CsvColumn& column) {
  if (column.is_string()) {
    const auto [codes, names] = column.factorize();
    return {codes, names};
  }
  const auto [values, codes, counts] = unique(column.tensor().to(int64), true, true);
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < values.size(0); ++i)
    names.push_back(std::to_string(values[i].item<std::int64_t>()));
  return {codes, names};
}

/// Returns whether the numbers of the column are predicted.
bool is_regression(const data::CsvColumn& column, TargetKind kind, const std::string& name) {
  const bool has_fractions = !column.is_string() && is_floating_point(column.tensor().dtype());
  if (kind == TargetKind::classes && has_fractions)
    throw ValueError(fmt::format(
        "column '{}': expected classes, which are strings or integers, got numbers", name));
  if (kind == TargetKind::numbers && column.is_string())
    throw ValueError(fmt::format("column '{}': expected numbers, got strings", name));
  return kind == TargetKind::numbers || has_fractions;
}

TableSet divide_table(const data::CsvTable& table, const TableOptions& options) {
  TableSet set;
  TableColumns& columns = set.columns;
  columns.features = table.names();
  columns.target = options.target.empty() && !columns.features.empty() ? columns.features.back()
                                                                       : options.target;
  const auto found = std::find(columns.features.begin(), columns.features.end(), columns.target);
  const std::string name = printable(columns.target);
  if (found == columns.features.end() || columns.features.size() < 2)
    throw ValueError(fmt::format("column '{}' does not exist, or is the only one", name));
  columns.features.erase(found);
  const data::CsvColumn& target = table[columns.target];
  for (std::int64_t i = 0; target.missing() > 0 && i < target.size(); ++i)
    if (target.is_missing(i))
      throw ValueError(fmt::format("column '{}', row {}: missing value", name, i + 1));
  columns.is_regression = is_regression(target, options.kind, name);

  training::ExampleSet& examples = set.examples;
  examples.about = "rows of a table";
  Tensor labels;
  if (columns.is_regression) {
    labels = target.tensor().to(float64);
  } else {
    std::tie(labels, examples.classes) = classes_of(target);
  }
  const Rows rows = divide(labels, options.test_share);
  if (rows.train.size() < 2 || rows.test.empty())
    throw ValueError("too few rows to split off a test set");
  const Tensor train = tensor(rows.train), test = tensor(rows.test);
  standardize(columns, read_features(table, columns.features).index_select(0, train));
  if (columns.is_regression) labels = standardized_numbers(columns, labels, train);
  examples.label_mean = columns.target_mean, examples.label_scale = columns.target_scale;
  const Tensor inputs = columns.inputs(table);
  examples.examples = {.train_images = inputs.index_select(0, train),
                       .test_images = inputs.index_select(0, test),
                       .train_labels = labels.index_select(0, train),
                       .test_labels = labels.index_select(0, test)};
  return set;
}

/// Returns f(table of the file). Errors name the file.
template <class F> auto with_table(const std::string& path, F&& f) {
  const data::CsvTable table = data::read_csv(path);
  try {
    return f(table);
  } catch (const Error& error) { throw_error(error.kind(), printable(path) + ": " + error.what()); }
}

}  // namespace

Tensor TableColumns::inputs(const data::CsvTable& table) const {
  const Tensor numbers = read_features(table, features);
  return ((numbers - mean) / scale).contiguous();
}

Value TableColumns::to_value() const {
  Values names;
  for (const std::string& name : features) names.push_back(name);
  return Value::dict({{"features", Value::list(names)},
                      {"mean", mean},
                      {"scale", scale},
                      {"target", target},
                      {"target_mean", target_mean},
                      {"target_scale", target_scale},
                      {"is_regression", is_regression}});
}

TableColumns TableColumns::from_value(const Value& value) {
  TableColumns columns{.mean = value["mean"].as_tensor(),
                       .scale = value["scale"].as_tensor(),
                       .target = value["target"].as_string(),
                       .target_mean = value["target_mean"].as_double(),
                       .target_scale = value["target_scale"].as_double(),
                       .is_regression = value["is_regression"].as_bool()};
  for (const Value& name : value["features"].as_list())
    columns.features.push_back(name.as_string());
  return columns;
}

bool is_table(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".csv.gz");
}

Tensor TableColumns::read_inputs(const std::string& path) const {
  return with_table(path, [&](const data::CsvTable& table) { return inputs(table); });
}

TableSet read_table_set(const std::string& path, const TableOptions& options) {
  return with_table(path,
                    [&](const data::CsvTable& table) { return divide_table(table, options); });
}

}  // namespace taper::cli
