#include "data/readers/csv/column.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "taper/core/factory.h"

namespace taper::data::csv {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Returns the value of a word that pandas accepts as an infinity; nullopt for other words.
std::optional<double> infinity_of(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.remove_prefix(1);
  const auto equals = [&](std::string_view lower) {
    return word.size() == lower.size() &&
           std::equal(word.begin(), word.end(), lower.begin(),
                      [](char a, char b) { return (a | 0x20) == b; });
  };
  if (!equals("inf") && !equals("infinity")) return {};
  const double infinity = std::numeric_limits<double>::infinity();
  return negative ? -infinity : infinity;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view trim(std::string_view word) {
  while (!word.empty() && is_space(word.front())) word.remove_prefix(1);
  while (!word.empty() && is_space(word.back())) word.remove_suffix(1);
  return word;
}

template <class T, class F> Tensor make_values(std::size_t rows, DType dtype, F&& value) {
  Tensor t = empty({static_cast<std::int64_t>(rows)}, {.dtype = dtype});
  T* const to = t.data_ptr<T>();
  for (std::size_t i = 0; i < rows; ++i) to[i] = value(i);
  return t;
}

/// Returns a tensor of elements of 8 bytes that owns the memory of `slots`.
Tensor adopt_values(std::vector<std::uint64_t>&& slots, DType dtype) {
  const Shape shape{static_cast<std::int64_t>(slots.size())};
  if (slots.empty()) return empty(shape, {.dtype = dtype});
  const auto owner = std::make_shared<std::vector<std::uint64_t>>(std::move(slots));
  return from_blob(owner->data(), shape, {.dtype = dtype}, [owner](void*) {});
}

/// Returns the tensor of 64-bit integers `slots`, which fit the dtype.
Tensor integer_tensor(std::vector<std::uint64_t>&& slots, DType dtype) {
  const auto make = [&]<class T>(T) {
    return make_values<T>(slots.size(), dtype,
                          [&](std::size_t i) { return static_cast<T>(slots[i]); });
  };
  switch (dtype) {
    case DType::i32: return make(std::int32_t{});
    case DType::i16: return make(std::int16_t{});
    case DType::i8: return make(std::int8_t{});
    case DType::u8: return make(std::uint8_t{});
    case DType::u16: return make(std::uint16_t{});
    case DType::u32: return make(std::uint32_t{});
    default: return adopt_values(std::move(slots), dtype);
  }
}

/// Returns true if the integer is in the range of the dtype.
bool fits(const Number& number, DType dtype) {
  if (number.kind == Number::Kind::natural) return dtype == DType::u64;
  if (number.kind != Number::Kind::integer) return false;
  const std::int64_t x = number.integer;
  const int bits = 8 * static_cast<int>(size_of(dtype));
  if (is_signed(dtype)) return bits == 64 || (x >> (bits - 1) == 0 || x >> (bits - 1) == -1);
  return x >= 0 && (bits == 64 || x >> bits == 0);
}

}  // namespace

ColumnBuilder::ColumnBuilder(std::string name, std::optional<ColumnType> type,
                             const CsvDialect& dialect)
    : name_(std::move(name)), type_(type), dialect_(dialect) {
  const auto dtype = type ? type->dtype() : std::nullopt;
  if (type)
    set_state(!dtype                      ? State::strings
              : *dtype == DType::bool_    ? State::bools
              : is_floating_point(*dtype) ? State::floats
                                          : State::requested_integers);
  else
    set_state(State::empty);
}

void ColumnBuilder::set_state(State state) {
  state_ = state;
  accepts_numbers_ = state != State::strings && state != State::bools &&
                     dialect_.has_plain_numbers && !dialect_.has_numeric_words;
}

void ColumnBuilder::append_other(const Number& number) {
  using Kind = Number::Kind;
  switch (state_) {
    case State::empty:
      if (!slots_.empty() || dialect_.integers_are_floats) {
        all_integers_ = !dialect_.integers_are_floats;
        set_state(State::floats);
      } else {
        set_state(number.kind == Kind::integer   ? State::integers
                  : number.kind == Kind::natural ? State::naturals
                                                 : State::floats);
      }
      if (state_ == State::floats) return append_float(number);
      any_negative_ = number.negative;
      slots_.push_back(number.bits());
      return;
    case State::integers:
      if (number.kind == Kind::natural && !any_negative_) {
        set_state(State::naturals);
        slots_.push_back(number.bits());
        return;
      }
      convert_to_floats();
      return append_float(number);
    case State::naturals:
      if (number.kind == Kind::natural || (number.kind == Kind::integer && !number.negative)) {
        slots_.push_back(number.bits());
        return;
      }
      convert_to_floats();
      return append_float(number);
    case State::floats: return append_float(number);
    case State::requested_integers: return append_requested(number);
    case State::bools:
    case State::strings:
    case State::lost: return lose();
  }
}

void ColumnBuilder::append_float(const Number& number) {
  all_integers_ &= number.kind != Number::Kind::real;
  any_wide_ |= number.kind == Number::Kind::natural || number.kind == Number::Kind::wide;
  slots_.push_back(bits_of(number.value()));
}

void ColumnBuilder::append_requested(const Number& number) {
  const DType dtype = *type_->dtype();
  if (number.kind == Number::Kind::real) {
    // "1.0" is an integer, as in pandas.
    constexpr double kExact = 9007199254740992.0;
    if (std::abs(number.real) > kExact || std::trunc(number.real) != number.real)
      throw UnfitValue{format_message("is not an integer, expected {}", dtype)};
    Number integer;
    integer.integer = static_cast<std::int64_t>(number.real);
    return append_requested(integer);
  }
  if (!fits(number, dtype)) throw UnfitValue{format_message("is out of range for {}", dtype)};
  slots_.push_back(number.bits());
}

void ColumnBuilder::convert_to_floats() {
  any_wide_ |= state_ == State::naturals;
  for (std::uint64_t& slot : slots_)
    slot =
        bits_of(state_ == State::naturals ? static_cast<double>(slot)
                                          : static_cast<double>(static_cast<std::int64_t>(slot)));
  set_state(State::floats);
}

void ColumnBuilder::append(std::string_view word) {
  if (dialect_.is_missing(word)) return append_missing();
  if (state_ == State::strings) return append_string(word);
  if (state_ == State::lost) return;
  if (state_ == State::bools) {
    if (append_bool(word)) return;
    if (type_) reject_word();
    return lose();
  }
  if (Number number; find_number(word, number))
    return is_missing_number(number) ? append_missing() : append(number);
  if (type_) reject_word();
  if (state_ == State::empty) return begin(word);
  lose();
}

/// Begins a column of bools or strings, in which all values so far are missing.
void ColumnBuilder::begin(std::string_view word) {
  const bool is_bool = dialect_.find_bool(word).has_value();
  convert_missing(is_bool ? State::bools : State::strings);
  if (is_bool)
    append_bool(word);
  else
    append_string(word);
}

/// Converts a column in which all values are missing.
void ColumnBuilder::convert_missing(State state) {
  const std::size_t count = slots_.size();
  set_state(state);
  if (state == State::floats) return;  // the values are NaN
  missing_.assign(count, 1);
  slots_.assign(state == State::bools ? count : 0, 0);
  if (state == State::strings) ends_.assign(count, 0);
}

void ColumnBuilder::append_string(std::string_view word) {
  characters_ += word;
  ends_.push_back(characters_.size());
  if (!missing_.empty()) missing_.push_back(0);
}

bool ColumnBuilder::append_bool(std::string_view word) {
  std::optional<bool> value = dialect_.find_bool(word);
  if (!value && type_ && (word == "0" || word == "1")) value = word == "1";
  if (!value) return false;
  slots_.push_back(*value);
  if (!missing_.empty()) missing_.push_back(0);
  return true;
}

/// Marks the last value as missing.
void ColumnBuilder::mark_missing() {
  missing_.resize(rows(), 0);
  missing_.back() = 1;
}

void ColumnBuilder::append_missing() {
  switch (state_) {
    case State::integers:
    case State::naturals: convert_to_floats(); [[fallthrough]];
    case State::empty:
    case State::floats: slots_.push_back(bits_of(kNaN)); return;
    case State::bools:
      if (type_) reject_word();
      slots_.push_back(0);
      return mark_missing();
    case State::strings: ends_.push_back(characters_.size()); return mark_missing();
    case State::requested_integers: reject_word();
    case State::lost: return;
  }
}

void ColumnBuilder::reject_word() const {
  throw UnfitValue{format_message("is not a value of {}", *type_->dtype())};
}

void ColumnBuilder::lose() {
  clear();
  set_state(State::lost);
}

/// Sets `to` to the number that `word` is, without blanks around it, and returns true if it is one.
bool ColumnBuilder::find_number(std::string_view word, Number& to) {
  if (const auto infinity = infinity_of(word)) {
    to.kind = Number::Kind::real;
    to.real = *infinity;
    return true;
  }
  word = trim(word);
  scratch_.clear();
  bool is_whole = true;  // within the digits before the decimal point
  for (const char c : word) {
    if (is_whole && dialect_.thousands != '\0' && c == dialect_.thousands && !scratch_.empty() &&
        is_digit(scratch_.back()))
      continue;
    if (c == '.' && dialect_.decimal != '.') return false;
    scratch_ += c == dialect_.decimal ? '.' : c;
    is_whole &= is_digit(c) || c == '-' || c == '+';
  }
  const char* const end = scratch_.c_str() + scratch_.size();
  return parse_number(scratch_.c_str(), end, to) == end && !scratch_.empty();
}

bool ColumnBuilder::is_missing_number(const Number& number) const {
  if (number.kind != Number::Kind::real && state_ != State::floats) return false;
  const auto& numbers = dialect_.missing_numbers;
  return std::find(numbers.begin(), numbers.end(), number.value()) != numbers.end();
}

bool ColumnBuilder::needs_strings() const {
  return state_ == State::lost || (state_ == State::floats && !type_ && all_integers_ && any_wide_);
}

void ColumnBuilder::restart_as_strings() {
  clear();
  set_state(State::strings);
}

void ColumnBuilder::clear() {
  slots_ = {};
  characters_ = {};
  ends_ = {};
  missing_ = {};
}

/// Converts strings that all are words of bools, which may be numbers, to bools.
void ColumnBuilder::convert_bools() {
  if (type_ || !dialect_.has_numeric_words || ends_.empty()) return;
  std::vector<std::uint64_t> values(ends_.size(), 0);
  bool any = false;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (!missing_.empty() && missing_[i]) continue;
    const std::size_t first = i == 0 ? 0 : ends_[i - 1];
    const auto value =
        dialect_.find_bool(std::string_view(characters_).substr(first, ends_[i] - first));
    if (!value) return;
    values[i] = *value;
    any = true;
  }
  if (!any) return;
  slots_ = std::move(values);
  characters_ = {}, ends_ = {};
  set_state(State::bools);
}

CsvColumn ColumnBuilder::finish() {
  if (state_ == State::strings) convert_bools();
  auto data = std::make_shared<CsvColumn::Data>();
  data->name = name_;
  data->rows = static_cast<std::int64_t>(rows());
  switch (state_) {
    case State::integers: data->values = adopt_values(std::move(slots_), DType::i64); break;
    case State::naturals: data->values = adopt_values(std::move(slots_), DType::u64); break;
    case State::requested_integers:
      data->values = integer_tensor(std::move(slots_), *type_->dtype());
      break;
    case State::bools:
      data->values =
          make_values<bool>(rows(), DType::bool_, [&](std::size_t i) { return slots_[i] != 0; });
      break;
    case State::empty:
    case State::floats:
    case State::lost:
      data->values = adopt_values(std::move(slots_), DType::f64);
      if (type_) data->values = data->values.to(*type_->dtype());
      break;
    case State::strings:
      data->characters = std::move(characters_);
      data->ends = std::move(ends_);
      break;
  }
  if (data->values.defined()) data->dtype = data->values.dtype();
  data->missing = std::move(missing_);
  slots_ = {};
  return CsvColumn(std::move(data));
}

}  // namespace taper::data::csv
