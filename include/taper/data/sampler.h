// In which order a loader reads a dataset.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/generator.h"

namespace TAPER_API taper {
namespace data {

/// Gives the indices of one pass over a dataset. Derive from it for an order of your own.
/// PyTorch: torch.utils.data.Sampler.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// The number of indices of a pass.
  virtual std::int64_t size() const = 0;
  /// The indices of the next pass, in order: called once for each iteration over a loader.
  virtual std::vector<std::int64_t> order() = 0;
};

/// 0, 1, ..., size - 1. PyTorch: SequentialSampler.
class SequentialSampler final : public Sampler {
 public:
  explicit SequentialSampler(std::int64_t size) : size_(size) {}
  std::int64_t size() const override { return size_; }
  std::vector<std::int64_t> order() override;

 private:
  std::int64_t size_;
};

struct RandomSamplerOptions {
  bool replacement = false;                   ///< an index may come several times
  std::optional<std::int64_t> num_samples{};  ///< default: the dataset's size
  /// Draws the order. Without one, each pass seeds a generator of its own with one number from the
  /// default generator, as PyTorch does.
  std::optional<Generator> generator{};
};

/// A new random order at every pass, PyTorch's for the same seed. PyTorch: RandomSampler. Throws
/// ValueError if there is nothing to draw.
class RandomSampler final : public Sampler {
 public:
  explicit RandomSampler(std::int64_t size, RandomSamplerOptions options = {});
  std::int64_t size() const override { return options_.num_samples.value_or(size_); }
  std::vector<std::int64_t> order() override;

 private:
  std::int64_t size_;
  RandomSamplerOptions options_;
};

/// The same given order at every pass, until it is replaced.
class OrderSampler final : public Sampler {
 public:
  explicit OrderSampler(std::vector<std::int64_t> order) : order_(std::move(order)) {}
  std::int64_t size() const override { return static_cast<std::int64_t>(order_.size()); }
  std::vector<std::int64_t> order() override { return order_; }
  void set_order(std::vector<std::int64_t> order) { order_ = std::move(order); }

 private:
  std::vector<std::int64_t> order_;
};

/// Gives the indices of one pass, batch by batch. PyTorch: a batch_sampler.
class BatchSampler {
 public:
  virtual ~BatchSampler() = default;
  /// The number of batches of a pass.
  virtual std::int64_t size() const = 0;
  virtual std::vector<std::vector<std::int64_t>> batches() = 0;
};

}  // namespace data
}  // namespace taper
