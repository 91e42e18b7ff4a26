// ZeroRedundancyOptimizer::shard_gradients: gradients that are reduced to the rank of their owner.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "dist/support.h"
#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::adam_of;
using test::contains;
using test::error_text;
using test::errors_on_ranks;
using test::on_ranks;

struct ThreeLayers : nn::Module {
  nn::Linear first{3, 5}, second{5, 4}, third{4, 2};
  TAPER_MODULE(ThreeLayers, first, second, third)
  Tensor forward(const Tensor& x) { return third(tanh(second(tanh(first(x))))); }
};

/// Uses one of two layers after a shared one.
struct BranchingNet : nn::Module {
  nn::Linear shared{2, 2}, left{2, 2}, right{2, 2}, never{2, 2};
  bool uses_left = true;
  TAPER_MODULE(BranchingNet, shared, left, right, never)
  Tensor forward(const Tensor& x) { return uses_left ? left(shared(x)) : right(shared(x)); }
};

Tensor input_of(int rank, int step) {
  manual_seed(static_cast<std::uint64_t>(100 * step + rank));
  return randn({5, 3});
}

/// Performs steps on the gradients of two passes each, the first under `no_sync`.
void train(
    ThreeLayers& net, DistributedDataParallel& ddp, optim::Optimizer& opt, int rank,
    const SharedFunction<void()>& clip = [] {}) {
  for (int t = 0; t < 4; ++t) {
    opt.zero_grad(/*set_to_none=*/t % 2 == 0);
    {
      const auto guard = ddp.no_sync();
      net(input_of(rank, 10 + t)).square().mean().backward();
    }
    net(input_of(rank, t)).square().mean().backward();
    clip();
    opt.step();
  }
}

/// Returns the parameters after training by DistributedDataParallel and one Adam per rank.
std::vector<Tensor> train_replicated(int ranks, const SharedFunction<void(nn::Module&)>& clip) {
  std::vector<Tensor> params;
  on_ranks(ranks,
           [&](int rank) {
             manual_seed(1);
             ThreeLayers net;
             DistributedDataParallel ddp(net);
             optim::Adam opt(net.parameters(), {.lr = 0.1});
             train(net, ddp, opt, rank, [&] { clip(net); });
             if (rank == 0) params = net.parameters();
           },
           {.deterministic = true});
  return params;
}

TEST(ShardedGradients, MatchReplicatedTrainingToTheBit) {
  const std::vector<Tensor> expected = train_replicated(3, [](nn::Module&) {});
  for (const DistributedDataParallelOptions& options :
       {DistributedDataParallelOptions{}, {.bucket_cap_mb = 1e-5}, {.static_graph = true}}) {
    on_ranks(
        3,
        [&](int rank) {
          manual_seed(static_cast<std::uint64_t>(rank + 1));  // rank 0 determines the parameters
          ThreeLayers net;
          DistributedDataParallel ddp(net, options);
          ZeroRedundancyOptimizer opt(net.parameters(), adam_of);
          opt.shard_gradients(ddp);
          train(net, ddp, opt, rank);
          const std::vector<Tensor> params = net.parameters();
          for (std::size_t i = 0; i < params.size(); ++i)
            EXPECT_TRUE(equal(params[i], expected[i])) << i;
        },
        {.deterministic = true});
  }
}

TEST(ShardedGradients, StayOnTheRankOfTheirOwner) {
  on_ranks(2, [](int rank) {
    ThreeLayers net;
    DistributedDataParallel ddp(net);
    ZeroRedundancyOptimizer opt(net.parameters(), adam_of);
    opt.shard_gradients(ddp);
    net(ones({1, 3}) * static_cast<double>(rank)).sum().backward();
    const auto mine = opt.partition()[static_cast<std::size_t>(rank)][0];
    const std::vector<Tensor> params = net.parameters();
    for (std::size_t i = 0; i < params.size(); ++i)
      EXPECT_EQ(params[i].grad().defined(), std::find(mine.begin(), mine.end(), i) != mine.end());
    if (params[5].grad().defined()) { EXPECT_TRUE(equal(params[5].grad(), ones({2}))); }
  });
}

