// Samplers: order of the examples of an epoch. PyTorch: torch.utils.data.sampler.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/not_bool.h"
#include "taper/core/shared_function.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace data {

/// Returns the next index of a pass, or nullopt at its end.
using NextIndex = SharedFunction<std::optional<std::int64_t>()>;
/// Returns the indices of the next batch of a pass, or nullopt at its end.
using NextBatch = SharedFunction<std::optional<std::vector<std::int64_t>>()>;

/// Order of the indices of an epoch. Derive from it to define a custom order.
/// PyTorch: torch.utils.data.Sampler.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// Returns the number of indices of an epoch.
  virtual std::int64_t size() const = 0;
  /// Returns the indices of the next epoch, in order. Called once for each iteration over a loader.
  virtual std::vector<std::int64_t> indices() = 0;
  /// Starts a pass, which draws random numbers only when the index that requires them is asked for.
  /// The default implementation calls indices() for the first index. The sampler must not be
  /// destroyed before the last call of the result. PyTorch: Sampler.__iter__.
  virtual NextIndex iterate();
  /// Sets the number of the next epoch, from 0. train::Trainer calls it before each epoch. The
  /// default implementation does nothing: most orders do not depend on the epoch.
  virtual void set_epoch(std::int64_t epoch);
};

namespace detail {

/// Base class of samplers that implement iterate().
class DrawingSampler : public Sampler {
 public:
  std::vector<std::int64_t> indices() final;
  NextIndex iterate() override = 0;
};

}  // namespace detail

/// Samples 0, 1, ..., size - 1. PyTorch: torch.utils.data.SequentialSampler.
class SequentialSampler final : public detail::DrawingSampler {
 public:
  explicit SequentialSampler(std::int64_t size) : size_(size) {}
  std::int64_t size() const override { return size_; }
  NextIndex iterate() override;

 private:
  std::int64_t size_;
};

/// Options of RandomSampler.
struct RandomSamplerOptions {
  bool replacement = false;                   ///< draws with replacement
  std::optional<std::int64_t> num_samples{};  ///< default: the size of the dataset
  /// Generator of the order. By default, each epoch seeds a new generator with one number of the
  /// default generator, as PyTorch does.
  std::optional<Generator> generator{};
};

/// Samples the indices in a new random order in each epoch, which is that of PyTorch for the same
/// seed. Throws ValueError if the dataset is empty or num_samples is not positive.
/// PyTorch: torch.utils.data.RandomSampler.
class RandomSampler final : public detail::DrawingSampler {
 public:
  explicit RandomSampler(std::int64_t size, RandomSamplerOptions options = {});
  std::int64_t size() const override { return options_.num_samples.value_or(size_); }
  NextIndex iterate() override;

 private:
  std::int64_t size_;
  RandomSamplerOptions options_;
};

/// Samples the given indices in a new random order in each epoch. `generator` defaults to the
/// default generator. PyTorch: torch.utils.data.SubsetRandomSampler.
class SubsetRandomSampler final : public detail::DrawingSampler {
 public:
  explicit SubsetRandomSampler(std::vector<std::int64_t> indices,
                               std::optional<Generator> generator = {});
  std::int64_t size() const override { return static_cast<std::int64_t>(indices_.size()); }
  NextIndex iterate() override;

 private:
  std::vector<std::int64_t> indices_;
  std::optional<Generator> generator_;
};

/// Options of WeightedRandomSampler.
struct WeightedRandomSamplerOptions {
  bool replacement = true;               ///< an index may be drawn several times
  std::optional<Generator> generator{};  ///< default: the default generator
};

/// Samples `num_samples` indices with probabilities proportional to `weights` `(N)`. Throws
/// ValueError unless the weights are 1-dimensional and num_samples is positive. A pass throws
/// ValueError for weights that are negative, not finite or all zero, and if more than N indices are
/// drawn without replacement. PyTorch: torch.utils.data.WeightedRandomSampler.
class WeightedRandomSampler final : public detail::DrawingSampler {
 public:
  WeightedRandomSampler(const Tensor& weights, IntArg num_samples,
                        WeightedRandomSamplerOptions options = {});
  std::int64_t size() const override { return num_samples_; }
  NextIndex iterate() override;

 private:
  Tensor weights_;
  std::int64_t num_samples_;
  WeightedRandomSamplerOptions options_;
};

/// Samples a fixed list of indices in each epoch.
class FixedOrderSampler final : public Sampler {
 public:
  explicit FixedOrderSampler(std::vector<std::int64_t> indices) : indices_(std::move(indices)) {}
  std::int64_t size() const override { return static_cast<std::int64_t>(indices_.size()); }
  std::vector<std::int64_t> indices() override { return indices_; }
  /// Replaces the list of indices, starting with the next epoch.
  void set_indices(std::vector<std::int64_t> indices) { indices_ = std::move(indices); }

 private:
  std::vector<std::int64_t> indices_;
};

/// Options of DistributedSampler.
struct DistributedSamplerOptions {
  IntArg num_replicas = 1;  ///< number of processes
  IntArg rank = 0;          ///< number of this process
  bool shuffle = true;      ///< new random order in each epoch, the same in all processes
  std::uint64_t seed = 0;   ///< seed of the order; must be equal in all processes
  bool drop_last = false;   ///< omits examples instead of repeating some, so that parts are equal
};

/// Samples the part of a dataset that belongs to one process: every num_replicas-th index, starting
/// at `rank`, of an order that is equal in all processes. Throws ValueError if num_replicas is not
/// positive or the rank is not in [0, num_replicas).
/// PyTorch: torch.utils.data.distributed.DistributedSampler.
class DistributedSampler final : public detail::DrawingSampler {
 public:
  explicit DistributedSampler(std::int64_t size, DistributedSamplerOptions options = {});
  std::int64_t size() const override;
  NextIndex iterate() override;
  /// Sets the epoch, which determines the order together with the seed. Without a call before each
  /// epoch, all epochs have the order of epoch 0.
  void set_epoch(std::int64_t epoch) override { epoch_ = epoch; }

 private:
  std::int64_t size_;
  DistributedSamplerOptions options_;
  std::int64_t epoch_ = 0;
};

/// Combines the indices of a sampler to batches. Derive from it to define custom batches. Throws
/// ValueError if batch_size is not positive. PyTorch: torch.utils.data.BatchSampler.
class BatchSampler {
 public:
  /// `drop_last` omits an incomplete last batch.
  BatchSampler(std::shared_ptr<Sampler> sampler, IntArg batch_size, bool drop_last);
  virtual ~BatchSampler() = default;
  /// Returns the number of batches of an epoch.
  virtual std::int64_t size() const;
  /// Returns the indices of the batches of the next epoch, in order.
  virtual std::vector<std::vector<std::int64_t>> batches();
  /// Starts a pass. The indices of a batch are taken from the sampler when it is asked for; without
  /// a sampler, batches() is called for the first batch.
  virtual NextBatch iterate();
  /// Calls set_epoch of the sampler, if there is one.
  virtual void set_epoch(std::int64_t epoch);

 protected:
  /// For derived classes without a sampler, which override size() and batches().
  BatchSampler() = default;

 private:
  void check_sampler() const;

  std::shared_ptr<Sampler> sampler_;
  std::int64_t batch_size_ = 0;
  bool drop_last_ = false;
};

}  // namespace data
}  // namespace taper
