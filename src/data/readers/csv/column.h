// Values of a column of a CSV file, with the type that fits all of them.
#pragma once
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/huge_pages.h"
#include "data/readers/csv/dialect.h"
#include "data/readers/csv/number.h"
#include "taper/data/csv.h"

namespace taper::data {

/// Values of a finished column.
struct CsvColumn::Data {
  std::string name;
  std::int64_t rows = 0;
  std::optional<DType> dtype{};         ///< empty for strings
  Tensor values{};                      ///< undefined for strings
  std::string characters{};             ///< all strings, one after the other
  std::vector<std::size_t> ends{};      ///< end of each string in `characters`
  std::vector<std::uint8_t> missing{};  ///< flags of strings and bools; empty if none is missing
  std::string_view text(std::int64_t row) const {
    const auto i = static_cast<std::size_t>(row);
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(characters).substr(begin, ends[i] - begin);
  }
};

namespace csv {

/// Thrown for a value that does not fit the dtype that the caller requested. `reason` continues a
/// message that begins with the value: "is out of range for int8".
struct UnfitValue {
  std::string reason;
};

/// Collects the values of a column. The type is the first of integer, float, bool and string that
/// fits all values so far, or the requested one.
class ColumnBuilder {
 public:
  ColumnBuilder(std::string name, std::optional<ColumnType> type, const CsvDialect& dialect);

  /// Returns true if the next value may be passed as a number if it is one.
  bool accepts_numbers() const { return accepts_numbers_; }
  // Each of these appends a value. Throws UnfitValue if it does not fit the requested dtype.
  void append(const Number& number) {
    if (state_ == State::integers && number.kind == Number::Kind::integer) {
      slots_.push_back(static_cast<std::uint64_t>(number.integer));
      any_negative_ |= number.negative;
    } else if (state_ == State::floats && number.kind == Number::Kind::real) {
      slots_.push_back(bits_of(number.real));
      all_integers_ = false;
    } else {
      append_other(number);
    }
  }
  void append(std::string_view word);
  void append_missing();
  /// Reserves memory for a number of rows.
  void reserve(std::size_t rows) {
    if (state_ == State::strings) return;
    slots_.reserve(rows);
    prefer_huge_pages(slots_.data(), slots_.capacity() * sizeof(slots_[0]));
  }

  /// Returns true if the column turned out to consist of strings after values had been stored as
  /// numbers or bools. It must be read again, after restart_as_strings().
  bool needs_strings() const;
  void restart_as_strings();
  /// Returns a builder of later rows of the column, to be passed to append_rows().
  ColumnBuilder continuation() const;
  /// Appends the rows of a continuation, as if they had been appended one by one. The continuation
  /// is empty afterwards.
  void append_rows(ColumnBuilder&& rows);
  /// Returns the column. The builder is empty afterwards.
  CsvColumn finish();
  const std::string& name() const { return name_; }

 private:
  enum class State : std::uint8_t {
    empty,               // only missing values, if any
    integers,            // slots are int64
    naturals,            // slots are uint64, of which one exceeds int64
    floats,              // slots are double
    requested_integers,  // slots are int64 or uint64, checked against the requested dtype
    bools,               // slots are 0 or 1
    strings,
    lost  // strings, of which some were not stored
  };
  static std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
  void set_state(State state);
  std::size_t rows() const { return state_ == State::strings ? ends_.size() : slots_.size(); }
  void append_other(const Number& number);
  void append_requested(const Number& number);
  void append_float(const Number& number);
  void append_string(std::string_view word);
  bool append_bool(std::string_view word);
  void begin(std::string_view word);
  void convert_missing(State state);
  void convert_to_floats();
  void match_numbers(ColumnBuilder& rows);
  void clear();
  void mark_missing();
  void lose();
  bool find_number(std::string_view word, Number& to);
  bool is_missing_number(const Number& number) const;
  void convert_bools();
  [[noreturn]] void reject_word() const;

  std::string name_;
  std::optional<ColumnType> type_;
  const CsvDialect& dialect_;
  State state_ = State::empty;
  bool accepts_numbers_ = true;
  bool any_negative_ = false, all_integers_ = true, any_wide_ = false;
  std::vector<std::uint64_t> slots_{};
  std::string characters_{}, scratch_{};
  std::vector<std::size_t> ends_{};
  std::vector<std::uint8_t> missing_{};
};

}  // namespace csv
}  // namespace taper::data
