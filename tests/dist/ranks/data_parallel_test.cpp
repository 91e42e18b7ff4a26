// Options of DistributedDataParallel on an engine.
#include <gtest/gtest.h>

#include "taper/dist/dist.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

/// Uses one of two layers, whose weights are one number each.
struct EitherLayer : nn::Module {
  nn::Linear left{1, 1, {.bias = false}}, right{1, 1, {.bias = false}};
  bool uses_left = true;
  TAPER_MODULE(EitherLayer, left, right)
  Tensor forward(const Tensor& x) { return uses_left ? left(x) : right(x); }
};

float value_of(const Tensor& t) { return t.item<float>(); }

/// Returns the mean over ranks of rank + 1.
float mean_number() { return static_cast<float>(get_world_size() + 1) / 2; }
Tensor own_number() { return full({1, 1}, static_cast<float>(get_rank() + 1)); }

TEST(EngineDataParallel, AveragesParametersThatSomeRanksUse) {
  EitherLayer net;
  const DistributedDataParallel ddp(net, {.find_unused_parameters = true});
  for (int step = 0; step < 3; ++step) {
    net.zero_grad();
    net.uses_left = get_rank() == 0;
    net(own_number()).sum().backward();
    const auto size = static_cast<float>(get_world_size());
    EXPECT_FLOAT_EQ(value_of(net.left.weight.grad()), 1 / size);
    if (get_world_size() > 1) {
      EXPECT_FLOAT_EQ(value_of(net.right.weight.grad()), mean_number() - 1 / size);
    }
  }
}

TEST(EngineDataParallel, AcceptsStaticGraphsWithUnusedParameters) {
  EitherLayer net;
  const DistributedDataParallel ddp(net, {.bucket_cap_mb = 1e-6, .static_graph = true});
  for (int step = 0; step < 3; ++step) {
    net.zero_grad();
    net(own_number()).sum().backward();
    EXPECT_FLOAT_EQ(value_of(net.left.weight.grad()), mean_number());
    EXPECT_FALSE(net.right.weight.grad().defined());
  }
}

TEST(EngineDataParallel, AccumulatesLocallyUnderNoSync) {
  nn::Linear net(1, 1, {.bias = false});
  DistributedDataParallel ddp(net);
  {
    const auto guard = ddp.no_sync();
    net(own_number()).sum().backward();
    EXPECT_EQ(value_of(net.weight.grad()), static_cast<float>(get_rank() + 1));
  }
  net(own_number() * 10).sum().backward();
  EXPECT_FLOAT_EQ(value_of(net.weight.grad()), 11 * mean_number());
}

TEST(EngineDataParallel, JoinAcceptsDifferentNumbersOfSteps) {
  nn::Linear net(1, 1, {.bias = false});
  DistributedDataParallel ddp(net);
  net.weight.detach().fill_(0);
  optim::SGD opt(net.parameters(), {.lr = 1});
  ddp.join(
      [&] {
        for (int t = 0; t <= get_rank(); ++t) {
          opt.zero_grad();
          net(ones({1, 1})).sum().backward();
          opt.step();
        }
      },
      {.divide_by_initial_world_size = false});
  // Rank r performs r + 1 steps; afterward all ranks have the weights of the last one.
  EXPECT_FLOAT_EQ(value_of(net.weight), -static_cast<float>(get_world_size()));
}

TEST(EngineDataParallel, CompressesGradientsToBfloat16) {
  nn::Linear net(1, 1, {.bias = false});
  DistributedDataParallel ddp(net);
  ddp.register_comm_hook(default_hooks::bf16_compress_hook);
  net(full({1, 1}, get_rank() == 0 ? 1.0f : 1.001f)).sum().backward();  // 1.001 rounds to 1
  EXPECT_EQ(value_of(net.weight.grad()), 1.0f);
}

}  // namespace
}  // namespace taper::distributed
