#include <algorithm>
#include <istream>
#include <limits>

#include "data/readers/csv/column.h"
#include "data/readers/csv/header.h"
#include "data/readers/csv/scanner.h"
#include "data/readers/input_file.h"
#include "io/text.h"

namespace taper::data {
namespace csv {
namespace {

/// Reads the rows of a CSV text into columns.
class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& name, const CsvOptions& options)
      : options_(options),
        dialect_(options),
        begin_(text.data()),
        bytes_(text.size()),
        scanner_(text, name, dialect_, options.skiprows) {
    if (options.nrows && *options.nrows < 0)
      taper::fail<ValueError>("read_csv: nrows must not be negative: got {}", *options.nrows);
    const CsvHeader header = read_header(scanner_, options);
    width_ = header.names.size();
    widest_row_ = header.fields;
    builders_.reserve(width_);
    columns_.assign(width_, nullptr);
    check_types(header.names);
    for (std::size_t i = 0; i < width_; ++i) {
      if (!header.is_used[i]) continue;
      columns_[i] = &builders_.emplace_back(header.names[i], type_of(header.names[i]), dialect_);
    }
  }

  CsvTable read() {
    const CsvScanner first_row = scanner_;
    read_rows();
    bool is_incomplete = false;
    for (ColumnBuilder*& column : columns_) {
      if (column && column->needs_strings()) {
        column->restart_as_strings();
        is_incomplete = true;
      } else {
        column = nullptr;
      }
    }
    if (is_incomplete) {
      scanner_ = first_row;
      read_rows();
    }
    std::vector<CsvColumn> columns;
    columns.reserve(builders_.size());
    for (ColumnBuilder& builder : builders_) columns.push_back(builder.finish());
    return {rows_, std::move(columns)};
  }

 private:
  std::optional<ColumnType> type_of(const std::string& name) const {
    const auto& by_name = options_.dtype.by_name();
    const auto found = by_name.find(name);
    return found != by_name.end() ? found->second : options_.dtype.all();
  }

  void check_types(const std::vector<std::string>& names) const {
    for (const auto& [name, type] : options_.dtype.by_name())
      if (std::find(names.begin(), names.end(), name) == names.end())
        taper::fail<ValueError>("read_csv: {}: dtype: no column '{}'", scanner_.name(),
                                io::escape_for_message(name));
  }

  void read_rows() {
    rows_ = 0;
    filled_ = 0;
    const std::int64_t limit =
        options_.nrows ? std::int64_t{*options_.nrows} : std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kSample = 1000;  // rows from which the number of all rows is estimated
    while (rows_ < limit && scanner_.start_row()) {
      rows_ += read_row();
      if (rows_ == kSample) reserve(limit);
    }
  }

  /// Reserves memory for as many rows as the text contains, if all are as long as those so far.
  void reserve(std::int64_t limit) {
    const double rows_per_byte =
        static_cast<double>(rows_) / static_cast<double>(scanner_.at() - begin_);
    const auto rows =
        std::min(static_cast<std::uint64_t>(limit),
                 static_cast<std::uint64_t>(1.05 * rows_per_byte * static_cast<double>(bytes_)));
    // Memory that the text cannot fill is not reserved: a value takes two bytes with its separator.
    if (rows * builders_.size() > bytes_ / 2 + rows) return;
    for (ColumnBuilder& builder : builders_) builder.reserve(rows);
  }

  /// Reads a row. Returns false if it has too many fields and is omitted.
  bool read_row() {
    if (options_.on_bad_lines == BadLines::skip && !is_selection()) {
      const char* const begin = scanner_.at();
      if (pass_fields() > width_) return false;
      scanner_.return_to(begin);
    }
    std::size_t column = 0;
    for (bool ends_row = false; !ends_row; ++column) {
      if (column == width_) {
        const std::size_t count = width_ + pass_fields();
        if (!is_selection()) scanner_.fail("expected {} fields, got {}", width_, count);
        return true;
      }
      ends_row = read_value(columns_[column]);
    }
    widest_row_ = std::max(widest_row_, column);
    fill_row(column);
    return true;
  }

  /// Passes the rest of a row. Returns the number of its fields.
  std::size_t pass_fields() {
    std::size_t count = 0;
    for (bool ends_row = false; !ends_row; ++count) scanner_.read_field(ends_row);
    return count;
  }

