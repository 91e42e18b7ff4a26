// Labeled rows of a CSV file.
#pragma once
#include <string>
#include <vector>

#include "image_set.h"
#include "taper/core/value.h"
#include "taper/data/csv.h"

namespace taper::cli {

/// Columns of a table that are the inputs of a network, standardized, and the column that it
/// predicts.
struct TableColumns {
  std::vector<std::string> features{};
  Tensor mean{}, scale{};  ///< f32 (features): an input is (number - mean) / scale
  std::string target{};
  double target_mean = 0, target_scale = 1;  ///< of numbers: an output is (number - mean) / scale
  bool is_regression = false;

  /// Returns the inputs of the rows: f32 (N, features). Throws Error for missing columns or values.
  Tensor inputs(const data::CsvTable& table) const;
  /// As `inputs`, for a CSV file, which errors name.
  Tensor read_inputs(const std::string& path) const;
  Value to_value() const;
  /// Throws Error if the value is not a dict of columns.
  static TableColumns from_value(const Value& value);
};

struct TableSet {
  training::ExampleSet examples{};
  TableColumns columns{};
};

/// Kind of the target of a table. `automatic`: numbers if it has fractions, otherwise classes.
enum class TargetKind : unsigned char { automatic, classes, numbers };

struct TableOptions {
  std::string target{};  ///< name of the target; empty: the last column
  TargetKind kind = TargetKind::automatic;
  double test_share = 0.2;  ///< fraction of the rows that are used for testing, evenly distributed
};

/// Returns true for the name of a CSV file.
bool is_table(const std::string& path);

/// Reads a table with a target, which is the class of each row, a string or an integer, or a number
/// to predict. The other columns are numbers, the features. Numbers are standardized by the mean
/// and the standard deviation of the training rows. The same fraction of the rows of each class is
/// used for testing. Throws Error for missing values and features that are strings.
TableSet read_table_set(const std::string& path, const TableOptions& options);

}  // namespace taper::cli
