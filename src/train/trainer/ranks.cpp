#include "train/trainer/ranks.h"

#include <algorithm>
#include <vector>

#include "core/check.h"

namespace taper::train {
namespace {

/// Returns the kind and the message of an error; None if it is null.
Value description_of(const std::exception_ptr& error) {
  if (!error) return {};
  const auto describe = [](ErrorKind kind, const char* text) {
    return Value::tuple({static_cast<std::int64_t>(kind), text});
  };
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    return describe(e.kind(), e.what());
  } catch (const std::exception& e) { return describe(ErrorKind::runtime, e.what()); } catch (...) {
    return describe(ErrorKind::runtime, "unknown exception");
  }
}

}  // namespace

void Ranks::sum(std::span<double> numbers, const std::exception_ptr& error) const {
  reduce(&detail::RankExchange::sum, numbers, error);
}
void Ranks::max(std::span<double> numbers, const std::exception_ptr& error) const {
  reduce(&detail::RankExchange::max, numbers, error);
}

void Ranks::reduce(Reduction reduction, std::span<double> numbers,
                   const std::exception_ptr& error) const {
  if (are_alone()) {
    if (error) std::rethrow_exception(error);
    return;
  }
  std::vector<double> reduced(numbers.begin(), numbers.end());
  reduced.push_back(error ? 1 : 0);
  try {
    (exchange_->*reduction)(reduced);
  } catch (...) {
    // A rank that failed within a collective of others causes their errors.
    if (error) std::rethrow_exception(error);
    throw;
  }
  if (reduced.back() > 0) throw_first(error);
  std::copy(reduced.begin(), reduced.end() - 1, numbers.begin());
}

void Ranks::throw_first(const std::exception_ptr& error) const {
  Values errors;
  try {
    errors = exchange_->all_gather(description_of(error));
  } catch (...) {
    if (!error) throw;
  }
  if (error) std::rethrow_exception(error);
  const auto first =
      std::find_if(errors.begin(), errors.end(), [](const Value& e) { return !e.is_none(); });
  const Values& entries = first->as_sequence();
  throw_error(static_cast<ErrorKind>(entries[0].as_int()),
              format_message("rank {}: {}", first - errors.begin(), entries[1].as_string()));
}

Values Ranks::all_gather(const Value& value) const {
  return are_alone() ? Values{value} : exchange_->all_gather(value);
}

}  // namespace taper::train
