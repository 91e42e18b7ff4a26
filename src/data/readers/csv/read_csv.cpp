// read_csv: reads the rows of a text by several threads.
#include <algorithm>
#include <cstring>
#include <exception>
#include <istream>
#include <limits>

#include "cpu/threads.h"
#include "data/readers/csv/header.h"
#include "data/readers/csv/row_reader.h"
#include "data/readers/csv/scanner.h"
#include "data/readers/input_file.h"
#include "io/text.h"

namespace taper::data {
namespace csv {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

/// Returns the limits of `count` parts of about the same size of the rows in `text`, without the
/// last row.
std::vector<const char*> split_rows(std::string_view text, int count) {
  const std::size_t last_break = text.substr(0, text.size() - 1).rfind('\n');
  std::vector<const char*> limits{text.data()};
  if (last_break == text.npos) return limits;
  const char* const end = text.data() + last_break + 1;
  for (int i = 1; i <= count; ++i) {
    const char* const p =
        text.data() + last_break / static_cast<std::size_t>(count) * static_cast<std::size_t>(i);
    if (p < limits.back()) continue;
    const void* const found = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
    limits.push_back(i == count || !found ? end : static_cast<const char*>(found) + 1);
  }
  return limits;
}

/// Reads most of the following rows by several threads if they are long enough. Rows must end at
/// each line break, so rows after a quote remain to be read. The first part is read by `reader`.
void read_in_parallel(RowReader& reader, std::string_view rest, const CsvDialect& dialect) {
  constexpr std::size_t kMinPart = std::size_t{1} << 18;
  const int count = static_cast<int>(std::min<std::size_t>(
      static_cast<std::size_t>(cpu::available_threads()), rest.size() / kMinPart));
  if (count < 2 || dialect.escape != '\0' || dialect.has_numeric_words ||
      reader.scanner().may_skip_rows())
    return;
  const std::vector<const char*> limits = split_rows(rest, count);
  const std::size_t parts = limits.size() - 1;
  if (parts < 2) return;
  std::vector<RowReader> others;
  others.reserve(parts - 1);
  for (std::size_t i = 1; i < parts; ++i) others.emplace_back(reader, limits[i], limits[i + 1]);

  enum class Outcome : std::uint8_t { quotes, rows, error };
  std::vector<Outcome> outcomes(parts, Outcome::quotes);
  std::vector<std::exception_ptr> errors(parts);
  const auto read_part = [&](std::size_t i) {
    const auto size = static_cast<std::size_t>(limits[i + 1] - limits[i]);
    if (dialect.quote != '\0' && std::memchr(limits[i], dialect.quote, size)) return;
    try {
      if (i == 0)
        reader.read_until(limits[1]);
      else
        others[i - 1].read(kUnlimited);
      outcomes[i] = Outcome::rows;
    } catch (...) {
      errors[i] = std::current_exception();
      outcomes[i] = Outcome::error;
    }
  };
  cpu::parallel_for(0, static_cast<std::int64_t>(parts), 1, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t i = b; i < e; ++i) read_part(static_cast<std::size_t>(i));
  });
  std::size_t done = 0;
  while (done < parts && outcomes[done] == Outcome::rows) ++done;
  if (done < parts && outcomes[done] == Outcome::error) std::rethrow_exception(errors[done]);
  if (done > 1) reader.append(std::span(others).first(done - 1), limits[done]);
}

void read_rows(RowReader& reader, std::string_view text, const CsvDialect& dialect,
               std::int64_t limit) {
  constexpr std::int64_t kSample = 1000;  // rows from which the number of all rows is estimated
  reader.read(std::min(kSample, limit));
  if (reader.rows() == kSample) {
    reader.reserve(limit);
    const auto done = static_cast<std::size_t>(reader.scanner().at() - text.data());
    if (limit == kUnlimited) read_in_parallel(reader, text.substr(done), dialect);
  }
  reader.read(limit);
}

CsvTable read_table(std::string_view text, const std::string& name, const CsvOptions& options) {
  const CsvDialect dialect(options);
  CsvScanner scanner(text, name, dialect, options.skiprows);
  if (options.nrows && *options.nrows < 0)
    taper::fail<ValueError>("read_csv: nrows must not be negative: got {}", *options.nrows);
  const std::int64_t limit = options.nrows ? std::int64_t{*options.nrows} : kUnlimited;
  const CsvHeader header = read_header(scanner, options);
  RowReader reader(text, scanner, header, options, dialect);
  do read_rows(reader, text, dialect, limit);
  while (reader.restart(scanner));
  return reader.finish();
}

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
  return read_table(text.view(), name, options);
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