  /// Reads the next field into a column, which may be null. Returns true if the row ends with it.
  bool read_value(ColumnBuilder* column) {
    const char* const begin = scanner_.at();
    const char* end = begin;
    try {
      if (column && column->accepts_numbers()) {
        Number number;
        end = parse_number(begin, begin_ + bytes_, number);
        if (end && scanner_.is_field_end(end)) {
          column->append(number);
          return scanner_.end_field(end);
        }
      }
      bool ends_row = false;
      const std::string_view word = scanner_.read_field(ends_row);
      end = nullptr;
      if (column) column->append(last_word_ = word);
      return ends_row;
    } catch (const UnfitValue& unfit) {
      if (end) last_word_ = {begin, static_cast<std::size_t>(end - begin)};
      scanner_.fail("column '{}': '{}' {}", io::escape_for_message(column->name()),
                    io::escape_for_message(last_word_), unfit.reason);
    }
  }

  bool is_selection() const {
    return !std::holds_alternative<std::monostate>(options_.usecols.columns());
  }

  /// Appends missing values to the columns from `first` on.
  void fill_row(std::size_t first) {
    if (first == width_) return;
    // A short row at the end of a file that was cut is not distinguished from others by pandas.
    if (first < widest_row_ && scanner_.is_at_open_end())
      scanner_.fail(
          "truncated row: got {} of {} fields at the end of the file, without a line break", first,
          widest_row_);
    // A file of many columns and short rows must not cost far more memory than its size.
    constexpr std::uint64_t kFilledPerByte = 64, kAlwaysFilled = 1 << 20;
    filled_ += width_ - first;
    if (filled_ > kAlwaysFilled && filled_ / kFilledPerByte > bytes_)
      scanner_.fail("too many missing fields in rows of fewer than {} fields", width_);
    for (; first < width_; ++first) {
      if (!columns_[first]) continue;
      try {
        columns_[first]->append(std::string_view());
      } catch (const UnfitValue& unfit) {
        scanner_.fail("column '{}': a missing field {}",
                      io::escape_for_message(columns_[first]->name()), unfit.reason);
      }
    }
  }

  const CsvOptions& options_;
  const CsvDialect dialect_;
  const char* const begin_;
  const std::size_t bytes_;
  CsvScanner scanner_;
  std::size_t width_ = 0, widest_row_ = 0;
  std::vector<ColumnBuilder> builders_;
  std::vector<ColumnBuilder*> columns_;  // null: not read
  std::int64_t rows_ = 0;
  std::uint64_t filled_ = 0;
  std::string_view last_word_;
};

ByteBuffer from_latin1(std::string_view text) {
  std::string utf8;
  utf8.reserve(text.size());
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x80) utf8 += static_cast<char>(0xc0 | code >> 6);
    utf8 += code < 0x80 ? c : static_cast<char>(0x80 | (code & 0x3f));
  }
  return ByteBuffer(utf8);
}

CsvTable read_text(ByteBuffer text, const std::string& name, const CsvOptions& options) {
  const std::string& encoding = options.encoding;
  if (encoding == "latin-1" || encoding == "latin1" || encoding == "iso-8859-1")
    text = from_latin1(text.view());
  else if (encoding != "utf-8" && encoding != "utf8" && encoding != "utf-8-sig")
    taper::fail<ValueError>("read_csv: unsupported encoding '{}', expected utf-8 or latin-1",
                            io::escape_for_message(encoding));
  return CsvReader(text.view(), name, options).read();
}

}  // namespace
}  // namespace csv

CsvTable read_csv(const std::string& path, const CsvOptions& options) {
  return csv::read_text(InputFile("read_csv", path).read_rest(), path, options);
}

CsvTable read_csv(std::istream& stream, const CsvOptions& options) {
  ByteBuffer text;
  constexpr std::size_t kFirstRead = 1 << 16;
  while (stream) {
    text.reserve(std::max(kFirstRead, 2 * text.size()));
    stream.read(text.end(), static_cast<std::streamsize>(text.capacity() - text.size()));
    text.resize(text.size() + static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad() || !stream.eof()) fail<IoError>("read_csv: <stream>: cannot be read");
  return csv::read_text(std::move(text), "<stream>", options);
}

CsvTable read_csv(std::span<const std::byte> bytes, const CsvOptions& options) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return csv::read_text(ByteBuffer(text), "<bytes>", options);
}

}  // namespace taper::data
