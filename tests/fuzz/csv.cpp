#include <string>

#include "taper/data/csv.h"
#include "target.h"

namespace taper::fuzz {
namespace {

/// Options that two bytes choose.
data::CsvOptions choose_options(unsigned a, unsigned b) {
  constexpr const char* kSeparators[] = {",", ";", "\t", "\\s+"};
  data::CsvOptions o;
  o.sep = kSeparators[a & 3];
  if (a & 4) o.header = std::nullopt;
  o.skipinitialspace = a & 8;
  o.skip_blank_lines = !(a & 16);
  if (a & 32) o.comment = '#';
  if (a & 64) o.escapechar = '\\';
  if (a & 128) o.quoting = data::Quoting::none;
  o.keep_default_na = !(b & 1);
  o.doublequote = !(b & 2);
  if (b & 4) o.thousands = '_';
  if (b & 8) o.decimal = ',', o.sep = ";";
  if (b & 16) o.na_values = {"-1", "x"}, o.true_values = {"1", "y"};
  if (b & 32) o.dtype = int16;
  if (b & 64) o.usecols = {0};
  if (b & 128) o.encoding = "latin-1", o.on_bad_lines = data::BadLines::skip;
  return o;
}

void walk(const data::CsvTable& table) {
  for (const data::CsvColumn& column : table.columns()) {
    if (column.size() != table.size()) throw std::logic_error("finding: a column is too short");
    static_cast<void>(column.missing());
    if (column.is_string())
      static_cast<void>(column.factorize());
    else
      attempt([&] { static_cast<void>(column.tensor().sum()); });
  }
}

}  // namespace

void csv(Bytes input) {
  if (input.size() < 2) return;
  const auto options =
      choose_options(std::to_integer<unsigned>(input[0]), std::to_integer<unsigned>(input[1]));
  attempt([&] { walk(data::read_csv(input.subspan(2), options)); });
}

}  // namespace taper::fuzz
