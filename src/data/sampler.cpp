#include "taper/data/sampler.h"

#include <algorithm>

#include "core/check.h"
#include "data/draw.h"
#include "taper/core/factory.h"
#include "taper/data/nested_batch_sampler.h"

namespace taper::data {
namespace {

std::vector<std::int64_t> to_indices(const Tensor& t) {
  const auto elements = t.data<std::int64_t>();
  return {elements.begin(), elements.end()};
}

void check_num_samples(std::int64_t num_samples) {
  if (num_samples <= 0)
    fail<ValueError>("num_samples should be a positive integer value, but got num_samples={}",
                     num_samples);
}

/// Returns the function of a pass that consists of blocks. `next_block` returns the next block, or
/// an empty list at the end; it is called when the first index of the block is asked for.
template <class F> NextIndex concatenate(F next_block) {
  return [next_block = std::move(next_block), block = std::vector<std::int64_t>(),
          at = std::size_t{0}, ended = false]() mutable -> std::optional<std::int64_t> {
    if (at == block.size()) {
      if (!ended) block = next_block();
      ended |= block.empty();
      at = 0;
      if (ended) return block.clear(), std::nullopt;
    }
    return block[at++];
  };
}

/// As concatenate(), for a pass of a single block.
template <class F> NextIndex in_one_block(F make_block) {
  return concatenate([make_block = std::move(make_block), drawn = false]() mutable {
    return std::exchange(drawn, true) ? std::vector<std::int64_t>() : make_block();
  });
}

}  // namespace

NextIndex Sampler::iterate() {
  return in_one_block([this] { return indices(); });
}

void Sampler::set_epoch(std::int64_t) {}

std::vector<std::int64_t> detail::DrawingSampler::indices() {
  std::vector<std::int64_t> all;
  all.reserve(static_cast<std::size_t>(size()));
  const NextIndex next = iterate();
  while (const auto index = next()) all.push_back(*index);
  return all;
}

NextIndex SequentialSampler::iterate() {
  return [i = std::int64_t{0}, end = size_]() mutable {
    return i < end ? std::optional(i++) : std::nullopt;
  };
}

RandomSampler::RandomSampler(std::int64_t dataset_size, RandomSamplerOptions options)
    : size_(dataset_size), options_(std::move(options)) {
  check_num_samples(size());
  if (size_ <= 0)
    fail<ValueError>("RandomSampler: got a dataset of {} examples, expected at least one", size_);
}

NextIndex RandomSampler::iterate() {
  // The blocks are those of PyTorch: 32 numbers with replacement; otherwise whole permutations, and
  // one more, even if none of its elements is left to give.
  return concatenate([n = size_, replacement = options_.replacement, remaining = size(),
                      ended = false,
                      generator = options_.generator]() mutable -> std::vector<std::int64_t> {
    if (ended) return {};
    if (!generator) generator = Generator(draw_seed(default_generator()));
    if (replacement) {
      const std::int64_t count = std::min<std::int64_t>(remaining, 32);
      ended = count == 0;
      remaining -= count;
      return to_indices(randint(n, Shape{count}, {}, *generator));
    }
    ended = remaining < n;
    std::vector<std::int64_t> block = to_indices(randperm(n, {}, *generator));
    block.resize(static_cast<std::size_t>(std::min(remaining, n)));
    remaining -= n;
    return block;
  });
}

SubsetRandomSampler::SubsetRandomSampler(std::vector<std::int64_t> indices,
                                         std::optional<Generator> generator)
    : indices_(std::move(indices)), generator_(std::move(generator)) {}

NextIndex SubsetRandomSampler::iterate() {
  return in_one_block([this] {
    std::vector<std::int64_t> order =
        to_indices(randperm(size(), {}, generator_or_default(generator_)));
    for (std::int64_t& i : order) i = indices_[static_cast<std::size_t>(i)];
    return order;
  });
}

WeightedRandomSampler::WeightedRandomSampler(const Tensor& weights, IntArg num_samples,
                                             WeightedRandomSamplerOptions options)
    : weights_(weights.to(DType::f64)), num_samples_(num_samples), options_(std::move(options)) {
  check_num_samples(num_samples_);
  if (weights.dim() != 1)
    fail<ValueError>("weights should be a 1d sequence but given weights have shape {}",
                     weights.shape().str());
}

NextIndex WeightedRandomSampler::iterate() {
  return in_one_block([this] {
    return to_indices(multinomial(weights_, num_samples_, options_.replacement,
                                  generator_or_default(options_.generator)));
  });
}

DistributedSampler::DistributedSampler(std::int64_t size, DistributedSamplerOptions options)
    : size_(size), options_(options) {
  const std::int64_t replicas = options_.num_replicas, rank = options_.rank;
  if (replicas <= 0)
    fail<ValueError>("DistributedSampler: num_replicas must be positive: got {}", replicas);
  if (rank < 0 || rank >= replicas)
    fail<ValueError>("Invalid rank {}, rank should be in the interval [0, {}]", rank, replicas - 1);
}

std::int64_t DistributedSampler::size() const {
  const std::int64_t replicas = options_.num_replicas;
  return options_.drop_last ? size_ / replicas : (size_ + replicas - 1) / replicas;
}

NextIndex DistributedSampler::iterate() {
  return in_one_block([this] {
    const std::int64_t replicas = options_.num_replicas, total = size() * replicas;
    const Generator generator(options_.seed + static_cast<std::uint64_t>(epoch_));
    const std::vector<std::int64_t> order =
        to_indices(options_.shuffle ? randperm(size_, {}, generator) : arange(size_));
    std::vector<std::int64_t> part;
    for (std::int64_t i = options_.rank; i < total; i += replicas)
      part.push_back(order[static_cast<std::size_t>(i % size_)]);
    return part;
  });
}

namespace detail {

void check_batch_sampler(bool has_sampler, std::int64_t batch_size) {
  if (!has_sampler) fail<ValueError>("BatchSampler: sampler is null");
  if (batch_size <= 0)
    fail<ValueError>("batch_size should be a positive integer value, but got batch_size={}",
                     batch_size);
}

std::int64_t count_batches(std::int64_t n, std::int64_t batch_size, bool drop_last) {
  return drop_last ? n / batch_size : (n + batch_size - 1) / batch_size;
}

}  // namespace detail

BatchSampler::BatchSampler(std::shared_ptr<Sampler> sampler, IntArg batch_size, bool drop_last)
    : sampler_(std::move(sampler)), batch_size_(batch_size), drop_last_(drop_last) {
  detail::check_batch_sampler(sampler_ != nullptr, batch_size_);
}

void BatchSampler::check_sampler() const {
  if (!sampler_)
    fail<NotImplementedError>(
        "BatchSampler: a derived class without a sampler must override size and batches");
}

std::int64_t BatchSampler::size() const {
  check_sampler();
  return detail::count_batches(sampler_->size(), batch_size_, drop_last_);
}

void BatchSampler::set_epoch(std::int64_t epoch) {
  if (sampler_) sampler_->set_epoch(epoch);
}

std::vector<std::vector<std::int64_t>> BatchSampler::batches() {
  check_sampler();
  std::vector<std::vector<std::int64_t>> all;
  const NextBatch next = BatchSampler::iterate();
  while (auto batch = next()) all.push_back(std::move(*batch));
  return all;
}

NextBatch BatchSampler::iterate() {
  if (!sampler_)
    return [this, all = std::vector<std::vector<std::int64_t>>(), at = std::size_t{0},
            begun = false]() mutable -> std::optional<std::vector<std::int64_t>> {
      if (!std::exchange(begun, true)) all = batches();
      return at < all.size() ? std::optional(std::move(all[at++])) : std::nullopt;
    };
  return [next = sampler_->iterate(), count = static_cast<std::size_t>(batch_size_),
          drop_last = drop_last_]() mutable -> std::optional<std::vector<std::int64_t>> {
    std::vector<std::int64_t> batch;
    while (batch.size() < count) {
      const std::optional<std::int64_t> index = next();
      if (!index) break;
      batch.push_back(*index);
    }
    if (batch.empty() || (drop_last && batch.size() < count)) return std::nullopt;
    return batch;
  };
}

}  // namespace taper::data
