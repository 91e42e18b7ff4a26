// fully_shard: values, shapes, state dicts, refused uses.
#include "taper/dist/fully_shard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dist/support.h"
#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::error_text;
using test::on_ranks;

struct ShardedNet : nn::Module {
  nn::Linear first{3, 5}, second{5, 2};
  TAPER_MODULE(ShardedNet, first, second)
  Tensor forward(Tensor x) { return second(tanh(first(x))); }
};

Tensor rows_of(int rank) {
  manual_seed(static_cast<std::uint64_t>(50 + rank));
  return randn({4, 3});
}

/// Returns the parameters after `steps` steps of one process on the mean of the ranks' losses.
std::vector<Tensor> whole_training(int ranks, int steps) {
  manual_seed(9);
  ShardedNet net;
  optim::AdamW opt(net.parameters(), {.lr = 0.05});
  for (int t = 0; t < steps; ++t) {
    opt.zero_grad();
    for (int r = 0; r < ranks; ++r) (net(rows_of(r)).square().mean() / ranks).backward();
    opt.step();
  }
  return net.parameters();
}

void shard_net(ShardedNet& net, const FullyShardOptions& options = {}) {
  fully_shard(net.first, options);
  fully_shard(net, options);
}

void expect_sharded_training(const FullyShardOptions& options) {
  const std::vector<Tensor> expected = whole_training(3, 3);
  on_ranks(3, [&](int rank) {
    manual_seed(9);
    ShardedNet net;
    shard_net(net, options);
    optim::AdamW opt(net.parameters(), {.lr = 0.05});
    for (int t = 0; t < 3; ++t) {
      opt.zero_grad();
      net(rows_of(rank)).square().mean().backward();
      opt.step();
    }
    const std::vector<Tensor> params = net.parameters();
    for (std::size_t i = 0; i < params.size(); ++i)
      EXPECT_TRUE(allclose(full_tensor(params[i]), expected[i], 1e-4, 1e-5)) << i;
  });
}

TEST(FullyShard, MatchesOneProcess) {
  expect_sharded_training({});
  expect_sharded_training({.reshard_after_forward = false});
}

TEST(FullyShard, StoresRowsOfTheRank) {
  on_ranks(2, [](int rank) {
    manual_seed(9);
    ShardedNet whole, net;
    manual_seed(9);
    net = ShardedNet();
    shard_net(net);
    EXPECT_EQ(net.first.weight.shape(), (Shape{rank == 0 ? 3 : 2, 3}));
    EXPECT_EQ(net.second.bias->shape(), (Shape{1}));
    EXPECT_TRUE(is_sharded(net.first.weight));
    EXPECT_EQ(full_shape(net.first.weight), (Shape{5, 3}));
    const Tensor weight = net.first.weight;
    net(ones({1, 3})).sum().backward();
    EXPECT_TRUE(net.first.weight.is_same(weight));
    EXPECT_EQ(weight.grad().shape(), weight.shape());
    {
      const NoGrad guard;
      EXPECT_EQ(net(ones({1, 3})).shape(), (Shape{1, 2}));
    }
    EXPECT_TRUE(net.first.weight.is_same(weight));
    const Value full = get_model_state_dict(net, {.full_state_dict = true});
    EXPECT_EQ(Value(full["first.weight"]).as_tensor().shape(), (Shape{5, 3}));
    EXPECT_TRUE(set_model_state_dict(net, full, {.full_state_dict = true}).empty());
  });
}

TEST(FullyShard, AccumulatesWholeGradientsWithoutSync) {
  on_ranks(2, [](int rank) {
    nn::Linear net(1, 2, {.bias = false});
    fully_shard(net);
    set_requires_gradient_sync(net, false);
    const auto r = static_cast<float>(rank + 1);
    net(full({1, 1}, r)).sum().backward();
    EXPECT_FALSE(net.weight.grad().defined());
    set_requires_gradient_sync(net, true);
    net(full({1, 1}, 10 * r)).sum().backward();
    EXPECT_TRUE(equal(net.weight.grad(), full({1, 1}, 16.5f)));
    EXPECT_FLOAT_EQ(clip_grad_norm_(net, 1.0).item<float>(), 16.5f * std::sqrt(2.0f));
    EXPECT_NEAR(net.weight.grad().item<float>(), 1 / std::sqrt(2.0f), 1e-5);
  });
}

TEST(FullyShard, CountsParametersInNormsOfOrderZero) {
  on_ranks(2, [](int) {
    nn::Linear net(2, 4);
    fully_shard(net);
    const auto count = [&](const Tensor& x) {
      net.zero_grad();
      net(x).sum().backward();
      return clip_grad_norm_(net, 1e9, {.norm_type = 0}).item<float>();
    };
    EXPECT_EQ(count(ones({1, 2})), 2);   // both ranks have gradients of weight and bias
    EXPECT_EQ(count(zeros({1, 2})), 1);  // of the bias alone
  });
}

