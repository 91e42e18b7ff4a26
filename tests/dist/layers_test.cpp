// SyncBatchNorm and metrics over ranks.
#include <gtest/gtest.h>

#include "dist/support.h"
#include "taper/core/generator.h"
#include "taper/metrics/aggregation.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::error_text;
using test::on_ranks;

TEST(SyncBatchNormOverRanks, MatchesBatchNormOfAllRows) {
  manual_seed(4);
  const Tensor rows = randn({7, 3, 2}), cotangent = randn({7, 3, 2});
  const std::vector<std::int64_t> begin = {0, 2, 2, 7};  // rank 1 has no rows
  nn::BatchNorm1d plain(3);
  const Tensor x = rows.clone().requires_grad_();
  const Tensor y = plain(x);
  (y * cotangent).sum().backward();
  on_ranks(3, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const auto part = [&](const Tensor& t) {
      return t.detach().narrow(0, begin[r], begin[r + 1] - begin[r]);
    };
    nn::SyncBatchNorm norm(3);
    const Tensor mine = part(rows).clone().requires_grad_();
    const Tensor out = norm(mine);
    EXPECT_TRUE(allclose(out, part(y), 1e-5, 1e-5));
    (out * part(cotangent)).sum().backward();
    EXPECT_TRUE(allclose(mine.grad(), part(x.grad()), 1e-4, 1e-5));
    const Tensor sum = norm.weight->grad().clone();
    all_reduce(sum);
    EXPECT_TRUE(allclose(sum, plain.weight->grad(), 1e-4, 1e-5));
    EXPECT_TRUE(allclose(*norm.running_mean, *plain.running_mean));
    EXPECT_TRUE(allclose(*norm.running_var, *plain.running_var));
    norm.eval();
    EXPECT_EQ(norm(ones({1, 3, 2})).numel(), 6);  // without communication
  });
}

TEST(MergedMetrics, ContainTheBatchesOfAllRanks) {
  on_ranks(3, [](int rank) {
    metrics::MeanMetric mean;
    for (int i = 0; i <= rank; ++i) mean.update(full({1}, static_cast<double>(rank)));
    metrics::CatMetric all;
    all.update(full({rank}, static_cast<double>(rank)));
    EXPECT_FLOAT_EQ(merged(mean).compute().item<float>(), 8.0f / 6);
    EXPECT_FLOAT_EQ(mean.compute().item<float>(), static_cast<float>(rank));
    EXPECT_TRUE(equal(merged(all).compute(), test::floats({1, 2, 2})));
    EXPECT_EQ(merged(mean).update_count(), 6);
  });
}

TEST(Metric, LoadsItsState) {
  metrics::MeanMetric from, to;
  from.update(test::floats({1, 3}));
  to.load_metric_state(from.metric_state(), from.update_count());
  EXPECT_FLOAT_EQ(to.compute().item<float>(), 2);
  EXPECT_EQ(to.update_count(), 1);
  EXPECT_TRUE(contains(error_text([&] { to.load_metric_state(Value::dict(), 0); }), "has no '"));
  EXPECT_FLOAT_EQ(to.compute().item<float>(), 2);
}

}  // namespace
}  // namespace taper::distributed
