// NestedBatchSampler: batches of batches.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/shared_function.h"
#include "taper/data/sampler.h"

namespace TAPER_API taper {
namespace data {
namespace detail {
/// Throws ValueError unless the batch size is positive and there is a sampler.
void check_batch_sampler(bool has_sampler, std::int64_t batch_size);
/// Returns the number of batches of `n` items.
std::int64_t count_batches(std::int64_t n, std::int64_t batch_size, bool drop_last);
}  // namespace detail

/// Combines the batches of a batch sampler to lists of batches, for example for the accumulation of
/// gradients. S is BatchSampler, a class derived from it, or NestedBatchSampler. Throws ValueError
/// if batch_size is not positive. PyTorch: torch.utils.data.BatchSampler of a BatchSampler.
///
///     auto batches = std::make_shared<data::BatchSampler>(sampler, 8, false);
///     data::NestedBatchSampler steps(batches, 4, true);  // lists of 4 batches
template <class S> class NestedBatchSampler {
 public:
  /// Batch of the inner sampler.
  using Batch = typename decltype(std::declval<S&>().iterate()())::value_type;
  using Next = SharedFunction<std::optional<std::vector<Batch>>()>;

  /// `drop_last` omits an incomplete last list.
  NestedBatchSampler(std::shared_ptr<S> sampler, IntArg batch_size, bool drop_last)
      : sampler_(std::move(sampler)), batch_size_(batch_size), drop_last_(drop_last) {
    detail::check_batch_sampler(sampler_ != nullptr, batch_size_);
  }
  /// Returns the number of lists of an epoch.
  std::int64_t size() const {
    return detail::count_batches(sampler_->size(), batch_size_, drop_last_);
  }
  /// Starts a pass. The batches of a list are taken from the sampler when it is asked for.
  Next iterate() {
    return [next = sampler_->iterate(), count = static_cast<std::size_t>(batch_size_),
            drop_last = drop_last_]() mutable -> std::optional<std::vector<Batch>> {
      std::vector<Batch> list;
      while (list.size() < count) {
        auto batch = next();
        if (!batch) break;
        list.push_back(*std::move(batch));
      }
      if (list.empty() || (drop_last && list.size() < count)) return std::nullopt;
      return list;
    };
  }
  /// Calls set_epoch of the sampler.
  void set_epoch(std::int64_t epoch) { sampler_->set_epoch(epoch); }

 private:
  std::shared_ptr<S> sampler_;
  std::int64_t batch_size_;
  bool drop_last_;
};

}  // namespace data
}  // namespace taper
