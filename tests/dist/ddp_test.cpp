// DistributedDataParallel: values, buckets, options, refused uses.
#include "taper/dist/distributed_data_parallel.h"

#include <gtest/gtest.h>

#include <limits>

#include "autograd/hooks.h"
#include "dist/bucket_assignment.h"
#include "dist/support.h"
#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::error_text;
using test::errors_on_ranks;
using test::floats;
using test::on_ranks;

struct TwoLayers : nn::Module {
  nn::Linear first{3, 4}, second{4, 2};
  TAPER_MODULE(TwoLayers, first, second)
  Tensor forward(Tensor x) { return second(tanh(first(x))); }
};

/// Uses one of two layers.
struct EitherLayer : nn::Module {
  nn::Linear left{2, 2}, right{2, 2};
  bool uses_left = true;
  TAPER_MODULE(EitherLayer, left, right)
  Tensor forward(const Tensor& x) { return uses_left ? left(x) : right(x); }
};

Tensor batch_of(int rank) {
  manual_seed(static_cast<std::uint64_t>(100 + rank));
  return randn({5, 3});
}

/// Returns the parameters after `steps` steps of one process on the mean of the ranks' losses.
std::vector<Tensor> train_alone(int ranks, int steps) {
  manual_seed(1);
  TwoLayers net;
  optim::SGD opt(net.parameters(), {.lr = 0.1, .momentum = 0.9});
  for (int t = 0; t < steps; ++t) {
    opt.zero_grad();
    for (int r = 0; r < ranks; ++r) (net(batch_of(r)).square().mean() / ranks).backward();
    opt.step();
  }
  return net.parameters();
}

void expect_close(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected) {
  for (std::size_t i = 0; i < actual.size(); ++i)
    EXPECT_TRUE(allclose(actual[i], expected[i], 1e-5, 1e-6)) << i;
}

void expect_training_matches(const DistributedDataParallelOptions& options) {
  const std::vector<Tensor> expected = train_alone(3, 4);
  on_ranks(3, [&](int rank) {
    manual_seed(static_cast<std::uint64_t>(rank + 1));  // rank 0 determines the parameters
    TwoLayers net;
    const DistributedDataParallel ddp(net, options);
    optim::SGD opt(net.parameters(), {.lr = 0.1, .momentum = 0.9});
    for (int t = 0; t < 4; ++t) {
      opt.zero_grad();
      net(batch_of(rank)).square().mean().backward();
      opt.step();
    }
    expect_close(net.parameters(), expected);
  });
}

TEST(DistributedDataParallel, MatchesOneProcess) {
  expect_training_matches({});
  expect_training_matches({.bucket_cap_mb = 1e-5});
  expect_training_matches({.bucket_cap_mb = std::numeric_limits<double>::infinity()});
  expect_training_matches({.gradient_as_bucket_view = true});
  expect_training_matches({.bucket_cap_mb = 2e-5, .find_unused_parameters = true});
  expect_training_matches({.bucket_cap_mb = 2e-5, .static_graph = true});
}

TEST(DistributedDataParallel, LeavesTheModuleUnchanged) {
  on_ranks(2, [](int) {
    TwoLayers net;
    const std::string before = net.str();
    {
      const DistributedDataParallel ddp(net);
      EXPECT_EQ(net.str(), before);
      EXPECT_TRUE(ddp.state_dict().contains("module.first.weight"));
      EXPECT_TRUE(net.state_dict().contains("first.weight"));
    }
    net(ones({1, 3})).sum().backward();  // hooks are removed
  });
}

TEST(DistributedDataParallel, IsFreeWithOneRank) {
  on_ranks(1, [](int) {
    TwoLayers net;
    DistributedDataParallel ddp(net);
    EXPECT_FALSE(leaf_hooks_exist());
    net(ones({1, 3})).sum().backward();
    int buckets = 0;
    ddp.register_comm_hook([&](const Group& group, const GradBucket& bucket) {
      ++buckets;
      return default_hooks::allreduce_hook(group, bucket);
    });
    net(ones({1, 3})).sum().backward();
    EXPECT_EQ(buckets, 1);
  });
}

TEST(DistributedDataParallel, LoadsStateDictsWithAndWithoutPrefix) {
  on_ranks(1, [](int) {
    TwoLayers net, other;
    DistributedDataParallel ddp(net);
    EXPECT_TRUE(ddp.load_state_dict(DistributedDataParallel(other).state_dict()).empty());
    EXPECT_TRUE(equal(net.first.weight, other.first.weight));
    EXPECT_TRUE(ddp.load_state_dict(other.state_dict()).empty());
  });
}

