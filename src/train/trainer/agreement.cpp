// Decisions of all ranks of a run.
#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "train/trainer/trainer_impl.h"

namespace taper::train::detail {

void TrainerImpl::check_ranks() const {
  const Ranks all_ranks = ranks();
  if (all_ranks.are_alone()) return;
  const std::string position = fmt::format("batch {} of epoch {} of {} (step {})", state.batch,
                                           state.epoch + 1, options.epochs, state.step);
  const Values positions = all_ranks.all_gather(position);
  for (std::size_t r = 1; r < positions.size(); ++r)
    if (positions[r].as_string() != positions[0].as_string())
      fail<ValueError>(
          "Trainer: all ranks must continue at the same position: rank 0 is after {}, rank {} "
          "after {}",
          positions[0].as_string(), r, positions[r].as_string());
}

void TrainerImpl::check_batches(const std::exception_ptr& error,
                                const std::vector<AnyBatch>& read) const {
  const Ranks all_ranks = ranks();
  const auto count = static_cast<std::int64_t>(read.size());
  double extremes[] = {static_cast<double>(count), -static_cast<double>(count)};
  all_ranks.max(extremes, error);
  if (extremes[0] == -extremes[1]) return;
  std::string counts;
  const Values all = all_ranks.all_gather(state.batch + count);
  for (std::size_t r = 0; r < all.size(); ++r)
    counts += fmt::format("{}rank {} has read {}", r == 0 ? "" : ", ", r, all[r].as_int());
  fail<ValueError>(
      "Trainer: the loaders of all ranks must return the same number of batches: in epoch {}, {}. "
      "Use data::DistributedSampler",
      state.epoch + 1, counts);
}

Decision TrainerImpl::decide_after(const SharedFunction<void()>& f) const {
  const auto own = [this] {
    return Decision{reason_to_stop(), files.enabled() && files.is_due(state.step)};
  };
  const Ranks all_ranks = ranks();
  if (all_ranks.are_alone()) {
    f();
    return own();
  }
  const std::exception_ptr error = error_of([&] { f(); });
  const Decision mine = own();
  double numbers[] = {static_cast<double>(mine.reason_to_stop.value_or(FitResult::finished)),
                      mine.is_checkpoint_due ? 1.0 : 0.0};
  all_ranks.max(numbers, error);
  const auto reason = static_cast<FitResult>(numbers[0]);
  return {reason == FitResult::finished ? std::nullopt : std::optional(reason), numbers[1] > 0};
}

Value TrainerImpl::mean_over_ranks(const Value& metrics) const {
  const Ranks all_ranks = ranks();
  if (all_ranks.are_alone()) return metrics;
  const Values all = all_ranks.all_gather(metrics);
  const Value means = Value::dict();
  for (const Value& part : all)
    for (const auto& [name, ignored] : part.as_dict()) {
      if (means.find(name)) continue;
      double sum = 0;
      int count = 0;
      for (const Value& other : all)
        if (const Value* const metric = other.find(name)) sum += metric->as_double(), ++count;
      means.as_dict().set(name, sum / count);
    }
  return means;
}

}  // namespace taper::train::detail
