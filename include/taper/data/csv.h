// read_csv: reads tables of comma-separated values. CsvTable, CsvColumn.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/tensor.h"
#include "taper/data/dataset.h"

namespace TAPER_API taper {
namespace data {

/// Type of a column of strings, as in `.dtype = {{"zip code", data::str}}`.
struct StringType {};
inline constexpr StringType str{};

/// Type of a column: a dtype, or `data::str`.
class ColumnType {
 public:
  constexpr ColumnType(DType dtype) noexcept : dtype_(dtype) {}
  constexpr ColumnType(StringType) noexcept {}
  /// Returns the dtype; empty for strings.
  constexpr std::optional<DType> dtype() const noexcept { return dtype_; }

 private:
  std::optional<DType> dtype_{};
};

/// Types of columns: one for all columns, or those of some columns by name. The types of the other
/// columns are inferred.
class ColumnTypes {
 public:
  ColumnTypes() = default;
  ColumnTypes(ColumnType all) : all_(all) {}
  ColumnTypes(DType all) : all_(all) {}
  ColumnTypes(StringType all) : all_(all) {}
  ColumnTypes(std::initializer_list<std::pair<const std::string, ColumnType>> by_name)
      : by_name_(by_name) {}
  ColumnTypes(std::map<std::string, ColumnType> by_name) : by_name_(std::move(by_name)) {}
  const std::optional<ColumnType>& all() const { return all_; }
  const std::map<std::string, ColumnType>& by_name() const { return by_name_; }

 private:
  std::optional<ColumnType> all_{};
  std::map<std::string, ColumnType> by_name_{};
};

/// Selected columns, by name or by number. The result has the order of the file.
class ColumnSelection {
 public:
  ColumnSelection() = default;
  ColumnSelection(std::vector<std::string> names) : columns_(std::move(names)) {}
  ColumnSelection(std::vector<std::int64_t> numbers) : columns_(std::move(numbers)) {}
  ColumnSelection(std::initializer_list<const char*> names)
      : columns_(std::vector<std::string>(names.begin(), names.end())) {}
  ColumnSelection(std::initializer_list<int> numbers)
      : columns_(std::vector<std::int64_t>(numbers.begin(), numbers.end())) {}
  /// Returns the columns; std::monostate if all columns are selected.
  const auto& columns() const { return columns_; }

 private:
  std::variant<std::monostate, std::vector<std::string>, std::vector<std::int64_t>> columns_{};
};

/// Row of the names: a number, std::nullopt if the file does not contain names, or, by default, 0
/// unless `names` are given.
class HeaderRow {
 public:
  constexpr HeaderRow() noexcept = default;
  template <std::integral I>
  requires(!std::same_as<I, bool>) constexpr HeaderRow(I row) noexcept
      : row_(static_cast<std::int64_t>(row)), inferred_(false) {}
  constexpr HeaderRow(std::nullopt_t) noexcept : inferred_(false) {}
  constexpr bool is_inferred() const noexcept { return inferred_; }
  constexpr std::optional<std::int64_t> row() const noexcept { return row_; }

 private:
  std::optional<std::int64_t> row_{};
  bool inferred_ = true;
};

/// Lines that are not read: a number of lines at the beginning, or a list of line numbers from 0.
class SkippedRows {
 public:
  SkippedRows() = default;
  template <std::integral I>
  requires(!std::same_as<I, bool>) SkippedRows(I count)
      : count_(static_cast<std::int64_t>(count)) {}
  SkippedRows(std::vector<std::int64_t> rows) : rows_(std::move(rows)) {}
  SkippedRows(std::initializer_list<std::int64_t> rows) : rows_(rows) {}
  std::int64_t count() const { return count_; }
  const std::vector<std::int64_t>& rows() const { return rows_; }

