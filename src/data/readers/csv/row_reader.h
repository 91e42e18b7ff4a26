// RowReader: reads rows of a CSV text into columns.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/readers/csv/column.h"
#include "data/readers/csv/header.h"
#include "data/readers/csv/scanner.h"

namespace taper::data::csv {

class RowReader {
 public:
  /// The scanner is at the first row of the text. The text, the options and the dialect must
  /// outlive the reader. Throws ValueError if a column with a requested dtype does not exist.
  RowReader(std::string_view text, CsvScanner scanner, const CsvHeader& header,
            const CsvOptions& options, const CsvDialect& dialect);
  /// A reader of the rows in [begin, end), which begin and end after line breaks, into columns
  /// that continue those of `before`.
  RowReader(const RowReader& before, const char* begin, const char* end);

  /// Reads rows until there are `limit` rows or the text ends.
  void read(std::int64_t limit);
  /// Reads the rows before `end`, which is after a line break.
  void read_until(const char* end);
  /// Appends the rows of readers that continue the columns, and moves to `end`. The parts are empty
  /// afterwards.
  void append(std::span<RowReader> parts, const char* end);
  /// Begins again with the columns that turned out to consist of strings. Returns false if there
  /// are none.
  bool restart(const CsvScanner& first_row);
  /// Returns the table. The reader is empty afterwards.
  CsvTable finish();

  const CsvScanner& scanner() const { return scanner_; }
  std::int64_t rows() const { return rows_; }
  /// Reserves memory for as many rows as the rest of the text contains, and at most `limit`, if all
  /// are as long as those so far.
  void reserve(std::int64_t limit);

 private:
  std::optional<ColumnType> type_of(const std::string& name) const;
  void check_types(const std::vector<std::string>& names) const;
  void reserve(double rows_per_byte, std::size_t bytes, std::int64_t limit);
  bool read_row();
  std::size_t pass_fields();
  bool read_value(ColumnBuilder* column);
  bool is_selection() const;
  void fill_row(std::size_t first);
  void check_filled() const;

  const CsvOptions& options_;
  const CsvDialect& dialect_;
  std::string_view text_;
  CsvScanner scanner_;
  std::size_t width_ = 0, widest_row_ = 0;
  std::vector<ColumnBuilder> builders_{};
  std::vector<ColumnBuilder*> columns_{};  // null: not read
  std::int64_t rows_ = 0;
  std::uint64_t filled_ = 0;
  std::string_view last_word_{};
};

}  // namespace taper::data::csv
