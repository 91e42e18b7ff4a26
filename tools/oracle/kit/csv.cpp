// Cases of CSV files.
#include <cmath>

#include "cases/outcome.h"
#include "kit/arguments.h"
#include "kit/tables.h"
#include "taper/core/error.h"
#include "taper/data/csv.h"
#include "training/fields.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

using Texts = std::vector<std::string>;

/// Returns the bytes of a text. The reader of case files replaces the lone surrogates U+DC80 to
/// U+DCFF, which stand for bytes, by U+F780 to U+F7FF.
std::string raw_bytes(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto at = [&](std::size_t k) {
      return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
    };
    if (at(i) == 0xef && (at(i + 1) == 0x9e || at(i + 1) == 0x9f)) {
      bytes += static_cast<char>((at(i + 1) & 1) << 6 | 0x80 | (at(i + 2) & 0x3f));
      i += 2;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

char read_character(KitArguments& args, const char* name, char default_value) {
  const Json* value = args.find(name);
  if (!value || value->is_null()) return default_value;
  const auto text = value->get<std::string>();
  if (text.size() != 1)
    throw TypeError(std::string(name) + ": expected one character, got " + value->dump());
  return text[0];
}

data::ColumnType read_type(const std::string& name) {
  if (name == "str") return data::str;
  return dtype_named(name);
}

data::CsvOptions read_csv_options(Case& c) {
  KitArguments args(c, c.at("args"));
  data::CsvOptions o;
  o.sep = args.text("sep", o.sep);
  if (const Json* header = args.find("header")) {
    if (header->is_null())
      o.header = std::nullopt;
    else
      o.header = read_integer(*header);
  }
  if (const Json* names = args.find("names")) o.names = names->get<Texts>();
  if (const Json* columns = args.find("usecols")) {
    if (columns->at(0).is_string())
      o.usecols = columns->get<Texts>();
    else
      o.usecols = columns->get<std::vector<std::int64_t>>();
  }
  if (const Json* types = args.find("dtype")) {
    std::map<std::string, data::ColumnType> by_name;
    for (const auto& [name, type] : types->items())
      by_name.emplace(name, read_type(type.get<std::string>()));
    o.dtype = std::move(by_name);
  }
  if (const Json* words = args.find("true_values")) o.true_values = words->get<Texts>();
  if (const Json* words = args.find("false_values")) o.false_values = words->get<Texts>();
  if (const Json* words = args.find("na_values")) o.na_values = words->get<Texts>();
  o.skipinitialspace = args.flag("skipinitialspace", o.skipinitialspace);
  o.skiprows = args.integer("skiprows", 0);
  if (const auto nrows = args.optional_integer("nrows")) o.nrows = *nrows;
  o.keep_default_na = args.flag("keep_default_na", o.keep_default_na);
  o.skip_blank_lines = args.flag("skip_blank_lines", o.skip_blank_lines);
  o.thousands = read_character(args, "thousands", o.thousands);
  o.decimal = read_character(args, "decimal", o.decimal);
  o.quotechar = read_character(args, "quotechar", o.quotechar);
  o.quoting = static_cast<data::Quoting>(args.integer("quoting", 0));
  o.escapechar = read_character(args, "escapechar", o.escapechar);
  o.comment = read_character(args, "comment", o.comment);
  args.find("float_precision");  // numbers are always rounded correctly
  args.done();
  if (const Json* encoding = c.find("encoding")) o.encoding = encoding->get<std::string>();
  return o;
}

data::CsvTable read_table(Case& c) {
  const std::string bytes = raw_bytes(c.text("text"));
  return data::read_csv(std::as_bytes(std::span(bytes)), read_csv_options(c));
}

std::string dtype_text(const data::CsvColumn& column) {
  return column.dtype() ? std::string(name_of(*column.dtype())) : "string";
}

void expect_value(Case& c, const std::string& what, const data::CsvColumn& column, std::int64_t row,
                  const Json& expected) {
  const bool is_float = column.dtype() && is_floating_point(*column.dtype());
  if (!is_float && column.is_missing(row) != expected.is_null())
    return c.fail(what + ": expected " + expected.dump());
  if (expected.is_null() && !is_float) return;
  if (column.is_string())
    c.expect_text(what, std::string(column.text(row)), expected.get<std::string>());
  else if (is_float)
    c.expect_number(what, column.tensor()[row].item<double>(), read_number(expected), c.tolerance);
  else if (*column.dtype() == DType::bool_)
    c.expect_text(
        what, column.missing() ? expected.dump() : Json(column.tensor()[row].item<bool>()).dump(),
        expected.dump());
  else if (*column.dtype() == DType::u64)
    c.expect_text(what, std::to_string(column.tensor()[row].item<std::uint64_t>()),
                  expected.dump());
  else
    c.expect_text(what, std::to_string(column.tensor()[row].item<std::int64_t>()), expected.dump());
}

void expect_column(Case& c, const data::CsvColumn& column, const Json& expected) {
  Fields fields(expected);
  const std::string what = "column " + column.name();
  c.expect_text("name", column.name(), fields.text("name"));
  const Json* dtype = fields.find("dtype");
  if (dtype) c.expect_text(what + ", dtype", dtype_text(column), dtype->get<std::string>());
  const Json& values = fields.at("values");
  if (values.is_object()) {  // a long list of integers
    const Tensor integers = column.tensor();
    const auto elements = integers.data<std::int64_t>();
    fields.done();
    return expect_indices(c, what, {elements.begin(), elements.end()}, values);
  }
  c.expect_text(what + ", rows", std::to_string(column.size()), std::to_string(values.size()));
  fields.done();
  if (!c.failures().empty()) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    expect_value(c, what + "[" + std::to_string(i) + "]", column, static_cast<std::int64_t>(i),
                 values.at(i));
}

}  // namespace

void run_csv(Case& c, Generators&) {
  const data::CsvTable table = read_table(c);
  Fields expected(c.at("expected"));
  c.expect_text("rows", std::to_string(table.size()), expected.at("rows").dump());
  const Json& columns = expected.at("columns");
  expected.done();
  if (table.columns().size() != columns.size())
    return c.fail("got " + std::to_string(table.columns().size()) + " columns, expected " +
                  std::to_string(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i)
    expect_column(c, table.columns()[i], columns.at(i));
}

void run_csv_error(Case& c, Generators&) {
  c.find("encoding");
  expect_error(c, [&] { static_cast<void>(read_table(c)); });
}

}  // namespace taper::oracle
