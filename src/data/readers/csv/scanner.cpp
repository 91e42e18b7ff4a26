#include "data/readers/csv/scanner.h"

#include <algorithm>
#include <cstring>

#include "io/text.h"

namespace taper::data::csv {
namespace {

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

}  // namespace

CsvScanner::CsvScanner(std::string_view text, std::string name, const CsvDialect& dialect,
                       const SkippedRows& skipped)
    : dialect_(&dialect),
      name_(std::move(name)),
      begin_(text.data()),
      at_(begin_),
      end_(begin_ + text.size()),
      row_(begin_),
      skipped_count_(skipped.count()),
      skipped_rows_(skipped.rows()) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
  std::sort(skipped_rows_.begin(), skipped_rows_.end());
}

std::int64_t CsvScanner::line() const {
  std::int64_t line = 1;
  for (const char* p = begin_; p < row_; ++p)
    line += *p == '\n' || (*p == '\r' && (p + 1 == end_ || p[1] != '\n'));
  return line;
}

bool CsvScanner::is_at_open_end() const {
  return at_ == end_ && (end_ == begin_ || !is_line_end(end_[-1]));
}

bool CsvScanner::is_blank(const char* p) const {
  while ((*p == ' ' || *p == '\t') && (dialect_->separated_by_blanks || *p != dialect_->separator))
    ++p;
  return p == end_ || is_line_end(*p);
}

/// Returns the first quote at or after `p`, or the end.
const char* CsvScanner::find_quote(const char* p) const {
  const void* const quote = std::memchr(p, dialect_->quote, static_cast<std::size_t>(end_ - p));
  return quote ? static_cast<const char*>(quote) : end_;
}

void CsvScanner::skip_line() {
  while (at_ < end_ && !is_line_end(*at_)) ++at_;
  end_field(at_);
}

/// Skips the current line if it is one of the skipped rows, including the line breaks in its quoted
/// fields. Returns false if it is not.
bool CsvScanner::skip_row() {
  if (file_row_ >= skipped_count_ &&
      !std::binary_search(skipped_rows_.begin(), skipped_rows_.end(), file_row_))
    return false;
  bool at_field = true;
  while (at_ < end_ && !is_line_end(*at_)) {
    if (at_field && dialect_->quote != '\0' && *at_ == dialect_->quote) {
      do {  // a doubled quote does not close the field
        at_ = find_quote(at_ + 1);
      } while (dialect_->double_quote && at_ < end_ && *++at_ == dialect_->quote);
      at_field = false;
    } else {
      at_field = *at_++ == dialect_->separator;
    }
  }
  end_field(at_);
  return true;
}

bool CsvScanner::start_row() {
  for (; at_ < end_; ++file_row_) {
    row_ = at_;
    if (skip_row()) continue;
    if (dialect_->skip_blank_lines && is_blank(at_)) {
      skip_line();
      continue;
    }
    if (dialect_->separated_by_blanks) skip_blanks();
    if (!is_comment(*at_)) return ++file_row_, true;
    skip_line();
  }
  row_ = at_;
  return false;
}

bool CsvScanner::end_field(const char* p) {
  at_ = p;
  if (p == end_) return true;
  if (is_comment(*p)) {
    while (at_ < end_ && !is_line_end(*at_)) ++at_;
    return end_field(at_);
  }
  ++at_;
  if (*p == '\n') return true;
  if (*p == '\r') {
    at_ += *at_ == '\n';
    return true;
  }
  if (!dialect_->separated_by_blanks) return false;
  skip_blanks();
  return at_ == end_ || is_line_end(*at_) || is_comment(*at_) ? end_field(at_) : false;
}

const char* CsvScanner::find_field_end(const char* p, bool& high) const {
  unsigned char bits = 0;
  while (true) {
    while (!dialect_->stops_scan(*p)) bits |= static_cast<unsigned char>(*p++);
    if (*p != '\0' || p == end_) break;
    ++p;  // a zero byte is an ordinary character
  }
  high = bits >= 0x80;
  return p;
}

std::string_view CsvScanner::read_field(bool& ends_row) {
  const char* p = at_;
  if (dialect_->skip_initial_space && dialect_->separator != ' ')
    while (*p == ' ') ++p;
  const char* field_end = nullptr;
  if (dialect_->quote != '\0' && *p == dialect_->quote) {
    field_end = read_quoted(p);
  } else {
    bool high = false;
    field_end = find_field_end(p, high);
    if (is_field_end(field_end)) {
      field_ = {p, static_cast<std::size_t>(field_end - p)};
      if (high) check_text(field_);
    } else {
      field_end = read_slowly(p);
    }
  }
  ends_row = end_field(field_end);
  return field_;
}

/// Reads the field that begins with the quote at `p`. Returns its end.
const char* CsvScanner::read_quoted(const char* p) {
  const char* const first = p + 1;
  const char* const close = find_quote(first);
  if (close == end_) fail("missing closing quote");
  const std::string_view text(first, static_cast<std::size_t>(close - first));
  const bool is_simple = is_field_end(close + 1) && !is_comment(close[1]) &&
                         (dialect_->escape == '\0' || text.find(dialect_->escape) == text.npos);
  if (!is_simple) return read_slowly(p);
  field_ = text;
  check_text(text);
  return close + 1;
}

/// Reads a field with doubled quotes, escapes, or text around quotes into `scratch_`. Returns its
/// end.
const char* CsvScanner::read_slowly(const char* p) {
  enum class State { start, unquoted, quoted, after_quote };
  State state = State::start;
  scratch_.clear();
  for (; p < end_; ++p) {
    const char c = *p;
    const bool is_quote = dialect_->quote != '\0' && c == dialect_->quote;
    if (dialect_->escape != '\0' && c == dialect_->escape && state != State::after_quote) {
      if (++p == end_) fail("the file ends after an escape character");
      scratch_ += *p;
      if (state == State::start) state = State::unquoted;
    } else if (state == State::quoted) {
      if (is_quote)
        state = dialect_->double_quote ? State::after_quote : State::unquoted;
      else
        scratch_ += c;
    } else if (is_quote && state == State::start) {
      state = State::quoted;
    } else if (is_quote && state == State::after_quote) {
      scratch_ += c;
      state = State::quoted;
    } else if (is_field_end(p) && (state != State::after_quote || c != dialect_->comment)) {
      break;
    } else {
      scratch_ += c;
      state = State::unquoted;
    }
  }
  if (state == State::quoted) fail("missing closing quote");
  field_ = scratch_;
  check_text(field_);
  return p;
}

void CsvScanner::check_text(std::string_view text) const {
  unsigned char bits = 0;
  for (const char c : text) bits |= static_cast<unsigned char>(c);
  if (bits < 0x80) return;
  if (!io::is_utf8(text)) fail("invalid UTF-8 in '{}'", io::escape_for_message(text));
}

}  // namespace taper::data::csv
