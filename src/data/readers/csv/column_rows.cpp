// Continuations of columns: rows that were read apart, with the types that they would have
// together.
#include "data/readers/csv/column.h"

namespace taper::data::csv {

ColumnBuilder ColumnBuilder::continuation() const {
  ColumnBuilder rows(name_, type_, dialect_);
  rows.set_state(state_);
  rows.any_negative_ = any_negative_;
  rows.all_integers_ = all_integers_;
  rows.any_wide_ = any_wide_;
  return rows;
}

/// Converts this column or `rows` to the type of both, if both are numbers.
void ColumnBuilder::match_numbers(ColumnBuilder& rows) {
  const auto is_integer = [](State s) { return s == State::integers || s == State::naturals; };
  if (is_integer(state_) && is_integer(rows.state_)) {
    const bool any_natural = state_ == State::naturals || rows.state_ == State::naturals;
    any_negative_ |= rows.any_negative_;
    if (any_natural && any_negative_) {
      convert_to_floats();
      rows.convert_to_floats();
    } else if (any_natural) {
      set_state(State::naturals);
      rows.set_state(State::naturals);
    }
  } else if (is_integer(state_) && rows.state_ == State::floats) {
    convert_to_floats();
  } else if (state_ == State::floats && is_integer(rows.state_)) {
    rows.convert_to_floats();
  }
}

void ColumnBuilder::append_rows(ColumnBuilder&& rows) {
  if (state_ == State::lost) return;
  const auto match_missing = [](ColumnBuilder& empty, const ColumnBuilder& other) {
    if (empty.state_ != State::empty || other.state_ == State::lost) return;
    const bool is_number = other.state_ != State::bools && other.state_ != State::strings;
    if (empty.slots_.empty() || other.state_ == State::empty)
      empty.set_state(other.state_);
    else
      empty.convert_missing(is_number ? State::floats : other.state_);
  };
  match_missing(*this, rows);
  match_missing(rows, *this);
  match_numbers(rows);
  if (state_ != rows.state_) return lose();

  const std::size_t before = this->rows();
  if (!missing_.empty() || !rows.missing_.empty()) {
    missing_.resize(before, 0);
    missing_.insert(missing_.end(), rows.missing_.begin(), rows.missing_.end());
    missing_.resize(before + rows.rows(), 0);
  }
  slots_.insert(slots_.end(), rows.slots_.begin(), rows.slots_.end());
  for (const std::size_t end : rows.ends_) ends_.push_back(characters_.size() + end);
  characters_ += rows.characters_;
  all_integers_ &= rows.all_integers_;
  any_wide_ |= rows.any_wide_;
  rows.clear();
}

}  // namespace taper::data::csv
