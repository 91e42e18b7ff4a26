#include "data/readers/csv/row_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "cpu/threads.h"
#include "io/text.h"

namespace taper::data::csv {

RowReader::RowReader(std::string_view text, CsvScanner scanner, const CsvHeader& header,
                     const CsvOptions& options, const CsvDialect& dialect)
    : options_(options),
      dialect_(dialect),
      text_(text),
      scanner_(std::move(scanner)),
      width_(header.names.size()),
      widest_row_(header.fields) {
  builders_.reserve(width_);
  columns_.assign(width_, nullptr);
  check_types(header.names);
  for (std::size_t i = 0; i < width_; ++i) {
    if (!header.is_used[i]) continue;
    columns_[i] = &builders_.emplace_back(header.names[i], type_of(header.names[i]), dialect_);
  }
}

RowReader::RowReader(const RowReader& before, const char* begin, const char* end)
    : options_(before.options_),
      dialect_(before.dialect_),
      text_(before.text_),
      scanner_(before.scanner_),
      width_(before.width_),
      widest_row_(before.widest_row_) {
  builders_.reserve(before.builders_.size());
  for (const ColumnBuilder& builder : before.builders_) builders_.push_back(builder.continuation());
  for (const ColumnBuilder* const column : before.columns_)
    columns_.push_back(column ? &builders_[static_cast<std::size_t>(column - &before.builders_[0])]
                              : nullptr);
  const double rows_per_byte =
      static_cast<double>(before.rows_) / static_cast<double>(before.scanner_.at() - text_.data());
  reserve(rows_per_byte, static_cast<std::size_t>(end - begin),
          std::numeric_limits<std::int64_t>::max());
  scanner_.move_to(begin);
  scanner_.set_end(end);
}

std::optional<ColumnType> RowReader::type_of(const std::string& name) const {
  const auto& by_name = options_.dtype.by_name();
  const auto found = by_name.find(name);
  return found != by_name.end() ? found->second : options_.dtype.all();
}

void RowReader::check_types(const std::vector<std::string>& names) const {
  for (const auto& [name, type] : options_.dtype.by_name())
    if (std::find(names.begin(), names.end(), name) == names.end())
      taper::fail<ValueError>("read_csv: {}: dtype: no column '{}'", scanner_.name(),
                              io::escape_for_message(name));
}

void RowReader::read(std::int64_t limit) {
  while (rows_ < limit && scanner_.start_row()) rows_ += read_row();
}

void RowReader::read_until(const char* end) {
  scanner_.set_end(end);
  read(std::numeric_limits<std::int64_t>::max());
  scanner_.set_end(text_.data() + text_.size());
}

void RowReader::append(std::span<RowReader> parts, const char* end) {
  for (RowReader& part : parts) {
    rows_ += part.rows_;
    filled_ += part.filled_;
    widest_row_ = std::max(widest_row_, part.widest_row_);
  }
  cpu::parallel_for(
      0, static_cast<std::int64_t>(width_), 1, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
          for (RowReader& part : parts)
            if (columns_[i]) columns_[i]->append_rows(std::move(*part.columns_[i]));
      });
  scanner_.move_to(end);
  check_filled();
}

bool RowReader::restart(const CsvScanner& first_row) {
  bool is_incomplete = false;
  for (ColumnBuilder*& column : columns_) {
    if (column && column->needs_strings()) {
      column->restart_as_strings();
      is_incomplete = true;
    } else {
      column = nullptr;
    }
  }
  scanner_ = first_row;
  rows_ = is_incomplete ? 0 : rows_;
  filled_ = 0;
  return is_incomplete;
}

CsvTable RowReader::finish() {
  std::vector<CsvColumn> columns;
  columns.reserve(builders_.size());
  for (ColumnBuilder& builder : builders_) columns.push_back(builder.finish());
  return {rows_, std::move(columns)};
}

void RowReader::reserve(std::int64_t limit) {
  const std::size_t done = static_cast<std::size_t>(scanner_.at() - text_.data());
  reserve(static_cast<double>(rows_) / static_cast<double>(done), text_.size(), limit);
}

void RowReader::reserve(double rows_per_byte, std::size_t bytes, std::int64_t limit) {
  const auto rows =
      std::min(static_cast<std::uint64_t>(limit),
               static_cast<std::uint64_t>(1.05 * rows_per_byte * static_cast<double>(bytes)));
  // Memory that the text cannot fill is not reserved: a value takes two bytes with its separator.
  if (rows * builders_.size() > bytes / 2 + rows) return;
  for (ColumnBuilder* const column : columns_)
    if (column) column->reserve(rows);
}

/// Reads a row. Returns false if it has too many fields and is omitted.
bool RowReader::read_row() {
  if (options_.on_bad_lines == BadLines::skip && !is_selection()) {
    const char* const begin = scanner_.at();
    if (pass_fields() > width_) return false;
    scanner_.move_to(begin);
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
std::size_t RowReader::pass_fields() {
  std::size_t count = 0;
  for (bool ends_row = false; !ends_row; ++count) scanner_.read_field(ends_row);
  return count;
}

/// Reads the next field into a column, which may be null. Returns true if the row ends with it.
bool RowReader::read_value(ColumnBuilder* column) {
  const char* const begin = scanner_.at();
  const char* end = begin;
  try {
    if (column && column->accepts_numbers()) {
      Number number;
      end = parse_number(begin, text_.data() + text_.size(), number);
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

bool RowReader::is_selection() const {
  return !std::holds_alternative<std::monostate>(options_.usecols.columns());
}

/// Appends missing values to the columns from `first` on.
void RowReader::fill_row(std::size_t first) {
  if (first == width_) return;
  // A short row at the end of a file that was cut is not distinguished from others by pandas.
  if (first < widest_row_ && scanner_.is_at_open_end())
    scanner_.fail("truncated row: got {} of {} fields at the end of the file, without a line break",
                  first, widest_row_);
  filled_ += width_ - first;
  check_filled();
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

/// A file of many columns and short rows must not cost far more memory than its size.
void RowReader::check_filled() const {
  constexpr std::uint64_t kFilledPerByte = 64, kAlwaysFilled = 1 << 20;
  if (filled_ > kAlwaysFilled && filled_ / kFilledPerByte > text_.size())
    scanner_.fail("too many missing fields in rows of fewer than {} fields", width_);
}

}  // namespace taper::data::csv
