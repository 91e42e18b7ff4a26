// ZeroRedundancyOptimizer within DistributedDataParallel::join.
#include <gtest/gtest.h>

#include <tuple>

#include "dist/support.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::adam_of;
using test::error_text;
using test::on_ranks;

struct JoinNet : nn::Module {
  nn::Linear first{3, 5}, second{5, 2};
  TAPER_MODULE(JoinNet, first, second)
  Tensor forward(const Tensor& x) { return second(tanh(first(x))); }
};

Tensor loss_of(JoinNet& net, int rank, int step) {
  const Tensor x = (arange(6.0) + static_cast<double>(3 * rank + step)).sin().view({2, 3});
  return net(x).square().sum();
}

void set_rate(optim::Optimizer& opt, int step) {
  for (const optim::ParamGroup& group : opt.param_groups()) group["lr"] = 0.1 / (1 + step);
}

/// Returns the parameters of one process after the steps of ranks, of which rank r has inputs for
/// r + 1 steps.
std::vector<Tensor> train_alone(int ranks, double max_norm) {
  manual_seed(1);
  JoinNet net;
  const auto opt = adam_of(net.parameters());
  for (int t = 0; t < ranks; ++t) {
    opt->zero_grad();
    for (int rank = t; rank < ranks; ++rank) (loss_of(net, rank, t) / ranks).backward();
    nn::utils::clip_grad_norm_(net.parameters(), max_norm);
    set_rate(*opt, t);
    opt->step();
  }
  return net.parameters();
}

enum class Clipping : std::uint8_t { of_all_ranks, of_optimizer };

void expect_joined_training(bool shards_gradients, Clipping clipping, bool uses_closure) {
  constexpr int kRanks = 3;
  constexpr double kMaxNorm = 0.5;
  const std::vector<Tensor> expected = train_alone(kRanks, kMaxNorm);
  on_ranks(kRanks, [&](int rank) {
    manual_seed(1);
    JoinNet net;
    DistributedDataParallel ddp(net);
    ZeroRedundancyOptimizer opt(net.parameters(), adam_of);
    if (shards_gradients) opt.shard_gradients(ddp);
    ddp.join(
        [&] {
          for (int t = 0; t <= rank; ++t) {
            set_rate(opt, t);
            const auto evaluate = [&] {
              opt.zero_grad();
              const Tensor loss = loss_of(net, rank, t);
              loss.backward();
              if (clipping == Clipping::of_optimizer)
                opt.clip_grad_norm_(kMaxNorm);
              else
                nn::utils::clip_grad_norm_(net.parameters(), kMaxNorm);
              return loss;
            };
            if (uses_closure) {
              EXPECT_TRUE(opt.step(evaluate).defined());
            } else {
              std::ignore = evaluate();
              opt.step();
            }
          }
        },
        {.optimizer = &opt});
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(allclose(net.parameters()[i], expected[i], 1e-5, 1e-6)) << "parameter " << i;
    EXPECT_EQ(opt.param_groups()[0]["lr"].as_double(), 0.1 / kRanks);
  });
}

TEST(JoinOfZeroRedundancyOptimizer, MatchesOneProcess) {
  expect_joined_training(false, Clipping::of_all_ranks, false);
  expect_joined_training(false, Clipping::of_optimizer, false);
  expect_joined_training(false, Clipping::of_all_ranks, true);
}

TEST(JoinOfZeroRedundancyOptimizer, MatchesOneProcessWithShardedGradients) {
  expect_joined_training(true, Clipping::of_optimizer, false);
  expect_joined_training(true, Clipping::of_optimizer, true);
}

TEST(JoinOfZeroRedundancyOptimizer, SkipsParametersWithoutGradients) {
  on_ranks(2, [&](int rank) {
    JoinNet net;
    DistributedDataParallel ddp(net, {.find_unused_parameters = true});
    ZeroRedundancyOptimizer opt(net.parameters(), adam_of);
    const Tensor unused = net.second.weight.detach().clone();
    const Tensor used = net.first.weight.detach().clone();
    ddp.join(
        [&] {
          for (int t = 0; t <= rank; ++t) {
            opt.zero_grad();
            loss_of(net, rank, t).backward();
            net.second.zero_grad();  // after the first step, rank 0 must not use the last gradients
            opt.step();
          }
        },
        {.optimizer = &opt});
    EXPECT_TRUE(equal(net.second.weight, unused));
    EXPECT_FALSE(equal(net.first.weight, used));
  });
}

TEST(JoinOfZeroRedundancyOptimizer, ThrowsOnEarlyTermination) {
  const auto errors = test::errors_on_ranks(2, [](int rank) {
    JoinNet net;
    DistributedDataParallel ddp(net);
    ZeroRedundancyOptimizer opt(net.parameters(), adam_of);
    ddp.join(
        [&] {
          for (int t = 0; t <= rank; ++t) {
            opt.zero_grad();
            loss_of(net, rank, t).backward();
            opt.step();
          }
        },
        {.throw_on_early_termination = true, .optimizer = &opt});
  });
  EXPECT_TRUE(test::contains(errors[0], "Rank 0 exhausted all inputs"));
  EXPECT_TRUE(test::contains(errors[1], "Detected at least one rank that exhausted inputs"));
}

TEST(JoinOfZeroRedundancyOptimizer, RejectsAnotherProcessGroup) {
  on_ranks(2, [](int) {
    JoinNet net;
    DistributedDataParallel ddp(net);
    ZeroRedundancyOptimizer opt(net.parameters(), adam_of, {.process_group = new_group()});
    EXPECT_EQ(error_text([&] { ddp.join([] {}, {.optimizer = &opt}); }),
              "join: the optimizer has a different process group");
  });
}

}  // namespace
}  // namespace taper::distributed
