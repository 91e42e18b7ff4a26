// CsvScanner: splits CSV into rows and fields.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "data/readers/csv/dialect.h"

namespace taper::data::csv {

/// Position in a CSV text, which must be followed by a zero byte. The rules are those of the parser
/// of pandas.
class CsvScanner {
 public:
  /// `name` identifies the source in error messages. The text and the dialect must outlive the
  /// scanner.
  CsvScanner(std::string_view text, std::string name, const CsvDialect& dialect,
             const SkippedRows& skipped);

  /// Moves to the next row: passes skipped, blank and comment lines. Returns false at the end.
  bool start_row();
  /// Returns the position, which is at the beginning of a field after start_row() or an end_field()
  /// that returned false.
  const char* at() const { return at_; }
  /// Moves to a position that at() returned in the current row, or to the beginning of a row.
  void move_to(const char* position) { at_ = position; }
  /// Ends the text at `end`, which is after a line break or the end of the whole text.
  void set_end(const char* end) { end_ = end; }
  /// Returns true if a later row may be one that the caller skips.
  bool may_skip_rows() const {
    return file_row_ < skipped_count_ ||
           (!skipped_rows_.empty() && file_row_ <= skipped_rows_.back());
  }
  /// Returns true if a field without quotes ends at `p`.
  bool is_field_end(const char* p) const {
    return dialect_->ends_field(*p) && (*p != '\0' || p == end_);
  }
  /// Passes the end of a field, which is at `p`. Returns true if the row ends with it.
  bool end_field(const char* p);
  /// Reads a field and passes its end; sets `ends_row`. The result is valid until the next call.
  std::string_view read_field(bool& ends_row);
  /// Returns true at the end of a text whose last line has no line break.
  bool is_at_open_end() const;
  /// Returns the number of the line that contains the beginning of the current row, from 1.
  std::int64_t line() const;
  /// Throws IoError with the name of the source and the line.
  template <class... A>
  [[noreturn]] void fail(fmt::format_string<FormatArg<A>...> format, const A&... args) const {
    taper::fail<IoError>("read_csv: {}: line {}: {}", name_, line(),
                         taper::format_message(format, args...));
  }
  const std::string& name() const { return name_; }

 private:
  bool is_blank(const char* p) const;
  bool is_comment(char c) const { return dialect_->comment != '\0' && c == dialect_->comment; }
  void skip_blanks() {
    while (*at_ == ' ' || *at_ == '\t') ++at_;
  }
  const char* find_quote(const char* p) const;
  void skip_line();
  bool skip_row();
  const char* find_field_end(const char* p, bool& high) const;
  const char* read_quoted(const char* p);
  const char* read_slowly(const char* p);
  void check_text(std::string_view text) const;

  const CsvDialect* dialect_;
  std::string name_;
  const char *begin_, *at_, *end_, *row_;
  std::int64_t file_row_ = 0, skipped_count_;
  std::vector<std::int64_t> skipped_rows_;  // sorted
  std::string_view field_{};
  std::string scratch_{};
};

}  // namespace taper::data::csv
