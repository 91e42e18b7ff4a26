#include "train/csv_text.h"

#include "core/check.h"
#include "core/number_text.h"

namespace taper::train {
std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

std::string csv_cell(const std::string& column, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::none: return {};
    case Value::Kind::boolean: return bool_text(value.as_bool());
    case Value::Kind::integer: return std::to_string(value.as_int());
    case Value::Kind::floating: return python_repr(value.as_double());
    case Value::Kind::string: return csv_cell(std::string_view(value.as_string()));
    case Value::Kind::tensor:
      if (value.as_tensor().numel() == 1)
        return csv_cell(column, Value(value.as_tensor().detach().item()));
      break;
    default: break;
  }
  fail<TypeError>(
      "CsvLogger: '{}': expected a number, a string or a tensor with one element, got {}", column,
      value.type_name());
}

std::size_t csv_row_size(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '\n' && !quoted) return i + 1;
  }
  return 0;
}

std::vector<std::string> csv_cells(std::string_view row) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const char c = row[i];
    if (c == '"') {
      if (quoted && i + 1 < row.size() && row[i + 1] == '"')
        cells.back() += row[++i];
      else
        quoted = !quoted;
    } else if (quoted) {
      cells.back() += c;
    } else if (c == ',') {
      cells.emplace_back();
    } else if (c != '\n' && c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace taper::train