TEST(DistributedDataParallel, AccumulatesLocallyUnderNoSync) {
  on_ranks(2, [](int rank) {
    nn::Linear net(1, 1, {.bias = false});
    DistributedDataParallel ddp(net);
    const auto r = static_cast<float>(rank + 1);
    {
      const auto guard = ddp.no_sync();
      net(full({1, 1}, r)).sum().backward();
      EXPECT_EQ(net.weight.grad().item<float>(), r);
    }
    net(full({1, 1}, 10 * r)).sum().backward();
    EXPECT_EQ(net.weight.grad().item<float>(), 16.5f);  // (11 + 22) / 2
  });
}

TEST(DistributedDataParallel, AveragesParametersThatSomeRanksUse) {
  on_ranks(2, [](int rank) {
    EitherLayer net;
    const DistributedDataParallel ddp(net, {.find_unused_parameters = true});
    net.uses_left = true;
    net(ones({1, 2})).sum().backward();
    EXPECT_TRUE(equal(net.left.bias->grad(), floats({1, 1})));
    EXPECT_FALSE(net.right.bias->grad().defined());
    net.zero_grad();
    net.uses_left = rank == 0;
    net(ones({1, 2})).sum().backward();
    EXPECT_TRUE(equal(net.left.bias->grad(), floats({0.5, 0.5})));
    EXPECT_TRUE(equal(net.right.bias->grad(), floats({0.5, 0.5})));
  });
}

TEST(DistributedDataParallel, RejectsUnusedParameters) {
  const auto errors = errors_on_ranks(2, [](int) {
    EitherLayer net;
    const DistributedDataParallel ddp(net);
    net(ones({1, 2})).sum().backward();
    net(ones({1, 2}));
  });
  for (const std::string& error : errors) {
    EXPECT_TRUE(contains(error, "Expected to have finished reduction in the prior iteration"));
    EXPECT_TRUE(contains(error, "right.weight, right.bias")) << error;
  }
}

TEST(DistributedDataParallel, RejectsModulesThatDiffer) {
  const auto errors = errors_on_ranks(2, [](int rank) {
    nn::Linear net(3, 2 + rank);
    const DistributedDataParallel ddp(net);
  });
  for (const std::string& error : errors)
    EXPECT_TRUE(contains(error,
                         "number 0 is 'weight' float32 [2, 3] on rank 0 and 'weight' float32 "
                         "[3, 3] on rank 1"))
        << error;
}

TEST(DistributedDataParallel, RejectsInvalidArguments) {
  on_ranks(1, [](int) {
    nn::ReLU none;
    EXPECT_TRUE(contains(error_text([&] { DistributedDataParallel(none).module(); }),
                         "doesn't have any parameters that require a gradient"));
    nn::Linear net(1, 1);
    EXPECT_TRUE(
        contains(error_text([&] { DistributedDataParallel(net, {.bucket_cap_mb = 0.0}).module(); }),
                 "bucket_cap_mb must be positive"));
    DistributedDataParallel ddp(net);
    ddp.register_comm_hook(default_hooks::allreduce_hook);
    EXPECT_TRUE(contains(error_text([&] { ddp.register_comm_hook(default_hooks::allreduce_hook); }),
                         "once"));
  });
}

TEST(DistributedDataParallel, TimeoutsNameBucketAndParameters) {
  const auto errors = errors_on_ranks(2,
                                      [](int rank) {
                                        nn::Linear net(1, 1);
                                        const DistributedDataParallel ddp(net);
                                        if (rank == 0) net(ones({1, 1})).sum().backward();
                                      },
                                      {.timeout = Timeout(0.2)});
  EXPECT_TRUE(contains(errors[0],
                       "in bucket 0 (weight, bias): timed out after 0.2 s: rank 1 has "
                       "not called it"))
      << errors[0];
}

TEST(DistributedDataParallel, CopiesBuffersOfRankZero) {
  on_ranks(2, [](int rank) {
    nn::BatchNorm1d net(1);
    const DistributedDataParallel ddp(net);
    net(full({2, 1}, static_cast<float>(rank)));
    EXPECT_FLOAT_EQ(net.running_mean->item<float>(), 0.1f * static_cast<float>(rank));
    net(full({2, 1}, static_cast<float>(rank)));  // continues from rank 0
    EXPECT_FLOAT_EQ(net.running_mean->item<float>(), 0.1f * static_cast<float>(rank));
  });
}

