// Behavior of all optimizers: groups, gradients, state dicts, hooks, errors.
#include "taper/optim/optimizer.h"

#include <gtest/gtest.h>

#include "support/contains.h"
#include "support/error_text.h"
#include "support/tensors.h"
#include "support/warning_capture.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/optim/sgd.h"
#include "taper/optim/swap_in.h"

namespace taper {
namespace {

using test::contains, test::error_text, test::to_vector, test::WarningCapture;

using optim::ParamGroup;
using optim::SGD;

struct Named {
  std::string name;
  Tensor value;
};

Tensor leaf(const NestedList& values) {
  return tensor(values, {.dtype = float32, .requires_grad = true});
}

TEST(Optimizer, ZeroesOrDropsGradients) {
  const Tensor p = leaf({1, 2});
  p.set_grad(tensor({1.0, -1.0}, {.dtype = float32}));
  SGD opt({p}, {.lr = 0.5, .momentum = 0.5});
  opt.step();
  EXPECT_EQ(to_vector<float>(p), (std::vector<float>{0.5f, 2.5f}));
  opt.zero_grad(false);
  EXPECT_EQ(to_vector<float>(p.grad()), (std::vector<float>{0, 0}));
  opt.step();  // applies the momentum of earlier steps
  EXPECT_EQ(to_vector<float>(p), (std::vector<float>{0.25f, 2.75f}));
  opt.zero_grad();
  EXPECT_FALSE(p.grad().defined());
  opt.step();  // without a gradient, the parameter is unchanged
  EXPECT_EQ(to_vector<float>(p), (std::vector<float>{0.25f, 2.75f}));
}

TEST(Optimizer, GroupsHaveOwnOptions) {
  const Tensor a = leaf({1}), b = leaf({1});
  SGD opt({ParamGroup({a}), ParamGroup({b}, {{"lr", 0.25}, {"tag", "mine"}})}, {.lr = 1});
  a.set_grad(ones({1})), b.set_grad(ones({1}));
  opt.step();
  EXPECT_EQ(to_vector<float>(a), std::vector<float>{0});
  EXPECT_EQ(to_vector<float>(b), std::vector<float>{0.75});
  EXPECT_EQ(opt.param_groups()[1]["tag"].as_string(), "mine");
  EXPECT_EQ(opt.param_groups()[1]["momentum"].as_int(), 0);
  EXPECT_EQ(opt.defaults()["lr"].as_int(), 1);
}

TEST(Optimizer, RejectsInvalidGroups) {
  const Tensor a = leaf({1}), b = leaf({2});
  EXPECT_EQ(error_text<ValueError>([] { SGD(std::vector<Tensor>{}); }),
            "optimizer got an empty parameter list");
  EXPECT_EQ(error_text<ValueError>([&] { SGD({a * 2.0}); }), "can't optimize a non-leaf Tensor");
  EXPECT_EQ(error_text<TypeError>([&] {
              SGD({a, Tensor()});
            }),
            "optimizer can only optimize Tensors, but one of the params is NoneType");
  SGD opt({a});
  EXPECT_EQ(error_text<ValueError>([&] {
              opt.add_param_group(ParamGroup({b, a}));
            }),
            "some parameters appear in more than one parameter group");
  EXPECT_EQ(
      error_text<ValueError>([&] {
        opt.add_param_group(ParamGroup(std::vector<Named>{{"b", b}}));
      }),
      "all optimizer param groups should be with/without names. cannot add param group with names "
      "to the optimizer");
  EXPECT_EQ(opt.param_groups().size(), 1u);
  const Tensor kept = a * 2.0;
  kept.retain_grad();
  EXPECT_NO_THROW(SGD({kept}));
}

TEST(Optimizer, WarnsOfDuplicates) {
  const WarningCapture warnings;
  const Tensor a = leaf({1});
  SGD opt({a, a}, {.momentum = 0.5});
  EXPECT_TRUE(contains(warnings.last(), "duplicate parameters"));
  EXPECT_EQ(opt.state_dict()["param_groups"][0]["params"].repr(), "[0, 0]");
}

TEST(Optimizer, StateDictMatchesPython) {
  const Tensor a = leaf({1, 2}), b = leaf({3}), c = leaf({4});
  SGD opt({ParamGroup({a, b}), ParamGroup({c}, {{"lr", 0.5}})}, {.lr = 0.1, .momentum = 0.9});
  a.set_grad(ones({2})), c.set_grad(ones({1}));
  opt.step();
  const Value dict = opt.state_dict();
  EXPECT_EQ(dict.repr(),
            "{'state': {0: {'momentum_buffer': tensor([1., 1.])}, 2: {'momentum_buffer': "
            "tensor([1.])}}, 'param_groups': [{'lr': 0.1, 'momentum': 0.9, 'dampening': 0, "
            "'weight_decay': 0, 'nesterov': False, 'maximize': False, 'foreach': None, "
            "'differentiable': False, 'fused': None, 'params': [0, 1]}, {'lr': 0.5, 'momentum': "
            "0.9, 'dampening': 0, 'weight_decay': 0, 'nesterov': False, 'maximize': False, "
            "'foreach': None, 'differentiable': False, 'fused': None, 'params': [2]}]}");
}

TEST(Optimizer, StoresParameterNames) {
  const std::vector<Named> named{{"weight", leaf({1})}, {"bias", leaf({2})}};
  SGD opt(named);
  const Value group = opt.state_dict()["param_groups"][0];
  EXPECT_EQ(group["param_names"].repr(), "['weight', 'bias']");
  EXPECT_TRUE(contains(opt.str(), "    param_names: ['weight', 'bias']\n    weight_decay"));
  SGD other(std::vector<Named>{{"x", leaf({1})}, {"y", leaf({2})}});
  other.load_state_dict(opt.state_dict());
  EXPECT_EQ(other.param_groups()[0].param_names()[0], "weight");
}

TEST(Optimizer, ResumesToSameBits) {
  const auto grad = [](int t) { return tensor({0.1 * t, 0.3 - t}, {.dtype = float32}); };
  const Tensor a = leaf({1, 2});
  SGD first({a}, {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01});
  for (int t = 0; t < 3; ++t) a.set_grad(grad(t)), first.step();
  const Tensor b = a.detach().clone().requires_grad_();
  SGD second({b}, {.lr = 5});
  second.load_state_dict(first.state_dict());
  for (int t = 3; t < 6; ++t) {
    a.set_grad(grad(t)), b.set_grad(grad(t));
    first.step(), second.step();
  }
  EXPECT_EQ(to_vector<float>(a), to_vector<float>(b));
  EXPECT_EQ(second.param_groups()[0]["lr"].as_double(), 0.1);
}

TEST(Optimizer, ConvertsLoadedStateToParameters) {
  const Tensor wide = tensor({1.0, 2.0}, {.dtype = float64, .requires_grad = true});
  SGD first({wide}, {.momentum = 0.9});
  wide.set_grad(ones({2}, {.dtype = float64}));
  first.step();
  const Tensor narrow = leaf({1, 2});
  SGD second({narrow});
  second.load_state_dict(first.state_dict());
  EXPECT_EQ(second.state(narrow)["momentum_buffer"].as_tensor().dtype(), float32);
}

TEST(Optimizer, RejectsMismatchedStateAndStaysUnchanged) {
  const Tensor a = leaf({1, 2}), b = leaf({3});
  SGD opt({a, b}, {.lr = 0.1, .momentum = 0.9});
  a.set_grad(ones({2})), b.set_grad(ones({1}));
  opt.step();
  const std::string before = opt.state_dict().repr();
  const auto reject = [&](const Value& dict, const std::string& text) {
    EXPECT_EQ(error_text<ValueError>([&] { opt.load_state_dict(dict); }), text);
    EXPECT_EQ(opt.state_dict().repr(), before);
  };
  reject(3, "load_state_dict: expected a dict with a list 'param_groups', got int");
  reject(Value::dict({{"param_groups", Value::list()}}),
         "load_state_dict: expected a dict with a dict 'state', got dict");
  reject(Value::dict({{"param_groups", Value::list()}, {"state", Value::dict()}}),
         "loaded state dict has a different number of parameter groups");
  SGD one({leaf({1})}, {.momentum = 0.5});
  reject(one.state_dict(),
         "loaded state dict contains a parameter group that doesn't match the size of optimizer's "
         "group");
  const Tensor c = leaf({1, 2, 3}), d = leaf({1});
  SGD other({c, d}, {.momentum = 0.5});
  c.set_grad(ones({3}));
  other.step();
  reject(other.state_dict(), "SGD.load_state_dict: momentum_buffer: got shape [3], expected [2]");
}

TEST(Optimizer, SwapsInParametersAndState) {
  const Tensor a = leaf({1, 2}), b = leaf({5, 6});
  SGD opt({a}, {.lr = 1, .momentum = 0.5});
  a.set_grad(ones({2}));
  opt.step();
  const std::string before = opt.state_dict().repr();
  Value state = opt.state_dict();
  const Tensor buffer = zeros({2});
  state["state"] = Value::dict({{0, Value::dict({{"momentum_buffer", buffer}})}});
  state["param_groups"][0]["lr"] = 0.5;
  {
    const auto swapped =
        optim::swap_in_optimizer_params_and_state(opt, Value::dict({{"w", b}}), state);
    b.set_grad(ones({2}));
    opt.step();
  }
  EXPECT_EQ(to_vector<float>(b), (std::vector<float>{4.5, 5.5}));
  EXPECT_EQ(to_vector<float>(buffer), (std::vector<float>{1, 1}));
  EXPECT_EQ(opt.state_dict().repr(), before);
  EXPECT_TRUE(opt.param_groups()[0].params()[0].is_same(a));
  EXPECT_EQ(error_text<RuntimeError>([&] {
              (void)optim::swap_in_optimizer_params_and_state(opt, Value::dict(), state);
            }),
            "swap_in_optimizer_params_and_state: number of parameters: got 0, expected 1");
  EXPECT_EQ(opt.state_dict().repr(), before);
}

TEST(Optimizer, CallsClosureWithGradEnabled) {
  const Tensor p = leaf({2});
  SGD opt({p}, {.lr = 0.25});
  const NoGrad guard;
  const Tensor loss = opt.step([&] {
    opt.zero_grad();
    const Tensor l = (p * p).sum();
    l.backward();
    return l;
  });
  EXPECT_EQ(loss.item<float>(), 4);
  EXPECT_EQ(to_vector<float>(p), std::vector<float>{1});
}

TEST(Optimizer, RunsHooks) {
  const Tensor p = leaf({1});
  SGD opt({p});
  std::string trace;
  const RemovableHandle before =
      opt.register_step_pre_hook([&](optim::Optimizer& o) { trace += o.type_name()[0]; });
  opt.register_step_post_hook([&](optim::Optimizer&) { trace += "e"; });
  opt.step();
  before.remove();
  opt.step();
  EXPECT_EQ(trace, "See");

  opt.register_state_dict_post_hook([](optim::Optimizer&, const Value& dict) {
    dict["note"] = "kept";
    return Value();
  });
  const Value dict = opt.state_dict();
  EXPECT_EQ(dict["note"].as_string(), "kept");
  opt.register_load_state_dict_pre_hook([](optim::Optimizer&, const Value& given) {
    Value other = given.as_dict().copy();
    other["param_groups"][0]["lr"] = 7;
    return other;
  });
  opt.load_state_dict(dict);
  EXPECT_EQ(opt.param_groups()[0]["lr"].as_int(), 7);
}

}  // namespace
}  // namespace taper