TEST(ShardedGradients, AreClippedByTheNormOfAllRanks) {
  for (const double order : {2.0, std::numeric_limits<double>::infinity()}) {
    const std::vector<Tensor> expected = train_replicated(2, [&](nn::Module& net) {
      nn::utils::clip_grad_norm_(net.parameters(), 0.1, {.norm_type = order});
    });
    on_ranks(2,
             [&](int rank) {
               manual_seed(1);
               ThreeLayers net;
               DistributedDataParallel ddp(net);
               ZeroRedundancyOptimizer opt(net.parameters(), adam_of);
               opt.shard_gradients(ddp);
               train(net, ddp, opt, rank, [&] { opt.clip_grad_norm_(0.1, {.norm_type = order}); });
               const std::vector<Tensor> params = net.parameters();
               for (std::size_t i = 0; i < params.size(); ++i)
                 EXPECT_TRUE(allclose(params[i], expected[i], 1e-5, 1e-6)) << i;
             },
             {.deterministic = true});
  }
}

TEST(ShardedGradients, NormIgnoresRanksWithoutParameters) {
  on_ranks(3, [](int) {
    const Tensor p = ones({4}, {.dtype = float64, .requires_grad = true});
    ZeroRedundancyOptimizer opt({p}, "SGD");
    p.set_grad(full({4}, 2.0, {.dtype = float64}));
    for (const auto& [order, norm] : {std::pair{2.0, 4.0}, {1.0, 8.0}, {-1.0, 0.5}, {0.0, 1.0}}) {
      const Tensor total = opt.clip_grad_norm_(1e9, {.norm_type = order});
      EXPECT_DOUBLE_EQ(total.item<double>(), norm) << order;
    }
    const Tensor smallest =
        opt.clip_grad_norm_(1e9, {.norm_type = -std::numeric_limits<double>::infinity()});
    EXPECT_EQ(smallest.item<double>(), 2.0);
    p.set_grad(full({4}, std::numeric_limits<double>::infinity(), {.dtype = float64}));
    EXPECT_TRUE(contains(
        error_text([&] { opt.clip_grad_norm_(1.0, {.error_if_nonfinite = true}); }), "non-finite"));
  });
}

TEST(ShardedGradients, AverageParametersThatSomeRanksUse) {
  on_ranks(2, [](int rank) {
    manual_seed(1);
    BranchingNet net;
    DistributedDataParallel ddp(net, {.find_unused_parameters = true});
    ZeroRedundancyOptimizer opt(net.parameters(), "SGD", Value::dict({{"lr", 0.0}}));
    opt.shard_gradients(ddp);
    net.uses_left = rank == 0;
    net(ones({1, 2})).sum().backward();
    const std::vector<Tensor> biases = {*net.left.bias, *net.right.bias};
    for (const Tensor& bias : biases)
      if (bias.grad().defined()) { EXPECT_TRUE(equal(bias.grad(), full({2}, 0.5f))); }
    EXPECT_FALSE(net.never.weight.grad().defined());
    // A gradient that no rank computes is retained.
    const Tensor left = net.left.bias->grad();
    const Tensor before = left.defined() ? left.clone() : Tensor();
    net.shared.zero_grad();
    net.right.zero_grad();
    net.uses_left = false;
    net(ones({1, 2})).sum().backward();
    if (before.defined()) { EXPECT_TRUE(equal(net.left.bias->grad(), before)); }
    if (net.right.bias->grad().defined()) {
      EXPECT_TRUE(equal(net.right.bias->grad(), full({2}, 1.0f)));
    }
  });
}

