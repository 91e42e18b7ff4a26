// CsvLogger: a table of numbers per step.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace train {

struct CsvLoggerOptions {
  /// Columns after the first one, `step`. If empty, the columns are the names in the order in which
  /// they occur.
  std::vector<std::string> columns{};
  /// Continues an existing file, whose columns are kept. By default, it is replaced.
  bool append = false;
};

/// Writes one row per step to a CSV file.
///
///     train::CsvLogger log("runs/lenet/metrics.csv");
///     log.log(step, Value::dict({{"loss", loss}, {"lr", 0.1}}));
///
/// Each row is in the file when `log` returns. A name that is new adds a column: the file is
/// written again, atomically, with empty cells in the earlier rows. Names and strings are quoted
/// where necessary; numbers have the digits that convert back to them. An incomplete last row of a
/// file that is continued is removed.
class CsvLogger {
 public:
  /// Creates the directory and the file. Throws IoError if they cannot be created, ValueError if a
  /// column is listed twice or an existing file does not have the column `step`.
  explicit CsvLogger(const std::string& path, CsvLoggerOptions options = {});
  CsvLogger(CsvLogger&&) noexcept;
  CsvLogger& operator=(CsvLogger&&) noexcept;
  ~CsvLogger();

  /// Appends a row with the values of a dict: numbers, bools, strings, tensors with one element, or
  /// None. Columns without a value are empty. Throws TypeError for other values, KeyError for a
  /// name that is not among the given columns, ValueError for the name "step", RuntimeError after
  /// `close`, and IoError with the path if the file cannot be
  /// written, was removed, or was replaced. After an error, the file contains whole rows.
  void log(std::int64_t step, const Value& values);
  /// Returns the names of all columns. The first one is `step`.
  const std::vector<std::string>& columns() const;
  /// Closes the file. Throws IoError if that fails. Further calls of `log` throw RuntimeError.
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace train
}  // namespace taper
