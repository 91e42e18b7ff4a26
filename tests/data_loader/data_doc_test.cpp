// The code of docs/data.md.
#include <gtest/gtest.h>

#include <set>

#include "taper/taper.h"

namespace taper {
namespace {

struct PageSquares {
  std::int64_t size() const { return 10; }
  std::int64_t get(std::int64_t i) const { return i * i; }
};

TEST(DataPage, SplitsDatasets) {
  const PageSquares set;
  // two data::Subset<Dataset>, which share the dataset
  auto parts = data::random_split(set, {0.8, 0.2}, Generator(1));
  data::DataLoader train(parts[0], {.batch_size = 4, .shuffle = true});
  data::DataLoader valid(parts[1], {.batch_size = 4});
  EXPECT_EQ(parts[0].size(), 8);
  EXPECT_EQ(train.size(), 2);
  EXPECT_EQ(valid.size(), 1);
  std::set<std::int64_t> all(parts[0].indices().begin(), parts[0].indices().end());
  all.insert(parts[1].indices().begin(), parts[1].indices().end());
  EXPECT_EQ(all.size(), 10u);
}

TEST(DataPage, PassesSamplers) {
  const PageSquares set;
  const Tensor weights = arange(10).to(float32);
  auto sampler = std::make_shared<data::WeightedRandomSampler>(
      weights, 6, data::WeightedRandomSamplerOptions{.replacement = false});
  data::DataLoader loader(set, {.batch_size = 3, .sampler = sampler});
  auto batches = std::make_shared<data::BatchSampler>(sampler, 2, false);
  data::DataLoader pairs(set, {.batch_sampler = batches});
  EXPECT_EQ(loader.size(), 2);
  EXPECT_EQ(pairs.size(), 3);
  for (const Tensor& batch : pairs) EXPECT_TRUE(batch.gt(0).all().item<bool>());
}

}  // namespace
}  // namespace taper
