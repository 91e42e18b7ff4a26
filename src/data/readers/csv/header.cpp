#include "data/readers/csv/header.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "io/text.h"

namespace taper::data::csv {
namespace {

std::string quoted_name(std::string_view text) { return "'" + io::escape_for_message(text) + "'"; }

std::vector<std::string> read_row(CsvScanner& scanner) {
  std::vector<std::string> fields;
  for (bool ends_row = false; !ends_row;) fields.emplace_back(scanner.read_field(ends_row));
  return fields;
}

/// Names that are empty or occur twice are completed as in pandas: "Unnamed: 2", "a.1".
void complete_names(std::vector<std::string>& names) {
  std::vector<std::size_t> order, unnamed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    (names[i].empty() ? unnamed : order).push_back(i);
    if (names[i].empty()) names[i] = "Unnamed: " + std::to_string(i);
  }
  order.insert(order.end(), unnamed.begin(), unnamed.end());
  // The names at any time, since a name that was changed is free again.
  std::unordered_map<std::string, std::size_t> present;
  for (const std::string& name : names) ++present[name];
  std::unordered_map<std::string, std::size_t> counts;
  for (const std::size_t i : order) {
    const std::string before = names[i];
    std::string name = before;
    std::size_t count = counts[name];
    while (count > 0) {
      counts[before] = count + 1;
      name = before + "." + std::to_string(count);
      count = present[name] > 0 ? count + 1 : counts[name];
    }
    if (name != before) {
      --present[before];
      ++present[name];
      names[i] = name;
    }
    ++counts[name];
  }
}

void check_names(const std::vector<std::string>& names) {
  std::unordered_set<std::string_view> known;
  for (const std::string& name : names)
    if (!known.insert(name).second)
      fail<ValueError>("read_csv: names: duplicate name {}", quoted_name(name));
}

std::vector<std::size_t> used_numbers(const std::vector<std::int64_t>& numbers,
                                      std::size_t columns) {
  std::vector<std::size_t> used;
  for (const std::int64_t i : numbers) {
    if (i < 0 || static_cast<std::size_t>(i) >= columns)
      fail<ValueError>("read_csv: usecols: column {} does not exist: the file has {} columns", i,
                       columns);
    used.push_back(static_cast<std::size_t>(i));
  }
  return used;
}

std::vector<std::size_t> used_names(const std::vector<std::string>& selected,
                                    const std::vector<std::string>& names) {
  std::vector<std::size_t> used;
  std::string unknown;
  for (const std::string& name : selected) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      unknown += (unknown.empty() ? "" : ", ") + quoted_name(name);
    else
      used.push_back(static_cast<std::size_t>(at - names.begin()));
  }
  if (!unknown.empty()) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "'" : ", '") + name + "'";
    constexpr std::size_t kMaxLength = 500;
    fail<ValueError>("read_csv: usecols: no column {}. The columns are {}", unknown,
                     io::escape_for_message(all, kMaxLength));
  }
  return used;
}

/// Reads the names in row `row`.
std::vector<std::string> read_names(CsvScanner& scanner, std::int64_t row) {
  if (row < 0) fail<ValueError>("read_csv: header must not be negative: got {}", row);
  std::vector<std::string> names;
  for (std::int64_t i = 0; i <= row; ++i) {
    if (scanner.start_row()) {
      names = read_row(scanner);
      continue;
    }
    if (i == 0) scanner.fail("no columns to parse");
    scanner.fail("header={}, but the file has {} rows only", row, i);
  }
  return names;
}

std::size_t count_fields(CsvScanner scanner) {
  return scanner.start_row() ? read_row(scanner).size() : 0;
}

}  // namespace

CsvHeader read_header(CsvScanner& scanner, const CsvOptions& options) {
  CsvHeader header;
  const auto row = options.header.is_inferred()
                       ? (options.names.empty() ? std::optional<std::int64_t>(0) : std::nullopt)
                       : options.header.row();
  const std::vector<std::string>& given = options.names;
  check_names(given);
  if (row) {
    header.names = read_names(scanner, *row);
    complete_names(header.names);
  } else {
    const std::size_t count = count_fields(scanner);
    if (count == 0 && given.empty()) scanner.fail("no columns to parse");
    for (std::size_t i = 0; i < count; ++i) header.names.push_back(std::to_string(i));
  }
  std::vector<std::string>& names = header.names;
  header.fields = names.size();
  const auto* const numbers = std::get_if<std::vector<std::int64_t>>(&options.usecols.columns());
  const auto* const selected = std::get_if<std::vector<std::string>>(&options.usecols.columns());
  std::vector<std::size_t> used;
  if (numbers) {
    used = used_numbers(*numbers, std::max(names.size(), given.size()));
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
  }
  if (given.size() >= names.size() && !given.empty()) {
    names = given;
  } else if (!given.empty() && numbers && given.size() == used.size()) {
    for (std::size_t i = 0; i < used.size(); ++i) names[used[i]] = given[i];
  } else if (!given.empty()) {
    fail<ValueError>("read_csv: {}: names: got {} names for {} columns", scanner.name(),
                     given.size(), names.size());
  }
  if (selected) used = used_names(*selected, names);
  header.is_used.assign(names.size(), !numbers && !selected);
  for (const std::size_t i : used) header.is_used[i] = true;
  return header;
}

}  // namespace taper::data::csv
