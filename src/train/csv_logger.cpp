#include "taper/train/csv_logger.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "core/check.h"
#include "io/append_file.h"
#include "taper/core/dict.h"
#include "train/csv_text.h"

namespace taper::train {
namespace {

constexpr const char* kLogger = "CsvLogger";
constexpr const char* kStep = "step";

std::string row_text(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) row += (i == 0 ? "" : ",") + cells[i];
  return row + "\n";
}

std::string header_text(const std::vector<std::string>& columns) {
  std::vector<std::string> cells;
  for (const std::string& name : columns) cells.push_back(csv_cell(std::string_view(name)));
  return row_text(cells);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail<IoError>("CsvLogger: cannot read '{}'", path);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  return text;
}

/// Returns the whole rows of a file without its header.
std::string whole_rows(std::string_view text) {
  text.remove_prefix(csv_row_size(text));
  std::size_t size = 0;
  while (const std::size_t row = csv_row_size(text.substr(size))) size += row;
  return std::string(text.substr(0, size));
}

/// Appends `count` empty cells to each row.
std::string extend_rows(std::string_view rows, std::size_t count) {
  std::string extended;
  while (const std::size_t size = csv_row_size(rows)) {
    std::string_view row = rows.substr(0, size - 1);
    if (row.ends_with('\r')) row.remove_suffix(1);
    extended.append(row).append(count, ',').push_back('\n');
    rows.remove_prefix(size);
  }
  return extended;
}

void check_unique(const std::vector<std::string>& columns) {
  std::set<std::string> names;
  for (const std::string& name : columns)
    if (!names.insert(name).second)
      fail<ValueError>("CsvLogger: column '{}' is listed twice", name);
}

}  // namespace

struct CsvLogger::Impl {
  Impl(const std::string& file_path, const CsvLoggerOptions& options)
      : path(file_path), is_fixed(!options.columns.empty()) {
    columns = {kStep};
    columns.insert(columns.end(), options.columns.begin(), options.columns.end());
    check_unique(columns);
    io::create_folder(kLogger, std::filesystem::path(path).parent_path().string());
    if (options.append && std::filesystem::exists(path)) {
      continue_file();
      return;
    }
    file = std::make_unique<io::AppendFile>(kLogger, path, io::AppendFile::Mode::replace);
    file->append(header_text(columns));
  }

  /// Adopts the columns of an existing file and removes an incomplete row.
  void continue_file() {
    const std::string text = read_file(path);
    const std::string_view header = std::string_view(text).substr(0, csv_row_size(text));
    std::vector<std::string> stored;
    if (!header.empty()) {
      stored = csv_cells(header);
      check_unique(stored);
      if (stored.front() != kStep)
        fail<ValueError>("CsvLogger: '{}': expected '{}' as the first column, got '{}'", path,
                         kStep, stored.front());
    }
    const std::string rows = whole_rows(text);
    std::vector<std::string> all = stored.empty() ? columns : stored;
    for (const std::string& name : columns)
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    if (all.size() > stored.size() || header.size() + rows.size() < text.size())
      replace(all, extend_rows(rows, all.size() - stored.size()));
    columns = std::move(all);
    file = std::make_unique<io::AppendFile>(kLogger, path, io::AppendFile::Mode::extend);
  }

  void replace(const std::vector<std::string>& names, const std::string& rows) const {
    io::replace_file(kLogger, path, header_text(names) + rows);
  }

  void add_columns(const std::vector<std::string>& names) {
    if (is_fixed)
      fail<KeyError>("CsvLogger: '{}' is not among the columns of '{}'", names.front(), path);
    std::vector<std::string> all = columns;
    all.insert(all.end(), names.begin(), names.end());
    file->check_in_place();
    replace(all, extend_rows(whole_rows(read_file(path)), names.size()));
    columns = std::move(all);
    file = std::make_unique<io::AppendFile>(kLogger, path, io::AppendFile::Mode::extend);
  }

  void log(std::int64_t step, const Value& values) {
    if (!file) fail<RuntimeError>("CsvLogger: '{}' is closed", path);
    if (!values.is_dict())
      fail<TypeError>("CsvLogger: expected a dict of values, got {}", values.type_name());
    std::vector<std::pair<std::string, std::string>> cells = {{kStep, std::to_string(step)}};
    std::vector<std::string> added;
    for (const auto& [name, value] : values.as_dict()) {
      if (!name.is_string())
        fail<TypeError>("CsvLogger: expected strings as keys, got {}", name.repr());
      const std::string& column = name.as_string();
      if (column == kStep) fail<ValueError>("CsvLogger: '{}' is the first column", kStep);
      cells.emplace_back(column, csv_cell(column, value));
      if (std::find(columns.begin(), columns.end(), column) == columns.end())
        added.push_back(column);
    }
    if (!added.empty()) add_columns(added);
    std::vector<std::string> row(columns.size());
    for (auto& [column, cell] : cells)
      row[static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) -
                                   columns.begin())] = std::move(cell);
    file->check_in_place();
    file->append(row_text(row));
  }

  const std::string path;
  const bool is_fixed;
  std::vector<std::string> columns;
  std::unique_ptr<io::AppendFile> file;  ///< null after `close`
};

CsvLogger::CsvLogger(const std::string& path, CsvLoggerOptions options)
    : impl_(std::make_unique<Impl>(path, options)) {}
CsvLogger::CsvLogger(CsvLogger&&) noexcept = default;
CsvLogger& CsvLogger::operator=(CsvLogger&&) noexcept = default;
CsvLogger::~CsvLogger() = default;

void CsvLogger::log(std::int64_t step, const Value& values) { impl_->log(step, values); }
const std::vector<std::string>& CsvLogger::columns() const { return impl_->columns; }

void CsvLogger::close() {
  if (!impl_->file) return;
  const std::unique_ptr<io::AppendFile> file = std::move(impl_->file);
  file->check_in_place();
  file->close();
}

}  // namespace taper::train
