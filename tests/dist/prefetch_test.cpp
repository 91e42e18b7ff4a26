// fully_shard: gathers and reductions during computation.
#include <gtest/gtest.h>

#include "dist/support.h"
#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/dist/fully_shard.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::error_text;
using test::on_ranks;

/// Three units, of which `skip` leaves the second one out.
struct ChainNet : nn::Module {
  nn::Linear a{3, 5}, b{5, 5}, c{5, 2};
  bool skip = false;
  TAPER_MODULE(ChainNet, a, b, c)
  Tensor forward(Tensor x) {
    x = tanh(a(x));
    if (!skip) x = tanh(b(x));
    return c(x);
  }
};

Tensor batch_of(int rank, int step) {
  manual_seed(static_cast<std::uint64_t>(100 * step + rank));
  return randn({4, 3});
}

/// Returns the parameters after steps of one process on the mean of the losses of the ranks. The
/// second unit is not used in step 1.
std::vector<Tensor> chain_training(int ranks) {
  manual_seed(9);
  ChainNet net;
  optim::SGD opt(net.parameters(), {.lr = 0.1});
  for (int t = 0; t < 4; ++t) {
    net.skip = t == 1;
    opt.zero_grad();
    for (int r = 0; r < ranks; ++r) (net(batch_of(r, t)).square().mean() / ranks).backward();
    opt.step();
  }
  return net.parameters();
}

using SelectPrefetch = SharedFunction<void(ChainNet& net)>;

void expect_chain_training(const SelectPrefetch& select, const FullyShardOptions& options = {}) {
  const std::vector<Tensor> expected = chain_training(3);
  on_ranks(3, [&](int rank) {
    manual_seed(9);
    ChainNet net;
    for (nn::Module* const m : {static_cast<nn::Module*>(&net.a), static_cast<nn::Module*>(&net.b),
                                static_cast<nn::Module*>(&net.c), static_cast<nn::Module*>(&net)})
      fully_shard(*m, options);
    select(net);
    optim::SGD opt(net.parameters(), {.lr = 0.1});
    for (int t = 0; t < 4; ++t) {
      net.skip = t == 1;
      opt.zero_grad();
      net(batch_of(rank, t)).square().mean().backward();
      EXPECT_EQ(net.b.weight.grad().defined(), !net.skip);
      for (const nn::Linear* const m : {&net.a, &net.c})
        EXPECT_TRUE(m->weight.grad().defined() && m->bias->grad().defined());
      opt.step();
    }
    const std::vector<Tensor> params = net.parameters();
    for (std::size_t i = 0; i < params.size(); ++i)
      EXPECT_TRUE(allclose(full_tensor(params[i]), expected[i], 1e-4, 1e-5)) << i;
  });
}

TEST(FullyShardPrefetch, MatchesOneProcess) {
  expect_chain_training([](ChainNet&) {});
  expect_chain_training([](ChainNet& net) {
    set_modules_to_forward_prefetch(net, {&net.a});
    set_modules_to_forward_prefetch(net.a, {&net.b});
    set_modules_to_forward_prefetch(net.b, {&net.c});
  });
}

TEST(FullyShardPrefetch, MatchesOneProcessWithoutResharding) {
  expect_chain_training(
      [](ChainNet& net) {
        set_modules_to_forward_prefetch(net.a, {&net.b, &net.c});
      },
      {.reshard_after_forward = false});
}

TEST(FullyShardPrefetch, DiscardsGathersOfModulesThatAreNotCalled) {
  // Gathers of the skipped module become outdated by the step of the optimizer.
  expect_chain_training([](ChainNet& net) {
    set_modules_to_forward_prefetch(net.a, {&net.b});
    set_modules_to_backward_prefetch(net.c, {&net.b, &net.a});
    set_modules_to_backward_prefetch(net.a, {&net.c});
  });
}

TEST(FullyShardPrefetch, AccumulatesGradientsOverPasses) {
  on_ranks(2, [](int rank) {
    nn::Sequential net{nn::Linear(1, 2, {.bias = false}), nn::Linear(2, 2, {.bias = false})};
    for (nn::Module* const m : net.children()) fully_shard(*m);
    fully_shard(net);
    const auto pass = [&](float x) {
      net(full({1, 1}, x * static_cast<float>(rank + 1))).sum().backward();
    };
    pass(1);
    const Tensor first = net.children()[0]->parameters()[0].grad().clone();
    pass(1);
    EXPECT_TRUE(allclose(net.children()[0]->parameters()[0].grad(), first * 2));
    pass(2);
    EXPECT_TRUE(allclose(net.children()[0]->parameters()[0].grad(), first * 4));
  });
}

TEST(FullyShardPrefetch, ContinuesAfterAFailedPass) {
  manual_seed(9);
  ChainNet whole;
  (whole.c(whole.b(whole.a(ones({1, 3})))).sum() * 2).backward();
  const Tensor expected = whole.b.bias->grad();
  on_ranks(2, [&](int) {
    manual_seed(9);
    ChainNet net;
    for (nn::Linear* const m : {&net.a, &net.b, &net.c}) fully_shard(*m);
    fully_shard(net);
    bool fails = true;
    const auto pass = [&] {
      const Tensor y = net.a(ones({1, 3}));
      y.register_hook([&](const Tensor&) {
        if (fails) throw RuntimeError("no gradient");
        return Tensor();
      });
      net.c(net.b(y)).sum().backward();
    };
    EXPECT_TRUE(contains(error_text(pass), "no gradient"));
    fails = false;
    net.zero_grad();
    pass();
    std::vector<Tensor> once;
    for (const Tensor& p : net.parameters()) once.push_back(p.grad().clone());
    pass();
    for (std::size_t i = 0; i < once.size(); ++i)
      EXPECT_TRUE(allclose(net.parameters()[i].grad(), once[i] * 2)) << i;
    // The gradients of the pass that failed are not part of it.
    EXPECT_TRUE(allclose(full_tensor(*net.b.bias, net.b.bias->grad()), expected, 1e-4, 1e-5));
  });
}

TEST(FullyShardPrefetch, RejectsModulesThatAreNotSharded) {
  on_ranks(2, [](int) {
    ChainNet net;
    fully_shard(net.a);
    EXPECT_TRUE(contains(error_text([&] { set_modules_to_forward_prefetch(net.b, {&net.a}); }),
                         "set_modules_to_forward_prefetch: the module Linear was not given to "
                         "fully_shard"));
    EXPECT_TRUE(contains(error_text([&] { set_modules_to_backward_prefetch(net.a, {&net.b}); }),
                         "set_modules_to_backward_prefetch: the module Linear was not given"));
    EXPECT_TRUE(contains(error_text([&] { set_modules_to_forward_prefetch(net.a, {nullptr}); }),
                         "a module is null"));
  });
}

}  // namespace
}  // namespace taper::distributed
