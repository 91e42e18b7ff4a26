// Ranks: decisions of the ranks that train a module together.
#pragma once
#include <exception>
#include <span>
#include <utility>

#include "taper/core/value.h"
#include "taper/train/detail/rank_exchange.h"

namespace taper::train {

/// Returns the exception that `f` throws; null if it returns.
template <class F> std::exception_ptr error_of(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (...) { return std::current_exception(); }
  return nullptr;
}

/// The ranks of a run. All functions are collective unless the rank is alone.
///
/// Functions that receive an error throw on all ranks if that of any rank is not null: a rank with
/// an error throws its own, other ranks throw an error of the same kind with the message of the
/// first rank that failed. No rank then waits for one that has left the training loop.
class Ranks {
 public:
  /// `exchange` is null without a process group.
  explicit Ranks(const detail::RankExchange* exchange) : exchange_(exchange) {}

  bool are_alone() const { return size() == 1; }
  int rank() const { return exchange_ ? exchange_->rank() : 0; }
  int size() const { return exchange_ ? exchange_->size() : 1; }
  /// Returns true on the rank that writes files and displays progress.
  bool is_first() const { return rank() == 0; }

  /// Calls `f`, with the errors described above.
  template <class F> void call(F&& f) const {
    if (are_alone())
      std::forward<F>(f)();
    else
      reject(error_of(std::forward<F>(f)));
  }
  /// Replace each number by its sum, or its maximum, over all ranks.
  void sum(std::span<double> numbers, const std::exception_ptr& error = nullptr) const;
  void max(std::span<double> numbers, const std::exception_ptr& error = nullptr) const;
  /// Throws if a rank has an error.
  void reject(const std::exception_ptr& error) const { max({}, error); }
  /// Returns the values of all ranks, in rank order.
  Values all_gather(const Value& value) const;
  /// Returns the collectives; null without a process group.
  const detail::RankExchange* exchange() const { return exchange_; }

 private:
  using Reduction = void (detail::RankExchange::*)(std::span<double>) const;
  void reduce(Reduction reduction, std::span<double> numbers,
              const std::exception_ptr& error) const;
  [[noreturn]] void throw_first(const std::exception_ptr& error) const;

  const detail::RankExchange* exchange_;
};

}  // namespace taper::train
