// CsvColumn and CsvTable.
#include <algorithm>
#include <unordered_map>

#include "core/check.h"
#include "data/readers/csv/column.h"
#include "io/text.h"
#include "taper/core/factory.h"

namespace taper::data {

const std::string& CsvColumn::name() const { return data_->name; }
std::int64_t CsvColumn::size() const { return data_->rows; }
std::optional<DType> CsvColumn::dtype() const { return data_->dtype; }

std::int64_t CsvColumn::missing() const {
  if (dtype() && is_floating_point(*dtype()))
    return isnan(data_->values).sum().item<std::int64_t>();
  return std::count(data_->missing.begin(), data_->missing.end(), 1);
}

const CsvColumn::Data& CsvColumn::checked_row(std::int64_t& row) const {
  const auto at = wrap_index(row, size());
  if (!at)
    fail<IndexError>("CsvColumn: column '{}': row {} is out of range for {} rows",
                     io::escape_for_message(name()), row, size());
  row = *at;
  return *data_;
}

const CsvColumn::Data& CsvColumn::checked_strings(const char* function) const {
  if (!is_string())
    fail<TypeError>("{}: column '{}' has dtype {}, expected strings", function,
                    io::escape_for_message(name()), *dtype());
  return *data_;
}

Tensor CsvColumn::tensor() const {
  if (is_string())
    fail<TypeError>(
        "tensor: column '{}' consists of strings. Replace them by numbers with factorize()",
        io::escape_for_message(name()));
  if (!data_->missing.empty())
    fail<ValueError>("tensor: column '{}' of bools has {} missing values",
                     io::escape_for_message(name()), missing());
  return data_->values;
}

bool CsvColumn::is_missing(std::int64_t row) const {
  const Data& data = checked_row(row);
  if (data.dtype && is_floating_point(*data.dtype)) return isnan(data.values[row]).item<bool>();
  return !data.missing.empty() && data.missing[static_cast<std::size_t>(row)];
}

std::string_view CsvColumn::text(std::int64_t row) const {
  checked_strings("text");
  return checked_row(row).text(row);
}

std::vector<std::string> CsvColumn::strings() const {
  const Data& data = checked_strings("strings");
  std::vector<std::string> all;
  all.reserve(data.ends.size());
  for (std::int64_t i = 0; i < data.rows; ++i) all.emplace_back(data.text(i));
  return all;
}

Factorized CsvColumn::factorize() const {
  const Data& data = checked_strings("factorize");
  std::unordered_map<std::string_view, std::int64_t> known;
  std::vector<std::int64_t> codes;
  codes.reserve(data.ends.size());
  Factorized result;
  for (std::int64_t i = 0; i < data.rows; ++i) {
    if (!data.missing.empty() && data.missing[static_cast<std::size_t>(i)]) {
      codes.push_back(-1);
      continue;
    }
    const auto [at, is_new] =
        known.emplace(data.text(i), static_cast<std::int64_t>(result.uniques.size()));
    if (is_new) result.uniques.emplace_back(data.text(i));
    codes.push_back(at->second);
  }
  result.codes = taper::tensor(codes);
  return result;
}

std::vector<std::string> CsvTable::names() const {
  std::vector<std::string> all;
  for (const CsvColumn& column : columns_) all.push_back(column.name());
  return all;
}

const CsvColumn& CsvTable::operator[](std::string_view name) const {
  for (const CsvColumn& column : columns_)
    if (column.name() == name) return column;
  std::string all;
  for (const CsvColumn& column : columns_) all += (all.empty() ? "'" : ", '") + column.name() + "'";
  constexpr std::size_t kMaxLength = 500;
  fail<KeyError>("CsvTable: no column '{}'. The columns are {}", io::escape_for_message(name),
                 io::escape_for_message(all, kMaxLength));
}

Tensor CsvTable::tensor(std::span<const std::string> names, std::optional<DType> dtype) const {
  if (names.empty()) fail<ValueError>("tensor: expected the name of at least one column");
  std::vector<Tensor> values;
  for (const std::string& name : names)
    values.push_back((*this)[name].tensor().to(dtype.value_or(default_dtype())));
  return stack(values, 1);
}

TensorDataset<2> CsvTable::dataset(const std::vector<std::string>& features,
                                   std::string_view target) const {
  const CsvColumn& column = (*this)[target];
  Tensor targets = column.is_string() ? column.factorize().codes : column.tensor();
  if (targets.is_floating_point()) targets = targets.to(default_dtype());
  return TensorDataset(tensor(features), targets);
}

}  // namespace taper::data