 private:
  std::int64_t count_ = 0;
  std::vector<std::int64_t> rows_{};
};

/// Use of quotes. PyTorch: csv.QUOTE_MINIMAL and the other constants of module csv.
enum class Quoting : std::uint8_t {
  minimal,     ///< a field may be quoted
  all,         ///< as minimal
  nonnumeric,  ///< as minimal, and columns of integers become float64
  none         ///< quotes are ordinary characters
};

/// Treatment of rows with too many fields.
enum class BadLines : std::uint8_t { error, skip };

/// Options of read_csv, the arguments of pandas.read_csv. A character '\0' disables its rule.
struct CsvOptions {
  std::string sep = ",";             ///< separator: one character, or "\\s+" for runs of blanks
  HeaderRow header{};                ///< row of the names, after skipped and blank lines
  std::vector<std::string> names{};  ///< names of the columns; replace those of the header
  ColumnSelection usecols{};         ///< columns to read
  ColumnTypes dtype{};               ///< types of columns
  std::vector<std::string> true_values{}, false_values{};  ///< words in addition to true and false
  bool skipinitialspace = false;                           ///< ignores spaces after a separator
  SkippedRows skiprows{};
  std::optional<IntArg> nrows{};         ///< maximum number of rows
  std::vector<std::string> na_values{};  ///< words for missing values in addition to the default
  /// Treats the empty field, NA, N/A, nan, null, None and similar words as missing values.
  bool keep_default_na = true;
  bool na_filter = true;         ///< false: no value is missing
  bool skip_blank_lines = true;  ///< false: a blank line is a row of missing values
  char thousands = '\0';         ///< separator of groups of digits
  char decimal = '.';            ///< decimal point
  char quotechar = '"';          ///< begins and ends a quoted field
  Quoting quoting = Quoting::minimal;
  bool doublequote = true;         ///< two quotes in a quoted field are one quote
  char escapechar = '\0';          ///< removes the meaning of the next character
  char comment = '\0';             ///< begins a comment, which ends with the line
  std::string encoding = "utf-8";  ///< or "latin-1"
  BadLines on_bad_lines = BadLines::error;
};

/// Codes and distinct values of a column. PyTorch: pandas.factorize.
struct Factorized {
  Tensor codes;                      ///< (N), i64: index of the value in `uniques`; -1 if missing
  std::vector<std::string> uniques;  ///< distinct values in the order of their first occurrence
};

/// A column of a table: numbers, bools, or strings.
class CsvColumn {
 public:
  struct Data;
  explicit CsvColumn(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  const std::string& name() const;
  /// Returns the number of rows.
  std::int64_t size() const;
  /// Returns the dtype; empty for a column of strings.
  std::optional<DType> dtype() const;
  bool is_string() const { return !dtype(); }
  /// Returns the values, (N). Missing floating-point numbers are NaN. Throws TypeError for strings,
  /// ValueError for bools of which some are missing.
  Tensor tensor() const;
  /// Returns true if the value of a row is missing. Throws IndexError if the row does not exist.
  bool is_missing(std::int64_t row) const;
  /// Returns the number of missing values.
  std::int64_t missing() const;
  /// Returns the string of a row, which is empty for a missing value and valid as long as the
  /// table. Throws TypeError for other columns, IndexError if the row does not exist.
  std::string_view text(std::int64_t row) const;
  /// Returns all strings. Throws TypeError for other columns.
  std::vector<std::string> strings() const;
  /// Replaces strings by numbers, for example of classes. Throws TypeError for other columns.
  Factorized factorize() const;

 private:
  const Data& checked_row(std::int64_t& row) const;
  const Data& checked_strings(const char* function) const;
  std::shared_ptr<const Data> data_;
};

/// Table of named columns. PyTorch: pandas.DataFrame.
class CsvTable {
 public:
  CsvTable(std::int64_t rows, std::vector<CsvColumn> columns)
      : rows_(rows), columns_(std::move(columns)) {}

  /// Returns the number of rows.
  std::int64_t size() const { return rows_; }
  const std::vector<CsvColumn>& columns() const { return columns_; }
  /// Returns the names of the columns.
  std::vector<std::string> names() const;
  /// Returns the column with this name. Throws KeyError if it does not exist.
  const CsvColumn& operator[](std::string_view name) const;
  /// Returns the values of columns as a matrix (N, number of names) of the given dtype, by default
  /// default_dtype(). Throws the errors of CsvColumn::tensor.
  Tensor tensor(std::span<const std::string> names, std::optional<DType> dtype = {}) const;
  Tensor tensor(const std::vector<std::string>& names, std::optional<DType> dtype = {}) const {
    return tensor(std::span<const std::string>(names), dtype);
  }
  /// Returns the dataset of the matrix of `features` and the column `target`, whose floating-point
  /// numbers are converted to default_dtype(). The target may be a column of strings, which are
  /// replaced by the codes of factorize().
  ///
  ///     const data::CsvTable table = data::read_csv("iris.csv");
  ///     data::DataLoader loader(table.dataset({"length", "width"}, "species"), {.batch_size = 8});
  TensorDataset<2> dataset(const std::vector<std::string>& features, std::string_view target) const;

 private:
  std::int64_t rows_;
  std::vector<CsvColumn> columns_;
};

/// Reads a CSV file, optionally compressed with gzip, as pandas.read_csv with `index_col=False`
/// does. The type of a column is the first of int64, uint64, float64, bool and string that fits all
/// of its values; integers with missing values become float64, and missing strings and bools are
/// marked. Floating-point numbers are rounded correctly. Short rows are filled with missing values.
/// A row with more fields than the header is an error, unless `usecols` is given. Other than in
/// pandas, a last row without a line break that has fewer fields than an earlier one is an error,
/// because the file is truncated. Rows are read by get_num_threads() threads up to the first quote,
/// without `nrows` and `escapechar`; the result is the same for any number.
///
/// Throws IoError with the file and the line if the file cannot be read, is not valid, or does not
/// fit the types of `dtype`, and ValueError for invalid options and missing columns.
CsvTable read_csv(const std::string& path, const CsvOptions& options = {});
/// Reads the rest of a stream.
CsvTable read_csv(std::istream& stream, const CsvOptions& options = {});
/// Reads CSV from memory, which is not referenced after the call returns.
CsvTable read_csv(std::span<const std::byte> bytes, const CsvOptions& options = {});

}  // namespace data
}  // namespace taper