TEST(FullyShard, ClonesHaveDividedParametersAndCannotBeCalled) {
  on_ranks(2, [](int) {
    nn::Linear net(3, 4);
    const Tensor weight = net.weight.detach().clone();
    broadcast(weight, 0);
    net.weight.detach().copy_(weight);
    fully_shard(net);
    const auto copy = net.clone_shared();
    EXPECT_TRUE(is_sharded(copy->parameters()[0]));
    EXPECT_TRUE(full_tensor(copy->parameters()[0]).equal(weight));
    const Value state = get_model_state_dict(*copy, {.full_state_dict = true});
    EXPECT_TRUE(Value(state["weight"]).as_tensor().equal(weight));
    EXPECT_TRUE(contains(error_text<RuntimeError>([&] {
                           std::ignore = (*copy)(ones({2, 3}));
                         }),
                         "Linear is a copy of a sharded module"));
  });
}

TEST(FullyShard, ExcludesOtherDivisionsOfTheSameRanks) {
  on_ranks(2, [](int) {
    nn::Linear net(3, 4);
    fully_shard(net);
    const std::string text =
        ": parameter 'weight' is divided by fully_shard among 2 ranks of the process group, which "
        "must have equal parameters";
    EXPECT_EQ(error_text<ValueError>([&] { const DistributedDataParallel ddp(net); }),
              "DistributedDataParallel" + text);
    EXPECT_EQ(error_text<ValueError>([&] { ZeroRedundancyOptimizer(net.parameters(), "SGD"); }),
              "ZeroRedundancyOptimizer" + text);
  });
}

TEST(FullyShard, ComputesNormsOfOrderInfWithoutRowsOnARank) {
  on_ranks(2, [](int) {
    nn::Linear net(2, 1);
    fully_shard(net);
    net(full({1, 2}, 3.0)).sum().backward();
    EXPECT_EQ(clip_grad_norm_(net, 1e9, {.norm_type = std::numeric_limits<double>::infinity()})
                  .item<float>(),
              3);
  });
}

TEST(FullyShard, ComputesInThePrecisionOfThePolicy) {
  on_ranks(2, [](int) {
    nn::Linear net(2, 2);
    fully_shard(net, {.mp_policy = {.param_dtype = DType::bf16, .output_dtype = DType::f32}});
    net.register_forward_hook([](nn::Linear& m, const Tensor& x, Tensor&) {
      EXPECT_EQ(x.dtype(), DType::bf16);
      EXPECT_EQ(m.weight.dtype(), DType::f32);  // rows again
    });
    const Tensor y = net(ones({1, 2}));
    EXPECT_EQ(y.dtype(), DType::f32);
    y.sum().backward();
    EXPECT_EQ(net.weight.grad().dtype(), DType::f32);
  });
}

TEST(FullyShard, SavesOptimizersByName) {
  on_ranks(2, [](int rank) {
    nn::Linear net(2, 3);
    fully_shard(net);
    optim::Adam opt(net.parameters());
    net(ones({1, 2})).sum().backward();
    opt.step();
    const Value full = get_optimizer_state_dict(net, opt, {.full_state_dict = true});
    const Value state = full["state"];
    EXPECT_EQ(Value(state["weight"]["exp_avg"]).as_tensor().shape(), (Shape{3, 2}));
    optim::Adam other(net.parameters());
    set_optimizer_state_dict(net, other, full, {.full_state_dict = true});
    EXPECT_EQ(Value(other.state(net.weight)["exp_avg"]).as_tensor().shape(),
              (Shape{rank == 0 ? 2 : 1, 2}));
  });
}

TEST(FullyShard, ReplicatesOverTheFirstDimensionOfAMesh) {
  on_ranks(4, [](int rank) {
    const DeviceMesh mesh = init_device_mesh({2, 2});
    EXPECT_EQ(mesh.get_group(1)->ranks(), rank < 2 ? (std::vector{0, 1}) : (std::vector{2, 3}));
    EXPECT_EQ(mesh.get_group(0)->ranks(), rank % 2 ? (std::vector{1, 3}) : (std::vector{0, 2}));
    nn::Linear net(1, 4, {.bias = false});
    fully_shard(net, {.mesh = mesh});
    EXPECT_EQ(net.weight.shape(), (Shape{2, 1}));
    net(full({1, 1}, static_cast<float>(rank))).sum().backward();
    EXPECT_TRUE(equal(net.weight.grad(), full({2, 1}, 1.5f)));
  });
}

TEST(FullyShard, RejectsInvalidUses) {
  on_ranks(2, [](int) {
    nn::Linear net(2, 2);
    fully_shard(net);
    EXPECT_TRUE(contains(error_text([&] { fully_shard(net); }), "is sharded already"));
    nn::Linear other(2, 2);
    other.register_parameter("scale", nn::Parameter(ones({})));
    EXPECT_TRUE(
        contains(error_text([&] { fully_shard(other); }), "parameter 'scale' has no dimensions"));
    EXPECT_EQ(other.weight.shape(), (Shape{2, 2}));
    EXPECT_TRUE(contains(error_text([] { return init_device_mesh({3}).ndim(); }),
                         "with 2 ranks, got 1 dimensions with 3"));
  });
}

}  // namespace
}  // namespace taper::distributed
