// Adafactor, Muon, LBFGS.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/tensors.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/optim/optim.h"
#include "taper/taper.h"

namespace taper {
namespace {

using test::arange_shaped, test::error_text, test::to_vector;

Tensor waves(const Shape& shape, double phase) {
  return arange_shaped(shape).mul(0.7).add(phase).sin();
}

template <class O> void expect_resumes(const Tensor& start) {
  const Tensor a = start.clone().requires_grad_();
  O first({a});
  const auto run = [&](optim::Optimizer& optimizer, const Tensor& p, int begin, int end) {
    for (int t = begin; t < end; ++t) {
      p.set_grad(waves(p.shape(), t));
      optimizer.step();
    }
  };
  run(first, a, 0, 4);
  const Tensor b = a.detach().clone().requires_grad_();
  O second({b});
  second.load_state_dict(first.state_dict());
  run(first, a, 4, 8);
  run(second, b, 4, 8);
  EXPECT_EQ(to_vector<float>(a), to_vector<float>(b));
  EXPECT_NE(to_vector<float>(a), to_vector<float>(start));
}

TEST(Adafactor, ResumesFromStateDict) {
  for (const Shape& shape : {Shape{3, 4}, Shape{5}, Shape{2, 3, 4}, Shape{}})
    expect_resumes<optim::Adafactor>(waves(shape, 0.3));
}

TEST(Adafactor, RejectsStateOfAnotherShape) {
  const Tensor a = waves({3, 4}, 0).requires_grad_(), b = waves({4, 3}, 0).requires_grad_();
  optim::Adafactor first({a}), second({b});
  a.set_grad(ones({3, 4}));
  first.step();
  EXPECT_EQ(error_text<ValueError>([&] { second.load_state_dict(first.state_dict()); }),
            "Adafactor.load_state_dict: row_var: got shape [3, 1], expected [4, 1]");
}

TEST(Muon, ResumesFromStateDict) { expect_resumes<optim::Muon>(waves({4, 6}, 0.3)); }

// The singular values of the update are between 0.5 and 1.5 (Jordan et al.), so that the diagonal
// elements of its Gram matrix are between the squares of these bounds.
TEST(Muon, OrthogonalizesTheUpdate) {
  for (const Shape& shape : {Shape{3, 5}, Shape{5, 3}}) {
    const Tensor p = zeros(shape, {.requires_grad = true});
    optim::Muon muon({p}, {.lr = 1, .weight_decay = 0, .adjust_lr_fn = "original"});
    p.set_grad(waves(shape, 0.4));
    muon.step();
    const Tensor wide = shape[0] < shape[1] ? p.detach() : p.detach().t();
    const double scale = shape[0] < shape[1] ? 1 : 5.0 / 3;
    const Tensor gram = wide.matmul(wide.t()).div(scale);
    for (std::int64_t i = 0; i < 3; ++i) {
      EXPECT_GT(gram[i][i].item<float>(), 0.25f);
      EXPECT_LT(gram[i][i].item<float>(), 2.25f);
    }
  }
}

TEST(Muon, RejectsVectors) {
  EXPECT_EQ(error_text<ValueError>([] { optim::Muon({zeros({2}, {.requires_grad = true})}); }),
            "Muon only supports 2D parameters whereas we found a parameter with size: "
            "torch.Size([2])");
}

Tensor rosenbrock(const Tensor& x) {
  return (x[1] - x[0].square()).square() * 100 + (1 - x[0]).square();
}

TEST(LBFGS, MinimizesRosenbrockWithStrongWolfe) {
  const Tensor x = tensor({-1.2, 1.0}, {.dtype = float64, .requires_grad = true});
  optim::LBFGS opt({x}, {.line_search_fn = "strong_wolfe"});
  const auto closure = [&] {
    opt.zero_grad();
    const Tensor loss = rosenbrock(x);
    loss.backward();
    return loss;
  };
  for (int i = 0; i < 4; ++i) opt.step(closure);
  // The search ends when the loss changes by less than tolerance_change, 1e-9.
  EXPECT_LT(rosenbrock(x).item<double>(), 1e-9);
  EXPECT_NEAR(x[0].item<double>(), 1, 1e-4);
}

TEST(LBFGS, MaximizesNegatedFunction) {
  const Tensor a = tensor({3.0, -2.0}, {.dtype = float64, .requires_grad = true});
  const Tensor b = a.detach().clone().requires_grad_();
  optim::LBFGS down({a}, {.line_search_fn = "strong_wolfe"}),
      up({b}, {.line_search_fn = "strong_wolfe", .maximize = true});
  down.step([&] {
    down.zero_grad();
    const Tensor loss = a.square().sum();
    loss.backward();
    return loss;
  });
  const Tensor first = up.step([&] {
    up.zero_grad();
    const Tensor loss = b.square().sum().neg();
    loss.backward();
    return loss;
  });
  EXPECT_EQ(first.item<double>(), -13);
  EXPECT_EQ(to_vector<double>(a), to_vector<double>(b));
}

TEST(LBFGS, ResumesFromStateDict) {
  const Tensor a = tensor({-1.2, 1.0}, {.dtype = float64, .requires_grad = true});
  const auto step = [](optim::LBFGS& opt, const Tensor& x) {
    opt.step([&] {
      opt.zero_grad();
      const Tensor loss = rosenbrock(x);
      loss.backward();
      return loss;
    });
  };
  const optim::LBFGSOptions options{.max_iter = 4, .line_search_fn = "strong_wolfe"};
  optim::LBFGS first({a}, options);
  step(first, a);
  const Tensor b = a.detach().clone().requires_grad_();
  optim::LBFGS second({b}, options);
  second.load_state_dict(first.state_dict());
  step(first, a);
  step(second, b);
  EXPECT_EQ(to_vector<double>(a), to_vector<double>(b));
}

TEST(LBFGS, FailedClosureChangesNothing) {
  const Tensor x = tensor({3.0, -2.0}, {.dtype = float64, .requires_grad = true});
  optim::LBFGS opt({x});
  int calls = 0;
  const auto closure = [&]() -> Tensor {
    if (++calls == 3) throw ValueError("no loss");
    opt.zero_grad();
    const Tensor loss = x.square().sum();
    loss.backward();
    return loss;
  };
  EXPECT_THROW(opt.step(closure), ValueError);
  EXPECT_EQ(to_vector<double>(x), (std::vector<double>{3, -2}));
  EXPECT_TRUE(opt.state(x).is_none());
}

TEST(LBFGS, RejectsGroupsAndMissingClosure) {
  const Tensor a = zeros({1}, {.requires_grad = true}), b = zeros({1}, {.requires_grad = true});
  EXPECT_EQ(error_text<ValueError>([&] {
              optim::LBFGS({optim::ParamGroup({a}), optim::ParamGroup({b})});
            }),
            "LBFGS doesn't support per-parameter options (parameter groups)");
  optim::LBFGS opt({a});
  EXPECT_EQ(error_text<TypeError>([&] { opt.step(); }),
            "LBFGS.step() missing 1 required positional argument: 'closure'");
  opt.param_groups()[0]["line_search_fn"] = "armijo";
  EXPECT_EQ(error_text<RuntimeError>([&] { opt.step([&] { return a.sum(); }); }),
            "only 'strong_wolfe' is supported");
}

}  // namespace
}  // namespace taper
