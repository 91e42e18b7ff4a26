// The code of docs/optimizers.md.
#include <gtest/gtest.h>

#include "support/temp_dir.h"
#include "support/tensors.h"
#include "taper/taper.h"

namespace taper {
namespace {

struct PageNet : nn::Module {
  nn::Linear body{2, 3}, head{3, 1};
  TAPER_MODULE(PageNet, body, head)
  Tensor forward(const Tensor& x) { return head(tanh(body(x))); }
};

TEST(OptimizersPage, StepsAndSaves) {
  PageNet net;
  const Tensor x = ones({4, 2}), target = zeros({4, 1});
  optim::AdamW opt(net.parameters(), {.lr = 3e-4, .betas = {0.9, 0.95}});
  for (int step = 0; step < 10; ++step) {
    opt.zero_grad();
    const Tensor loss = F::mse_loss(net(x), target);
    loss.backward();
    opt.step();
  }
  const test::TempDir directory;
  const std::string path = directory / "training.pt";
  save(Value::dict({{"model", net.state_dict()}, {"optimizer", opt.state_dict()}}), path);
  const Value checkpoint = load(path);
  net.load_state_dict(checkpoint["model"]);
  opt.load_state_dict(checkpoint["optimizer"]);
  EXPECT_EQ(opt.state(*net.head.bias)["step"].as_tensor().item<int>(), 10);
}

TEST(OptimizersPage, HasGroupsAndNames) {
  PageNet net;
  optim::SGD opt({optim::ParamGroup(net.body.parameters()),
                  optim::ParamGroup(net.head.parameters(), {{"lr", 1e-3}})},
                 {.lr = 1e-2, .momentum = 0.9});
  opt.param_groups()[0]["lr"] = 5e-3;
  EXPECT_EQ(opt.param_groups()[1]["lr"].as_double(), 1e-3);
  EXPECT_EQ(opt.param_groups()[1]["momentum"].as_double(), 0.9);
  auto same = optim::make("AdamW", net.parameters(), Value::dict({{"lr", 3e-4}}));
  auto scheduler = optim::lr_scheduler::make("StepLR", *same, Value::dict({{"step_size", 30}}));
  EXPECT_EQ(scheduler->get_last_lr(), std::vector<double>{3e-4});
}

TEST(OptimizersPage, DifferentiatesRates) {
  const Tensor w = tensor({1.0, 2.0}, {.dtype = float64, .requires_grad = true});
  const Tensor lr = tensor(0.1, {.dtype = float64, .requires_grad = true});
  const Tensor p = w * 1;  // not a leaf
  optim::SGD opt({p}, {.differentiable = true});
  opt.param_groups()[0]["lr"] = lr;
  p.set_grad(2 * w);
  opt.step();
  p.square().sum().backward();
  EXPECT_NEAR(lr.grad().item<double>(), -16, 1e-12);  // d/dlr sum((w - lr 2 w)^2)
}

}  // namespace
}  // namespace taper
