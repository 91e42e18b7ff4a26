#include "taper/data/sampler.h"

#include <numeric>

#include "core/check.h"
#include "taper/core/factory.h"

namespace taper::data {
namespace {

void append_indices(std::vector<std::int64_t>& order, const Tensor& indices, std::int64_t count) {
  const auto all = indices.data<std::int64_t>();
  order.insert(order.end(), all.begin(), all.begin() + count);
}

}  // namespace

std::vector<std::int64_t> SequentialSampler::indices() {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size_));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

RandomSampler::RandomSampler(std::int64_t dataset_size, RandomSamplerOptions options)
    : size_(dataset_size), options_(std::move(options)) {
  if (size() <= 0)
    fail<ValueError>("num_samples should be a positive integer value, but got num_samples={}",
                     size());
  if (size_ <= 0)
    fail<ValueError>("RandomSampler: got a dataset of {} examples, expected at least one", size_);
}

std::vector<std::int64_t> RandomSampler::indices() {
  Generator generator = default_generator();
  if (options_.generator)
    generator = *options_.generator;
  else
    generator = Generator(static_cast<std::uint64_t>(
        empty({}, {.dtype = DType::i64}).random_().item<std::int64_t>()));
  const std::int64_t count = size();
  std::vector<std::int64_t> order;
  order.reserve(static_cast<std::size_t>(count));
  if (options_.replacement) {
    // Draws blocks of 32 indices, as PyTorch does.
    for (std::int64_t remaining = count; remaining > 0; remaining -= 32) {
      const std::int64_t block = remaining < 32 ? remaining : 32;
      append_indices(order, randint(size_, Shape{block}, {}, generator), block);
    }
    return order;
  }
  // As in PyTorch, one permutation more than the full ones is drawn even if its elements are not
  // needed; its first elements are the remainder.
  for (std::int64_t i = 0; i < count / size_; ++i)
    append_indices(order, randperm(size_, {}, generator), size_);
  append_indices(order, randperm(size_, {}, generator), count % size_);
  return order;
}

}  // namespace taper::data