TEST(ShardedGradients, AddToThoseOfAnEarlierPassWhereTheRankDidNotUseTheParameter) {
  on_ranks(2, [](int rank) {
    manual_seed(1);
    BranchingNet net;
    DistributedDataParallel ddp(net, {.find_unused_parameters = true});
    ZeroRedundancyOptimizer opt(net.parameters(), "SGD");
    opt.shard_gradients(ddp);
    const auto mine = opt.partition()[static_cast<std::size_t>(rank)][0];
    // Position of left.bias. In the second pass, only the other rank uses it.
    const bool owns_left = std::find(mine.begin(), mine.end(), std::size_t{3}) != mine.end();
    net(ones({1, 2})).sum().backward();
    net.shared.zero_grad();
    net.right.zero_grad();
    net.uses_left = !owns_left;
    net(ones({1, 2})).sum().backward();
    if (owns_left) { EXPECT_TRUE(equal(net.left.bias->grad(), full({2}, 1.5f))); }
  });
}

TEST(ShardedGradients, RejectAccumulationAcrossReductions) {
  const std::vector<std::string> errors = errors_on_ranks(2, [](int) {
    ThreeLayers net;
    DistributedDataParallel ddp(net);
    ZeroRedundancyOptimizer opt(net.parameters(), adam_of);
    opt.shard_gradients(ddp);
    for (int t = 0; t < 2; ++t) net(ones({1, 3})).sum().backward();
  });
  EXPECT_TRUE(contains(errors[0] + errors[1], "call zero_grad before each pass"))
      << errors[0] << errors[1];
}

TEST(ShardedGradients, AcceptJoin) {
  on_ranks(2, [](int rank) {
    manual_seed(1);
    ThreeLayers net;
    const std::vector<Tensor> params = net.parameters();
    const std::vector<Tensor> whole = autograd::grad(net(ones({1, 3})).sum(), params);
    DistributedDataParallel ddp(net);
    ZeroRedundancyOptimizer opt(net.parameters(), adam_of);
    opt.shard_gradients(ddp);
    ddp.join([&] {
      for (int t = 0; t < 1 + rank; ++t) {
        net.zero_grad();
        net(ones({1, 3})).sum().backward();
      }
    });
    if (rank == 0) return;
    // In the second step, rank 0 contributes zeros.
    const auto mine = opt.partition()[1][0];
    ASSERT_FALSE(mine.empty());
    for (const std::size_t i : mine)
      EXPECT_TRUE(equal(params[i].grad(), whole[i] / 2)) << "parameter " << i;
  });
}

TEST(ShardedGradients, RejectInvalidUses) {
  on_ranks(2, [](int) {
    ThreeLayers net, other;
    DistributedDataParallel ddp(net), hooked(other);
    ZeroRedundancyOptimizer part(net.first.parameters(), adam_of);
    EXPECT_TRUE(contains(error_text([&] { part.shard_gradients(ddp); }),
                         "does not have the parameter second.weight"));
    ZeroRedundancyOptimizer elsewhere(net.parameters(), adam_of, {.process_group = new_group()});
    EXPECT_TRUE(
        contains(error_text([&] { elsewhere.shard_gradients(ddp); }), "different process group"));
    ZeroRedundancyOptimizer opt(net.parameters(), adam_of);
    opt.shard_gradients(ddp);
    EXPECT_TRUE(contains(error_text([&] { ddp.register_comm_hook(default_hooks::allreduce_hook); }),
                         "reduced to one rank each"));
    ZeroRedundancyOptimizer late(other.parameters(), adam_of);
    hooked.register_comm_hook(default_hooks::allreduce_hook);
    EXPECT_TRUE(
        contains(error_text([&] { late.shard_gradients(hooked); }), "a communication hook"));
  });
  on_ranks(2, [](int) {
    ThreeLayers net;
    DistributedDataParallel ddp(net);
    ZeroRedundancyOptimizer opt(net.parameters(), adam_of);
    net(ones({1, 3})).sum().backward();
    EXPECT_TRUE(
        contains(error_text([&] { opt.shard_gradients(ddp); }), "before the first forward pass"));
  });
}

}  // namespace
}  // namespace taper::distributed
