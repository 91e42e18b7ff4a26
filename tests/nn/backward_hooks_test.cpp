// Full backward hooks and backward pre-hooks.
#include <cstdlib>

#include "hook_nets.h"
#include "support/contains.h"
#include "taper/autograd/autograd.h"
#include "taper/nn/global_hooks.h"
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"

namespace {

using taper::test::contains;

using namespace nets;

struct BackwardHooks : testing::Test {
  WarningCapture warnings;
  std::string log;
  Tensor x = leaf(1, 2);
};

// R3.2-02, R3.2-04, R3.2-07, R3.2-10, R1.3-06, R1.3-07, R2.7-03, R2.7-04
TEST_F(BackwardHooks, RunAroundForwardAndBackwardGlobalFirst) {
  Apply m;
  m.function = [&](const Tensor& t) { return log += "forward ", t * 2; };
  const RemovableHandle global[] = {
      nn::register_module_forward_pre_hook(
          [&](nn::Module&, const Values&) { log += "global-pre "; }),
      nn::register_module_forward_hook(
          [&](nn::Module&, const Values&, Value&) { log += "global-fwd "; }),
      nn::register_module_full_backward_pre_hook(
          [&](nn::Module&, const Values&) { log += "global-bwd-pre "; }),
      nn::register_module_full_backward_hook(
          [&](nn::Module&, const Values&, const Values&) { log += "global-bwd "; })};
  m.register_forward_pre_hook([&](nn::Module&, const Values&) { log += "pre1 "; });
  m.register_forward_pre_hook([&](nn::Module&, const Values&) { log += "pre2 "; });
  m.register_forward_hook([&](nn::Module&, const Values&, Value&) { log += "fwd1 "; });
  m.register_full_backward_pre_hook([&](nn::Module&, const Values&) { log += "bwd-pre "; });
  m.register_full_backward_hook([&](nn::Module&, const Values&, const Values&) { log += "bwd "; });
  const Tensor y = m(x);
  EXPECT_EQ(log, "global-pre pre1 pre2 forward global-fwd fwd1 ");
  log.clear();
  y.sum().backward();
  EXPECT_EQ(log, "global-bwd-pre bwd-pre global-bwd bwd ");
  for (const RemovableHandle& h : global) h.remove();
  log.clear();
  m(x).sum().backward();
  EXPECT_EQ(log, "pre1 pre2 forward fwd1 bwd-pre bwd ");
}

TEST_F(BackwardHooks, PrependPutsHookFirst) {  // R3.1-04, R2.7-03, R2.7-04
  Apply m;
  m.register_full_backward_hook([&](nn::Module&, const Values&, const Values&) { log += "b "; });
  m.register_full_backward_hook([&](nn::Module&, const Values&, const Values&) { log += "a "; },
                                {.prepend = true});
  m.register_full_backward_pre_hook([&](nn::Module&, const Values&) { log += "2 "; });
  m.register_full_backward_pre_hook([&](nn::Module&, const Values&) { log += "1 "; },
                                    {.prepend = true});
  m(x).sum().backward();
  EXPECT_EQ(log, "1 2 a b ");
}

// R3.2-02, R3.1-05
TEST_F(BackwardHooks, AreCollectedBeforePreHooksOfCall) {
  Apply m;
  RemovableHandle removed = m.register_full_backward_hook(
      [&](nn::Module&, const Values&, const Values&) { log += "removed "; });
  const auto late = m.register_forward_pre_hook([&](nn::Module& self, const Values&) {
    self.register_full_backward_hook(
        [&](nn::Module&, const Values&, const Values&) { log += "late "; });
  });
  const Tensor y = m(x);
  late.remove();
  removed.remove();  // removed after forward: this graph retains it
  y.sum().backward();
  EXPECT_EQ(log, "removed ");
  log.clear();
  m(x).sum().backward();
  EXPECT_EQ(log, "late ");
}

// R3.4-01, R3.4-03, R3.4-04, R3.4-06
TEST_F(BackwardHooks, ReceiveOneEntryPerArgumentAndResult) {
  ManyThings m;
  m.register_full_backward_pre_hook(
      [&](nn::Module&, const Values& out) { log += "pre " + Value::tuple(out).repr() + "\n"; });
  m.register_full_backward_hook([&](nn::Module&, const Values& in, const Values& out) {
    log += Value::tuple(in).repr() + "\n" + Value::tuple(out).repr() + "\n";
  });
  const auto [first, text, second] = m(x, tensor({1, 2}), 5, leaf(1, 1), std::vector{leaf(3, 3)});
  EXPECT_EQ(first.grad_fn().name(), "BackwardHookFunctionBackward");
  EXPECT_TRUE(second.grad_fn() == first.grad_fn());
  first.sum().backward();
  EXPECT_EQ(log,
            "pre (tensor([1., 1.]), None, None)\n"
            "(tensor([2., 2.]), tensor([0, 0]), None, tensor([0., 0.]), None)\n"
            "(tensor([1., 1.]), None, None)\n");
}

// R3.4-01
TEST_F(BackwardHooks, DoNotWrapNestedTensorsAndKwargs) {
  TakesKwargs m;
  std::vector<Value> seen;
  m.register_full_backward_hook([&](nn::Module&, const Values& in, const Values&) { seen = in; });
  const Tensor y = leaf(1, 1), z = leaf(1, 1);
  m.call({x, Value::list({y})}, Value::dict({{"z", z}})).as_tensor().sum().backward();
  EXPECT_EQ(Value::tuple(seen).repr(), "(tensor([1., 1.]), None)");
  EXPECT_EQ(m.x_node, "BackwardHookFunctionBackward");
  EXPECT_EQ(m.other_nodes, "");  // the other arguments are leaves in forward
}

struct Two {
  Tensor a, b;
};
}  // namespace
template <> struct taper::nn::Convert<Two> {
  static Value to(const Two& t) { return Value::tuple({t.a, t.b}); }
  static Two from(const Value& v) { return {v[0].as_tensor(), v[1].as_tensor()}; }
};
namespace {
struct GivesTwo : nn::Module {
  TAPER_MODULE(GivesTwo)
  Two forward(const Tensor& x) { return {x * 2, x * 3}; }
};

// R3.4-03: a counterpart of a named tuple is a struct with a Convert specialization.
TEST_F(BackwardHooks, StructOfResultsRetainsType) {
  GivesTwo m;
  m.register_full_backward_hook(
      [&](nn::Module&, const Values&, const Values& out) { log = Value::tuple(out).repr(); });
  const Two two = m(x);
  (two.a + two.b * 10).sum().backward();
  EXPECT_EQ(log, "(tensor([1., 1.]), tensor([10., 10.]))");
}

struct NamesTwo : nn::Module {
  TAPER_MODULE(NamesTwo)
  Value forward(const Tensor& x) { return Value::named_tuple("Two", {{"a", x * 2}, {"b", x * 3}}); }
};

// R3.4-03
TEST_F(BackwardHooks, NamedTupleRetainsType) {
  NamesTwo m;
  m.register_full_backward_hook(
      [&](nn::Module&, const Values&, const Values& out) { log = Value::tuple(out).repr(); });
  const Value two = m(x);
  EXPECT_EQ(two.type_name(), "Two");
  (two["a"].as_tensor() + two["b"].as_tensor() * 10).sum().backward();
  EXPECT_EQ(log, "(tensor([1., 1.]), tensor([10., 10.]))");
}

// R3.4-02, R3.4-09
TEST_F(BackwardHooks, RunAtResultsIfNoInputRequiresGrad) {
  nets::Scale m;
  m.register_full_backward_pre_hook([&](nn::Module&, const Values&) { log += "pre "; });
  m.register_full_backward_hook([&](nn::Module&, const Values& in, const Values& out) {
    log += Value::tuple(in).repr() + " " + Value::tuple(out).repr();
  });
  m.register_forward_pre_hook(
      [&](nn::Module&, const Values& args) { EXPECT_FALSE(args[0].as_tensor().grad_fn()); });
  m(row(1, 2)).sum().backward();
  EXPECT_EQ(log, "pre (None,) (tensor([1., 1.]),)");
  EXPECT_EQ(warnings.last(),
            "Full backward hook is firing when gradients are computed with respect to module "
            "outputs since no inputs require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
            "#torch.nn.Module.register_full_backward_hook for more details.");
  EXPECT_EQ(m.weight.grad().data<float>()[1], 2);
  const char* refusal =
      "Backward hook for Modules where no input requires gradient should always return None or "
      "None for all gradients.";
  const auto with = [&](auto hook) {
    nets::Scale fresh;
    fresh.register_full_backward_hook(hook);
    return error_message<RuntimeError>([&] { fresh(row(1, 2)).sum().backward(); });
  };
  EXPECT_EQ(with([](nn::Module&, const Values&, const Values&) { return Value::tuple({Value()}); }),
            "");
  EXPECT_EQ(with([](nn::Module&, const Values&, const Values& out) { return Value::tuple(out); }),
            refusal);
  EXPECT_EQ(with([](nn::Module&, const Values&, const Values&) { return Value::list({Value()}); }),
            refusal);
  EXPECT_EQ(with([](nn::Module&, Values& in, const Values& out) { in[0] = out[0]; }), refusal);
}

// R3.4-05
TEST_F(BackwardHooks, PreHooksReplaceGradientsOfResults) {
  nets::Scale m(3);
  m.register_full_backward_pre_hook(
      [](nn::Module&, const Values& out) { return Value::tuple({out[0].as_tensor() * 10}); });
  m.register_full_backward_pre_hook([&](nn::Module&, const Values& out) {
    log += Value::tuple(out).repr();
    return Value::list({out[0].as_tensor() * 10});
  });
  m.register_full_backward_hook(
      [&](nn::Module&, const Values&, const Values& out) { log += Value::tuple(out).repr(); });
  m(x).sum().backward();
  EXPECT_EQ(log, "(tensor([10., 10.]),)(tensor([100., 100.]),)");
  EXPECT_EQ(x.grad().data<float>()[0], 300);
  EXPECT_EQ(m.weight.grad().data<float>()[1], 200);
  m.register_full_backward_pre_hook([](nn::Module&, const Values&) {
    return Value::tuple({{}, {}});
  });
  EXPECT_EQ(error_message<RuntimeError>([&] { m(x).sum().backward(); }),
            "Backward pre hook returned an invalid number of grad_output, got 2, but expected 1");
}

// R3.4-05
TEST_F(BackwardHooks, PreHooksCanRemoveGradient) {
  nets::Scale m(3);
  m.register_full_backward_pre_hook([](nn::Module&, Values& out) { out[0] = {}; });
  m.register_full_backward_hook([&](nn::Module&, const Values& in, const Values& out) {
    log = Value::tuple(in).repr() + Value::tuple(out).repr();
  });
  m(x).sum().backward();
  EXPECT_EQ(log, "(tensor([0., 0.]),)(None,)");
  EXPECT_EQ(x.grad().data<float>()[0], 0);
  EXPECT_FALSE(m.weight.grad().defined());
}

// R3.4-07, R3.4-08
TEST_F(BackwardHooks, ReplaceGradientsOfArgumentsOnly) {
  nets::Scale m(3);
  m.register_full_backward_hook([](nn::Module&, const Values& in, const Values&) {
    return Value::tuple({in[0].as_tensor() * 10});
  });
  m.register_full_backward_hook([&](nn::Module&, Values& in, const Values&) {
    log = Value::tuple(in).repr();
    in[0] = in[0].as_tensor() + 1;
  });
  m(x).sum().backward();
  EXPECT_EQ(log, "(tensor([30., 30.]),)");
  EXPECT_EQ(x.grad().data<float>()[0], 31);
  EXPECT_EQ(m.weight.grad().data<float>()[1], 2);
  const auto wrong = m.register_full_backward_hook([](nn::Module&, const Values&, const Values&) {
    return Value::tuple({{}, {}});
  });
  EXPECT_EQ(error_message<RuntimeError>([&] { m(x).sum().backward(); }),
            "Backward hook returned an invalid number of grad_input, got 2, but expected 1");
  wrong.remove();
  const auto bare = m.register_full_backward_hook(
      [](nn::Module&, const Values& in, const Values&) { return in[0].as_tensor(); });
  EXPECT_EQ(error_message<TypeError>([&] { m(x).sum().backward(); }),
            "Backward hook must return None or a tuple of gradients, but got Tensor");
  bare.remove();
  m.register_full_backward_hook(
      [](nn::Module&, const Values&, const Values&) { return Value::tuple({Value()}); });
  x.set_grad(Tensor());
  m(x).sum().backward();
  EXPECT_FALSE(x.grad().defined());
}

TEST_F(BackwardHooks, RejectReplacementOfOtherShape) {
  Apply m;
  m.register_full_backward_hook([](nn::Module&, Values& in, const Values&) { in[0] = ones({3}); });
  EXPECT_TRUE(contains(error_text<ShapeError>([&] { m(x).sum().backward(); }),
                       "has changed the size of value: got [3], expected [2]"));
}

// R3.4-10
TEST_F(BackwardHooks, DoNotRunForGradientsThatBypassResults) {
  Apply m;
  m.function = [](const Tensor& t) { return t * t; };
  m.register_full_backward_hook([&](nn::Module&, const Values&, const Values&) { log += "bwd "; });
  const Tensor y = m(x);
  const Tensor g = autograd::grad(y.sum(), x, {.create_graph = true});
  EXPECT_EQ(log, "bwd ");
  const Tensor gg = autograd::grad(g.sum(), x);  // the gradient does not pass through y
  EXPECT_EQ(gg.data<float>()[0], 2);
  EXPECT_EQ(log, "bwd ");
}

// R3.4-11
TEST_F(BackwardHooks, DoNotRunWithoutBackward) {
  Apply m;
  m.register_full_backward_hook([&](nn::Module&, const Values&, const Values&) { log += "bwd "; });
  m(x);
  EXPECT_FALSE(m(row(1, 2)).grad_fn());
  {
    const NoGrad guard;
    EXPECT_FALSE(m(x).grad_fn());
  }
  m.function = [](const Tensor& t) { return t.detach(); };
  EXPECT_FALSE(m(x).grad_fn());
  EXPECT_EQ(log, "");
}

// R3.4-12
TEST_F(BackwardHooks, RejectInPlaceChangeOfWrappedTensors) {
  const std::string refusal =
      "Output 0 of BackwardHookFunction is a view and is being modified inplace. This view was "
      "created inside a custom Function (or because an input was returned as-is) and the autograd "
      "logic to handle view+inplace would override the custom backward associated with the custom "
      "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by "
      "cloning the output of the custom Function.";
  Apply inside;
  inside.function = [](const Tensor& t) { return t.add_(1), t * 2; };
  inside.register_full_backward_pre_hook([](nn::Module&, const Values&) {});
  EXPECT_EQ(error_message<RuntimeError>([&] { inside(x * 1); }), refusal);
  EXPECT_EQ(error_message<RuntimeError>([&] { inside(x); }), refusal);
  EXPECT_NO_THROW(inside(row(1, 2)));
  Apply m;
  m.register_full_backward_hook([](nn::Module&, const Values&, const Values&) {});
  const Tensor y = m(x);
  EXPECT_EQ(error_message<RuntimeError>([&] { y.add_(1); }), refusal);
}

// R3.4-13
TEST_F(BackwardHooks, RejectMixOfFullAndNonFullHooks) {
  const char* refusal =
      "Cannot use both regular backward hooks and full backward hooks on a single Module. Please "
      "use only one of them.";
  const auto hook = [](nn::Module&, const Values&, const Values&) {};
  Apply a, b;
  EXPECT_FALSE(a.is_full_backward_hook().has_value());
  a.register_full_backward_pre_hook([](nn::Module&, const Values&) {});
  EXPECT_FALSE(a.is_full_backward_hook().has_value());
  a.register_full_backward_hook(hook).remove();
  EXPECT_EQ(a.is_full_backward_hook(), true);
  EXPECT_EQ(error_message<RuntimeError>([&] { a.register_backward_hook(hook); }), refusal);
  b.register_backward_hook(hook).remove();
  EXPECT_EQ(b.is_full_backward_hook(), false);
  EXPECT_EQ(error_message<RuntimeError>([&] { b.register_full_backward_hook(hook); }), refusal);
  EXPECT_NO_THROW(b.register_full_backward_pre_hook([](nn::Module&, const Values&) {}));
}

// R3.2-07
TEST_F(BackwardHooks, RequireTensorOrTupleAsResult) {
  GivesList m;
  m.register_full_backward_hook([&](nn::Module&, const Values&, const Values&) { log += "bwd "; });
  m(x)[0].sum().backward();
  EXPECT_EQ(log, "");
  EXPECT_EQ(warnings.last(),
            "For backward hooks to be called, module output should be a Tensor or a tuple of "
            "Tensors but received <class 'list'>");
}

// R3.3-07
TEST_F(BackwardHooks, WrapReplacementsByPreHooks) {
  Apply m;
  const Tensor other = leaf(5, 5);
  m.register_forward_pre_hook([&](nn::Module&, Values& args) { args[0] = other; });
  m.register_full_backward_hook(
      [&](nn::Module&, Values& in, const Values&) { in[0] = in[0].as_tensor() * 10; });
  m(x).sum().backward();
  EXPECT_EQ(other.grad().data<float>()[0], 20);
  EXPECT_FALSE(x.grad().defined());
}

TEST_F(BackwardHooks, SupportTypedSignatures) {
  nn::Linear m(2, 1);
  m.register_full_backward_pre_hook(
      [](nn::Linear&, Tensor& grad_output) { grad_output = grad_output * 2; });
  m.register_full_backward_hook([&](nn::Linear& self, Tensor& in, const Tensor& out) {
    log = self.str() + " " + out.str();
    in = in * 10;
  });
  {
    const NoGrad guard;
    m.weight.fill_(3);
  }
  m(x).sum().backward();
  EXPECT_EQ(log, "Linear(in_features=2, out_features=1, bias=True) tensor([2.])");
  EXPECT_EQ(x.grad().data<float>()[0], 60);
  Net net;  // gradients of arguments with defaults are undefined
  net.register_full_backward_hook(
      [&](Net&, Tensor& x_grad, Tensor& scale, Tensor& mask, const Tensor&) {
        EXPECT_TRUE(x_grad.defined());
        EXPECT_FALSE(scale.defined() || mask.defined());
      });
  net(x).sum().backward();
}

// R3.5-03: Python keeps the module alive; here the graph reports that it no longer exists.
TEST_F(BackwardHooks, FollowMovedModuleAndReportDestroyedOne) {
  auto m = std::make_unique<Apply>();
  m->register_full_backward_hook([&](nn::Module& self, const Values&, const Values&) {
    EXPECT_EQ(&self, m.get());
    log += "bwd ";
  });
  const Tensor y = (*m)(x);
  m = std::make_unique<Apply>(std::move(*m));
  y.sum().backward();
  EXPECT_EQ(log, "bwd ");
  const Tensor z = (*m)(x);
  m.reset();
  EXPECT_EQ(error_message<RuntimeError>([&] { z.sum().backward(); }),
            "You are trying to call the hook of a dead Module!");
}

TEST_F(BackwardHooks, RunFromOuterToInnerModules) {
  nn::Sequential net{nn::Linear(2, 2), nn::Linear(2, 1)};
  const auto note = [&](const char* name) {
    return [this, name](nn::Module&, const Values&, const Values&) { log += name; };
  };
  net.register_full_backward_hook(note("net "));
  net[0].register_full_backward_hook(note("0 "));
  net[1].register_full_backward_hook(note("1 "));
  net(x).sum().backward();
  EXPECT_EQ(log, "1 0 net ");
}

// R1.3-08, in a separate process, because the kind cannot be changed once it is chosen.
TEST(GlobalBackwardHooks, RejectMixOfFullAndNonFullHooks) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [](bool full) {
    const char* refusal =
        "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
        "Please use only one of them.";
    std::string log;
    const auto hook = [&](nn::Module&, const Values&, const Values&) { log += "global "; };
    const auto own = [&](nn::Module&, const Values&, const Values&) { log += "own "; };
    const auto first = full ? nn::register_module_full_backward_hook(hook)
                            : nn::register_module_backward_hook(hook);
    Apply m;  // its own kind does not depend on the global kind
    if (full)
      m.register_backward_hook(own);
    else
      m.register_full_backward_hook(own);
    m(leaf(1, 2)).sum().backward();
    const bool both = log == "own global " || log == "global own ";
    first.remove();
    const std::string text = error_message<RuntimeError>([&] {
      full ? nn::register_module_backward_hook(hook) : nn::register_module_full_backward_hook(hook);
    });
    std::exit(both && text == refusal ? 0 : 1);
  };
  EXPECT_EXIT(run(true), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(run(false), testing::ExitedWithCode(0), "");
}

}  // namespace
