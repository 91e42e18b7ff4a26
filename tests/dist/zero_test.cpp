// ZeroRedundancyOptimizer.
#include "taper/dist/zero_redundancy_optimizer.h"

#include <gtest/gtest.h>

#include "dist/support.h"
#include "taper/core/dict.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::adam_of;
using test::contains;
using test::error_text;
using test::on_ranks;

std::vector<Tensor> new_params() {
  std::vector<Tensor> params;
  for (const std::int64_t n : {2, 6, 3})
    params.push_back(arange(static_cast<double>(n)).requires_grad_());
  return params;
}

void set_gradients(const std::vector<Tensor>& params, int step) {
  for (const Tensor& p : params) p.set_grad((p.detach() + static_cast<double>(step)).sin());
}

TEST(ZeroRedundancyOptimizer, MatchesThePlainOptimizer) {
  const std::vector<Tensor> expected = new_params();
  const auto plain = adam_of(expected);
  for (int t = 0; t < 3; ++t) {
    set_gradients(expected, t);
    plain->step();
  }
  for (const bool as_view : {false, true}) {
    on_ranks(2, [&](int rank) {
      const std::vector<Tensor> params = new_params();
      ZeroRedundancyOptimizer opt(params, adam_of, {.parameters_as_bucket_view = as_view});
      for (int t = 0; t < 3; ++t) {
        set_gradients(params, t);
        opt.step();
      }
      for (std::size_t i = 0; i < params.size(); ++i) EXPECT_TRUE(equal(params[i], expected[i]));
      EXPECT_EQ(opt.partition()[0], (std::vector<std::vector<std::size_t>>{{1}}));
      EXPECT_EQ(opt.partition()[1], (std::vector<std::vector<std::size_t>>{{2, 0}}));
      EXPECT_EQ(opt.local_optimizer().state(params[1]).is_none(), rank == 1);
      opt.consolidate_state_dict(1);
      if (rank == 1) {
        const Value state = opt.state_dict()["state"], wanted = plain->state_dict()["state"];
        ASSERT_EQ(state.size(), 3u);
        for (std::int64_t i = 0; i < 3; ++i)
          EXPECT_TRUE(equal(Value(state[i]["exp_avg"]).as_tensor(),
                            Value(wanted[i]["exp_avg"]).as_tensor()));
      } else {
        EXPECT_TRUE(
            contains(error_text([&] { return opt.state_dict(); }), "not been consolidated"));
      }
    });
  }
}

TEST(ZeroRedundancyOptimizer, LoadsThePlainStateDict) {
  const std::vector<Tensor> expected = new_params();
  const auto plain = adam_of(expected);
  set_gradients(expected, 0);
  plain->step();
  const Value saved = plain->state_dict();
  std::vector<Tensor> start;
  for (const Tensor& p : expected) start.push_back(p.detach().clone());
  const Value copy = load(save_to_bytes(saved));
  set_gradients(expected, 1);
  plain->step();
  on_ranks(3, [&](int) {
    std::vector<Tensor> params;
    for (const Tensor& p : start) params.push_back(p.clone().requires_grad_());
    ZeroRedundancyOptimizer opt(params, adam_of);
    opt.load_state_dict(copy);
    set_gradients(params, 1);
    opt.step();
    for (std::size_t i = 0; i < params.size(); ++i) EXPECT_TRUE(equal(params[i], expected[i]));
  });
}

TEST(ZeroRedundancyOptimizer, FollowsSchedulersAndAddedGroups) {
  on_ranks(2, [](int) {
    const std::vector<Tensor> params = new_params();
    const Tensor late = zeros({4}, {.requires_grad = true});
    ZeroRedundancyOptimizer opt(params, "SGD", Value::dict({{"lr", 1.0}}));
    optim::lr_scheduler::StepLR schedule(opt, 1, {.gamma = 0.5});
    set_gradients(params, 0);
    opt.step();
    schedule.step();
    opt.add_param_group(optim::ParamGroup(std::vector{late}, {{"lr", 2.0}}));
    EXPECT_EQ(opt.partition()[0].size(), 2u);
    for (const Tensor& p : params) p.set_grad(ones_like(p));
    late.set_grad(ones({4}));
    const Tensor before = params[0].detach().clone();
    opt.step();
    EXPECT_TRUE(equal(before - params[0].detach(), full({2}, 0.5f)));
    EXPECT_TRUE(equal(late.detach(), full({4}, -2.0f)));
  });
}

TEST(ZeroRedundancyOptimizer, AcceptsRanksWithoutParameters) {
  on_ranks(4, [](int) {
    const Tensor p = zeros({3}, {.requires_grad = true});
    ZeroRedundancyOptimizer opt({p}, "AdamW");
    p.set_grad(ones({3}));
    opt.step();
    EXPECT_LT(p.detach().sum().item<float>(), 0);
  });
}

TEST(ZeroRedundancyOptimizer, RejectsInvalidArguments) {
  on_ranks(2, [](int) {
    EXPECT_TRUE(contains(
        error_text([] { ZeroRedundancyOptimizer(std::vector<Tensor>{}, "SGD").type_name(); }),
        "empty parameter list"));
    const Tensor p = zeros({1}, {.requires_grad = true});
    EXPECT_TRUE(
        contains(error_text([&] { ZeroRedundancyOptimizer({p}, "Quick").type_name(); }), "Quick"));
  });
}

}  // namespace
}  // namespace taper::distributed
