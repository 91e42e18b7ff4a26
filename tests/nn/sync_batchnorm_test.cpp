// SyncBatchNorm in one process.
#include "taper/nn/sync_batchnorm.h"

#include <gtest/gtest.h>

#include "support/contains.h"
#include "support/error_text.h"
#include "taper/taper.h"

namespace {

using namespace taper;
using taper::test::contains, taper::test::error_text;

TEST(SyncBatchNorm, AgreesWithBatchNormForEveryRank) {
  for (const Shape& shape :
       {Shape{4, 3}, Shape{4, 3, 5}, Shape{2, 3, 4, 5}, Shape{2, 3, 1, 4, 5}}) {
    const Tensor x = randn(shape), flat = x.reshape({shape[0], 3, -1});
    nn::SyncBatchNorm sync(3);
    nn::BatchNorm1d plain(3);
    EXPECT_TRUE(allclose(sync(x).reshape(flat.shape()), plain(flat)));
    EXPECT_TRUE(allclose(*sync.running_var, *plain.running_var));
    EXPECT_EQ(sync.num_batches_tracked->item<std::int64_t>(), 1);
  }
  nn::SyncBatchNorm sync(3);
  EXPECT_TRUE(contains(error_text<ValueError>([&] { sync(zeros({3})); }),
                       "expected at least 2D input (got 1D input)"));
  EXPECT_TRUE(contains(error_text<ValueError>([&] {
                         sync(zeros({2, 0}));
                       }),
                       "number of input channels should be non-zero"));
}

TEST(SyncBatchNorm, ConvertsLayersOfContainers) {
  const auto net = std::make_shared<nn::Sequential>(std::vector<nn::NamedChild>{
      {"fc", std::make_shared<nn::Linear>(2, 3)}, {"norm", std::make_shared<nn::BatchNorm1d>(3)}});
  net->eval();
  const Tensor x = randn({4, 2}), before = (*net)(x);
  const Tensor weight = net->get_parameter("norm.weight");
  EXPECT_EQ(nn::SyncBatchNorm::convert_sync_batchnorm(net), net);
  EXPECT_EQ(net->get_submodule("norm").type_name(), "SyncBatchNorm");
  EXPECT_TRUE(net->get_parameter("norm.weight").is_same(weight));
  EXPECT_TRUE(equal((*net)(x), before));
  EXPECT_EQ(
      nn::SyncBatchNorm::convert_sync_batchnorm(std::make_shared<nn::BatchNorm2d>(3))->type_name(),
      "SyncBatchNorm");
}

}  // namespace
