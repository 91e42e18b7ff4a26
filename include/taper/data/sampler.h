// Samplers: order of the examples of an epoch.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/generator.h"

namespace TAPER_API taper {
namespace data {

/// Order of the indices of an epoch. Derive from it to define a custom order.
/// PyTorch: torch.utils.data.Sampler.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// Returns the number of indices of an epoch.
  virtual std::int64_t size() const = 0;
  /// Returns the indices of the next epoch, in order. Called once for each iteration over a loader.
  virtual std::vector<std::int64_t> indices() = 0;
};

/// Samples 0, 1, ..., size - 1. PyTorch: torch.utils.data.SequentialSampler.
class SequentialSampler final : public Sampler {
 public:
  explicit SequentialSampler(std::int64_t size) : size_(size) {}
  std::int64_t size() const override { return size_; }
  std::vector<std::int64_t> indices() override;

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
class RandomSampler final : public Sampler {
 public:
  explicit RandomSampler(std::int64_t size, RandomSamplerOptions options = {});
  std::int64_t size() const override { return options_.num_samples.value_or(size_); }
  std::vector<std::int64_t> indices() override;

 private:
  std::int64_t size_;
  RandomSamplerOptions options_;
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

/// Order of the batches of an epoch. PyTorch: the argument batch_sampler of
/// torch.utils.data.DataLoader.
class BatchSampler {
 public:
  virtual ~BatchSampler() = default;
  /// Returns the number of batches of an epoch.
  virtual std::int64_t size() const = 0;
  /// Returns the indices of the batches of the next epoch, in order.
  virtual std::vector<std::vector<std::int64_t>> batches() = 0;
};

}  // namespace data
}  // namespace taper
