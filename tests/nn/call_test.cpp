#include "hook_nets.h"
#include "taper/autograd/function.h"

namespace {

using namespace nets;

// R2.8-01
TEST(Call, TypedCallsAcceptArgumentsOfForward) {
  Net net;
  EXPECT_EQ(net(row(1, 2)).flatten()[0].item<float>(), 6);
  EXPECT_EQ(net(row(1, 2), 2.f).flatten()[0].item<float>(), 12);
  EXPECT_EQ(net(row(1, 2), 2.f, row(0, 1)).flatten()[0].item<float>(), 0);
  EXPECT_EQ(net.calls, 3);
}

TEST(Call, ErasedCallsUseDefaultsAndOptionals) {
  Net net;
  nn::Module& m = net;
  const Value x = row(1, 2);
  EXPECT_EQ(m.call({x}).as_tensor().flatten()[0].item<float>(), 6);
  EXPECT_EQ(m.call({x, 2}).as_tensor().flatten()[0].item<float>(), 12);
  EXPECT_EQ(m.call({x, 2, row(0, 1)}).as_tensor().flatten()[0].item<float>(), 0);
  EXPECT_EQ(m.call({x, 2, {}}).as_tensor().flatten()[0].item<float>(), 12);
  EXPECT_EQ(m(row(1, 2)).flatten()[0].item<float>(), 6);  // a single tensor as argument and result
  EXPECT_EQ(error_message<TypeError>([&] { m.call({}); }),
            "Net.forward: takes from 1 to 3 arguments, got 0");
  EXPECT_THROW(m.call({x, 1, {}, 4}), TypeError);
  EXPECT_THROW(m.call({x, "two"}), TypeError);
}

struct Pair : nn::Module {
  TAPER_MODULE(Pair)
  std::tuple<Tensor, std::vector<Tensor>> forward(const std::vector<Tensor>& xs, bool flip) {
    return {flip ? xs[1] : xs[0], xs};
  }
};

TEST(Call, ContainersConvertToValueAndBack) {
  Pair pair;
  const Value out = pair.call({Value::list({row(1, 2), row(3, 4)}), true});
  EXPECT_EQ(out[0].as_tensor().flatten()[0].item<float>(), 3);
  EXPECT_EQ(out[1].size(), 2u);
}

struct Foreign {
  int x;
};
struct TakesForeign : nn::Module {
  TAPER_MODULE(TakesForeign)
  Foreign forward(const Foreign& f, int& count) {
    ++count;
    return {f.x + 1};
  }
};

TEST(Call, UnconvertibleTypesWorkInDirectCallsWithHooks) {
  TakesForeign m;
  int count = 0;
  EXPECT_EQ(m(Foreign{1}, count).x, 2);
  std::string seen;
  m.register_forward_hook(
      [&](nn::Module&, const Values& args, Value& out) { seen = args[0].repr() + out.repr(); });
  EXPECT_EQ(m(Foreign{1}, count).x, 2);
  EXPECT_EQ(seen, "<value object><value object>");
  EXPECT_EQ(count, 2);
  EXPECT_THROW(m.call({1, 2}), TypeError);
}

struct Overloaded : nn::Module {
  TAPER_MODULE(Overloaded)
  Tensor forward(const Tensor& x) { return x; }
  int forward(int x) { return x + 1; }
};

TEST(Call, OverloadedForwardsAreCalledDirectly) {
  Overloaded m;
  EXPECT_EQ(m(1), 2);
  EXPECT_TRUE(m(row(1, 2)).defined());
  nn::Module& erased = m;
  EXPECT_TRUE(erased(row(1, 2)).defined());
  EXPECT_EQ(error_message<TypeError>([&] { erased.call({1}); }),
            "Overloaded.forward: is overloaded or a template: cannot be called through Value, only "
            "directly");
}

struct WithKwargs : Identity {
  TAPER_DERIVED_MODULE(WithKwargs, Identity)
  Tensor forward(const Tensor& x) { return x; }
  Value forward_kwargs(Values& args, const Value& kwargs) override {
    return args[0].as_tensor() * kwargs["scale"].as_double();
  }
};

TEST(Call, OnlyErasedCallsAcceptKwargs) {
  WithKwargs m;
  EXPECT_EQ(m.call({row(1, 2)}, Value::dict({{"scale", 3}})).as_tensor().flatten()[0].item<float>(),
            3);
  Net net;
  EXPECT_EQ(error_message<TypeError>([&] {
              net.call({row(1, 2)}, Value::dict({{"b", 1}}));
            }),
            "Net.forward() got an unexpected keyword argument 'b'");
}

struct Silent : nn::Module {
  TAPER_MODULE(Silent)
};

// R1.2-02
TEST(Call, ReportsMissingForward) {
  Silent m;
  EXPECT_EQ(error_message<NotImplementedError>([&] { m.call({}); }),
            "Module [Silent] is missing the required \"forward\" function");
}

struct Thrower : nn::Module {
  TAPER_MODULE(Thrower)
  Tensor forward(const Tensor&, std::optional<Tensor> = {}) {
    throw ShapeError("thrower: never fits: got [2] expected nothing");
  }
  std::string extra_repr() const override { return "always"; }
};
struct Middle : nn::Module {
  Thrower bad;
  Scale good;
  TAPER_MODULE(Middle, good, bad)
  Tensor forward(const Tensor& x) { return bad(good(x), x); }
};
struct Top : nn::Module {
  Middle middle;
  TAPER_MODULE(Top, middle)
  Tensor forward(const Tensor& x) { return middle(x); }
};

TEST(ErrorContext, ContainsPathModuleAndInputsOnce) {
  Top top;
  const char* expected =
      "thrower: never fits: got [2] expected nothing\n"
      "  in middle.bad: Thrower(always), called with float32 [2], float32 [2]";
  EXPECT_EQ(error_text<ShapeError>([&] { top(row(1, 2)); }), expected);
  top.middle.register_forward_hook([](nn::Module&, const Values&, Value&) {});
  EXPECT_EQ(error_text<ShapeError>([&] { top(row(1, 2)); }), expected);
  nn::Module& erased = top;
  EXPECT_EQ(error_text<ShapeError>([&] { erased.call({row(1, 2)}); }), expected);
  try {
    top(row(1, 2));
  } catch (const Error& e) {
    EXPECT_STREQ(e.message(), "thrower: never fits: got [2] expected nothing");
    EXPECT_EQ(e.context()->path, "middle.bad");
    EXPECT_EQ(e.kind(), ErrorKind::shape);
  }
}

struct MakesOne : nn::Module {
  TAPER_MODULE(MakesOne)
  Tensor forward(const Tensor& x) {
    Middle local;
    return local(x);
  }
};

TEST(ErrorContext, UsesClassNameOfUnregisteredModule) {
  MakesOne m;
  EXPECT_EQ(error_text<ShapeError>([&] { m(row(1, 2)); }),
            "thrower: never fits: got [2] expected nothing\n"
            "  in <Middle>.bad: Thrower(always), called with float32 [2], float32 [2]");
}

TEST(ErrorContext, NamesModuleOfFailedHook) {
  Net net;
  net.class_.register_forward_pre_hook([](nn::Module&, const Values&) { throw ValueError("no"); });
  EXPECT_EQ(error_text<ValueError>([&] { net(row(1, 2)); }),
            "no\n  in class: Scale(size=2), called with float32 [2]");
}

struct Refusing : autograd::Function<Refusing> {
  static Tensor forward(autograd::Context&, const Tensor& a) { return a * 2; }
  static std::vector<Tensor> backward(autograd::Context&, const std::vector<Tensor>&) {
    throw ValueError("refusing: no way back");
  }
};
struct NoWayBack : nn::Module {
  TAPER_MODULE(NoWayBack)
  Tensor forward(const Tensor& x) { return Refusing::apply(x); }
};
struct Outer : nn::Module {
  Scale scale;
  NoWayBack inner;
  TAPER_MODULE(Outer, scale, inner)
  Tensor forward(const Tensor& x) { return inner(scale(x)); }
};
struct Outermost : nn::Module {
  Outer outer;
  TAPER_MODULE(Outermost, outer)
  Tensor forward(const Tensor& x) { return outer(x).sum(); }
};

TEST(ErrorContext, IsAvailableInBackwardInAnomalyMode) {
  const WarningCapture warnings;
  Outermost m;
  const Tensor x = row(1, 2);
  EXPECT_EQ(error_text<ValueError>([&] { m(x).backward(); }), "refusing: no way back");
  const char* expected =
      "refusing: no way back\n"
      "  in the backward of outer.inner: NoWayBack(), called with float32 [2]";
  {
    const DetectAnomaly guard;
    EXPECT_FALSE(nn::detail::ModuleAccess::can_call_directly(m));
    const Tensor y = m(x);
    EXPECT_EQ(error_text<ValueError>([&] { y.backward(); }), expected);
    EXPECT_EQ(warnings.last(),
              "Error detected in RefusingBackward. Traceback of forward call that caused the "
              "error:\n  made in outer.inner: NoWayBack(), called with float32 [2]");
    Outermost hooked;
    hooked.register_forward_hook([](nn::Module&, const Values&, const Value&) {});
    EXPECT_EQ(error_text<ValueError>([&] { hooked(x).backward(); }), expected);
  }
  EXPECT_TRUE(nn::detail::ModuleAccess::can_call_directly(m));
}

TEST(ErrorContext, OmitsPathOfRoot) {
  Thrower t;
  EXPECT_EQ(error_text<ShapeError>([&] { t(row(1, 2)); }),
            "thrower: never fits: got [2] expected nothing\n"
            "  in Thrower(always), called with float32 [2]");
}

}  // namespace