TEST(CommHooks, CompressToBfloat16) {
  on_ranks(2, [](int rank) {
    nn::Linear net(1, 1, {.bias = false});
    DistributedDataParallel ddp(net);
    ddp.register_comm_hook(default_hooks::bf16_compress_hook);
    net(full({1, 1}, rank == 0 ? 1.0f : 1.001f)).sum().backward();
    EXPECT_EQ(net.weight.grad().item<float>(), 1.0f);
  });
}

TEST(Join, ShadowsRanksWithMoreSteps) {
  std::vector<Tensor> weights(3);
  on_ranks(3, [&](int rank) {
    nn::Linear net(1, 1, {.bias = false});
    DistributedDataParallel ddp(net);
    net.weight.detach().fill_(0);
    optim::SGD opt(net.parameters(), {.lr = 1});
    ddp.join(
        [&] {
          for (int t = 0; t <= rank; ++t) {
            opt.zero_grad();
            net(ones({1, 1})).sum().backward();
            opt.step();
          }
        },
        {.divide_by_initial_world_size = false});
    weights[static_cast<std::size_t>(rank)] = net.weight.detach().clone();
  });
  for (const Tensor& w : weights) EXPECT_FLOAT_EQ(w.item<float>(), -3);  // that of rank 2
}

TEST(Join, ThrowsOnEarlyTermination) {
  const auto errors = errors_on_ranks(2, [](int rank) {
    nn::Linear net(1, 1);
    DistributedDataParallel ddp(net);
    ddp.join(
        [&] {
          for (int t = 0; t <= rank; ++t) net(ones({1, 1})).sum().backward();
        },
        {.throw_on_early_termination = true});
  });
  EXPECT_TRUE(contains(errors[0], "Rank 0 exhausted all inputs"));
  EXPECT_TRUE(contains(errors[1], "Detected at least one rank that exhausted inputs"));
}

TEST(AssignBuckets, ClosesBucketsOfEachTypeAtTheirLimits) {
  const Tensor f = zeros({2}), d = zeros({2}, {.dtype = DType::f64});
  // 8 and 16 bytes; limits of 8, then 24 bytes per type.
  EXPECT_EQ(assign_buckets({f, d, f, f, d, f}, {0, 1, 2, 3, 4, 5}, {8, 24}),
            (BucketAssignment{{0}, {1}, {2, 3, 5}, {4}}));
  EXPECT_EQ(assign_buckets({f, d, f}, {2, 1, 0}, {1000}), (BucketAssignment{{2, 0}, {1}}));
}

struct WithStatistics : nn::Module {
  nn::Linear first{3, 4};
  nn::BatchNorm1d norm{4};
  TAPER_MODULE(WithStatistics, first, norm)
  Tensor forward(const Tensor& x) const { return norm(first(x)); }
};

TEST(DistributedDataParallel, OneRankMayEvaluateAlone) {
  on_ranks(2, [](int rank) {
    manual_seed(1);
    WithStatistics net;
    const DistributedDataParallel ddp(net);
    optim::SGD opt(net.parameters(), {.lr = 0.1});
    for (int step = 0; step < 3; ++step) {
      opt.zero_grad();
      net(batch_of(rank)).square().mean().backward();
      opt.step();
      if (rank == 0) {
        net.eval();
        static_cast<void>(net(ones({2, 3})));  // records gradients
        net.train();
        const NoGrad guard;
        static_cast<void>(net(ones({2, 3})));  // changes the statistics of rank 0
      }
    }
    // The next forward pass in training copies those statistics.
    net(batch_of(rank)).square().mean().backward();
    Tensor mean = net.norm.running_mean->clone();
    broadcast(mean, 0);
    EXPECT_FALSE(mean.isnan().any().item<bool>());
  });
}

TEST(DistributedDataParallel, MismatchedForwardNamesBuffers) {
  const auto errors = errors_on_ranks(2,
                                      [](int rank) {
                                        manual_seed(1);
                                        WithStatistics net;
                                        const DistributedDataParallel ddp(net);
                                        if (rank == 0) {
                                          net(batch_of(rank)).sum().backward();
                                        } else {
                                          Tensor other = ones({3});
                                          all_reduce(other);
                                        }
                                      },
                                      {.timeout = std::chrono::seconds(20)});
  EXPECT_TRUE(contains(errors[0], "DistributedDataParallel: each forward pass in training mode"))
      << errors[0];
}

}  // namespace
}  // namespace taper::distributed
