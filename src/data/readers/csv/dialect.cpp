#include "data/readers/csv/dialect.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "data/readers/csv/number.h"
#include "io/text.h"

namespace taper::data::csv {
namespace {

constexpr std::string_view kDefaultMissing[] = {
    "",     "#N/A", "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A",  "NA",       "NULL", "NaN",     "None",     "n/a",  "nan",  "null"};

bool equals_ignoring_case(std::string_view word, std::string_view upper) {
  return word.size() == upper.size() &&
         std::equal(word.begin(), word.end(), upper.begin(), [](char a, char b) {
           return a == b || (a >= 'a' && a <= 'z' && a - ('a' - 'A') == b);
         });
}

/// Returns the number that the whole word is.
std::optional<double> number_of(const std::string& word) {
  Number number;
  const char* const end = parse_number(word.c_str(), word.c_str() + word.size(), number);
  if (!end || end != word.c_str() + word.size()) return {};
  return number.value();
}

void add_missing(CsvDialect& d, const std::string& word) {
  d.missing.add(word);
  const auto number = number_of(word);
  if (!number) return;
  d.has_numeric_words = true;
  d.missing_numbers.push_back(*number);
  constexpr double kExact = 9007199254740992.0;
  if (std::trunc(*number) != *number || std::abs(*number) > kExact) return;
  // A whole number is also recognized as an integer and with one decimal, as in pandas.
  const std::string integer = std::to_string(static_cast<std::int64_t>(*number));
  d.missing.add(integer);
  d.missing.add(integer + ".0");
}

void check_distinct(const CsvOptions& o, const CsvDialect& d) {
  struct Special {
    const char* name;
    char value;
  };
  const Special specials[] = {{"sep", d.separated_by_blanks ? '\0' : d.separator},
                              {"quotechar", d.quote},
                              {"escapechar", o.escapechar},
                              {"comment", o.comment}};
  for (const Special& a : specials) {
    if (a.value == '\n' || a.value == '\r')
      fail<ValueError>("read_csv: {} must not be a line break", a.name);
    for (const Special& b : specials)
      if (&a < &b && a.value != '\0' && a.value == b.value)
        fail<ValueError>("read_csv: {} and {} are both '{}'", a.name, b.name,
                         io::escape_for_message(std::string_view(&a.value, 1)));
  }
  if (o.decimal == '\0' || (o.decimal >= '0' && o.decimal <= '9'))
    fail<ValueError>("read_csv: decimal must not be a digit or '\\0'");
  if (o.thousands == o.decimal || (o.thousands >= '0' && o.thousands <= '9'))
    fail<ValueError>("read_csv: thousands must not be a digit or equal to decimal, got '{}'",
                     io::escape_for_message(std::string_view(&o.thousands, 1)));
}

}  // namespace

void WordSet::add(std::string word) {
  if (word.size() < kLengths) lengths_ |= std::uint64_t{1} << word.size();
  if (!word.empty()) is_first_[static_cast<unsigned char>(word[0])] = true;
  const auto at = std::lower_bound(words_.begin(), words_.end(), word);
  if (at == words_.end() || *at != word) words_.insert(at, std::move(word));
}

bool WordSet::find(std::string_view word) const {
  return std::binary_search(words_.begin(), words_.end(), word, std::less<std::string_view>());
}

CsvDialect::CsvDialect(const CsvOptions& o)
    : separated_by_blanks(o.sep == "\\s+"),
      quote(o.quoting == Quoting::none ? '\0' : o.quotechar),
      escape(o.escapechar),
      comment(o.comment),
      thousands(o.thousands),
      decimal(o.decimal),
      double_quote(o.doublequote),
      skip_initial_space(o.skipinitialspace),
      skip_blank_lines(o.skip_blank_lines),
      integers_are_floats(o.quoting == Quoting::nonnumeric) {
  if (!separated_by_blanks && (o.sep.size() != 1 || o.sep[0] == '\0'))
    fail<ValueError>("read_csv: sep must be one character or \"\\s+\", got '{}'",
                     io::escape_for_message(o.sep));
  if (!separated_by_blanks) separator = o.sep[0];
  check_distinct(o, *this);
  has_plain_numbers = thousands == '\0' && decimal == '.';
  if (o.na_filter) {
    if (o.keep_default_na)
      for (const std::string_view word : kDefaultMissing) missing.add(std::string(word));
    for (const std::string& word : o.na_values) add_missing(*this, word);
  }
  for (const std::string& word : o.true_values) true_words.add(word);
  for (const std::string& word : o.false_values) false_words.add(word);
  for (const WordSet* words : {&true_words, &false_words})
    for (const std::string& word : words->words()) has_numeric_words |= number_of(word).has_value();

  for (const char c : {separated_by_blanks ? ' ' : separator, separated_by_blanks ? '\t' : '\n',
                       '\n', '\r', comment, '\0'})
    ends_[static_cast<unsigned char>(c)] = true;
  stops_ = ends_;
  stops_[static_cast<unsigned char>(escape)] = true;
}

std::optional<bool> CsvDialect::find_bool(std::string_view word) const {
  if (true_words.contains(word)) return true;
  if (false_words.contains(word)) return false;
  if (equals_ignoring_case(word, "TRUE")) return true;
  if (equals_ignoring_case(word, "FALSE")) return false;
  return {};
}

}  // namespace taper::data::csv
