// CsvDialect: validated options of read_csv, in the form that the parser needs.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taper/data/csv.h"

namespace taper::data::csv {

/// Set of words with a fast rejection of other words.
class WordSet {
 public:
  void add(std::string word);
  bool contains(std::string_view word) const {
    const std::size_t n = word.size();
    if (n >= kLengths || !(lengths_ >> n & 1)) return n >= kLengths && find(word);
    return n == 0 || (is_first_[static_cast<unsigned char>(word[0])] && find(word));
  }
  bool empty() const { return words_.empty(); }
  const std::vector<std::string>& words() const { return words_; }

 private:
  static constexpr std::size_t kLengths = 64;
  bool find(std::string_view word) const;
  std::vector<std::string> words_;  // sorted
  std::uint64_t lengths_ = 0;
  std::array<bool, 256> is_first_{};
};

struct CsvDialect {
  explicit CsvDialect(const CsvOptions& options);

  char separator = ',';
  bool separated_by_blanks = false;  ///< fields are separated by runs of spaces and tabs
  char quote = '\0', escape = '\0', comment = '\0', thousands = '\0', decimal = '.';
  bool double_quote = true, skip_initial_space = false, skip_blank_lines = true;
  bool integers_are_floats = false;

  WordSet missing{};                    ///< empty if nothing is missing
  std::vector<double> missing_numbers;  ///< numbers that are missing values in columns of floats
  WordSet true_words{}, false_words{};  ///< in addition to true and false
  /// True if words for missing values or bools may be numbers, so that each number is compared.
  bool has_numeric_words = false;
  /// True if numbers are written as in C++, without separators of groups.
  bool has_plain_numbers = true;

  /// Returns true if a field that is not quoted ends before this character. '\0' is the end of the
  /// text, or an ordinary character before it.
  bool ends_field(char c) const { return ends_[static_cast<unsigned char>(c)]; }
  /// Returns true if a field that is not quoted may end or change its form at this character.
  bool stops_scan(char c) const { return stops_[static_cast<unsigned char>(c)]; }
  bool is_missing(std::string_view word) const { return missing.contains(word); }
  /// Returns true or false for a word that is a bool.
  std::optional<bool> find_bool(std::string_view word) const;

 private:
  std::array<bool, 256> ends_{}, stops_{};
};

}  // namespace taper::data::csv
