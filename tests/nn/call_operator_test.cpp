// The call operator: arguments in braces, optional arguments by name, and the errors of `as`.
#include <memory>

#include "nets.h"
#include "taper/core/optional_fields.h"
#include "taper/nn/nn.h"

namespace {

using namespace nets;

struct ResizeOptions {
  OptionalTensor offset{};
  FloatArg scale = 1;
  OptionalShape pad{};
  TAPER_OPTIONS(offset, scale, pad)
};
/// Reshapes its input. Counts how often it is called.
struct Resize : nn::Module {
  TAPER_MODULE(Resize)
  static constexpr const char* forward_signature = "x, size, offset=None, scale=1.0, pad=None";
  Tensor forward(const Tensor& x, const Shape& size, const ResizeOptions& o = {}) const {
    Tensor y = x.reshape(size) * double{o.scale};
    return o.offset ? y + *o.offset : y;
  }
};
/// Takes its arguments by value, and changes itself.
struct Consume : nn::Module {
  int calls = 0;
  TAPER_MODULE(Consume)
  int forward(std::unique_ptr<int> number, std::vector<int> more = {}) {
    ++calls;
    return *number + static_cast<int>(more.size());
  }
};

TEST(CallOperator, AcceptsBracesAndRunsHooks) {
  Resize resize;
  int hooks = 0;
  const auto handle =
      resize.register_forward_hook([&](nn::Module&, const nn::Values& in, nn::Value&) {
        ++hooks;
        EXPECT_EQ(in.size(), 3u);
        EXPECT_EQ(in[1].as_size(), (Shape{2, 2}));
        EXPECT_EQ(in[2].as_dict().at("scale").as_double(), 2);
      });
  const Tensor x = tensor({1.0, 2.0, 3.0, 4.0});
  const Tensor y = resize(x, {2, 2}, {.offset = ones({2}), .scale = 2});
  EXPECT_EQ(hooks, 1);
  EXPECT_TRUE(equal(y, tensor({{3.0, 5.0}, {7.0, 9.0}})));
  const Resize& fixed = resize;
  EXPECT_TRUE(equal(fixed(x, {2, 2}, {.offset = ones({2}), .scale = 2}), y));
}

/// A layer of a program: calls forward of its base.
struct Shifted : nn::Linear {
  TAPER_DERIVED_MODULE(Shifted, nn::Linear)
  using nn::Linear::Linear;
  Tensor forward(const Tensor& x) const { return nn::Linear::forward(x) + 1; }
};
/// Declares in its forward that a direct call must not skip hooks.
struct Checked : nn::Module {
  nn::Linear fc{1, 1};
  TAPER_MODULE(Checked, fc)
  Tensor forward(const Tensor& x) const {
    check_called();
    return fc(x);
  }
};

TEST(CallOperator, ForwardAloneDoesNotSkipHooksOrComputedMembers) {
  const Tensor x = ones({2, 1});
  const auto expect_error = [&](auto& module, const std::string& text) {
    EXPECT_NE(error_text<RuntimeError>([&] { module.forward(x); }).find(text), std::string::npos);
  };
  nn::Linear plain(1, 1);
  EXPECT_TRUE(equal(plain.forward(x), plain(x)));
  {
    const nn::HookGuard guard(
        plain.register_forward_hook([](nn::Linear&, const Tensor&, Tensor& y) { y = y + 1; }));
    expect_error(plain, "Linear.forward: called directly, which skips its hooks");
    EXPECT_EQ(plain(x).shape(), (Shape{2, 1}));
  }
  EXPECT_TRUE(equal(plain.forward(x), plain(x)));
  {
    const nn::HookGuard guard(nn::register_module_forward_hook(
        [](nn::Module&, const nn::Values&, const nn::Value&) { return nn::Value(); }));
    expect_error(plain, "skips its hooks");
  }
  plain.register_state_dict_pre_hook([](nn::Module&, std::string_view, bool) {});
  EXPECT_TRUE(equal(plain.forward(x), plain(x)));

  nn::Linear normed(1, 1);
  nn::utils::parametrizations::weight_norm(normed);
  const Tensor first = normed(x);
  {
    const NoGrad guard;
    normed.get_parameter("parametrizations.weight.original0").mul_(2);
  }
  expect_error(normed, "does not compute its member 'weight'");
  EXPECT_FALSE(equal(normed(x), first));

  Shifted shifted(1, 1);
  shifted.register_forward_hook([](nn::Module&, const nn::Values&, nn::Value&) {});
  shifted.register_forward_pre_hook([](Shifted&, Tensor&) {});
  EXPECT_EQ(shifted(x).shape(), (Shape{2, 1}));
  expect_error(shifted, "Shifted.forward: called directly");

  Checked checked;
  checked.fc.register_forward_hook([](nn::Module&, const nn::Values&, nn::Value&) {});
  EXPECT_NO_THROW(checked.forward(x));
  checked.register_forward_hook([](nn::Module&, const nn::Values&, nn::Value&) {});
  EXPECT_NO_THROW(checked(x));
  expect_error(checked, "Checked.forward: called directly");
}

TEST(CallOperator, MovesArgumentsThatForwardTakesByValue) {
  Consume consume;
  EXPECT_EQ(consume(std::make_unique<int>(3), {1, 2}), 5);
  EXPECT_EQ(consume(std::make_unique<int>(3)), 3);
  EXPECT_EQ(consume.calls, 2);
}

TEST(CallOperator, OptionsFollowByPositionAndByNameInErasedCalls) {
  const Resize resize;
  const Tensor x = tensor({1.0, 2.0}), sum = tensor({{3.0, 5.0}});
  const Value size = Shape{1, 2};
  EXPECT_TRUE(equal(resize.call({x, size, ones({2}), 2.0}).as_tensor(), sum));
  EXPECT_TRUE(equal(
      resize.call({x, size}, Value::dict({{"scale", 2.0}, {"offset", ones({2})}})).as_tensor(),
      sum));
  EXPECT_TRUE(equal(
      resize.call({x, size, Value::dict({{"scale", 2.0}, {"offset", ones({2})}})}).as_tensor(),
      sum));
  EXPECT_TRUE(equal(resize.call({}, Value::dict({{"x", x}, {"size", size}})).as_tensor(),
                    x.reshape({1, 2})));
  EXPECT_EQ(error_message<TypeError>([&] {
              resize.call({x, size}, Value::dict({{"scal", 2.0}}));
            }),
            "Resize.forward() got an unexpected keyword argument 'scal'");
  EXPECT_EQ(error_message<TypeError>([&] {
              resize.call({x, size, Value::dict({{"scal", 2.0}})});
            }),
            "options: unknown field 'scal', expected one of offset, scale, pad");
  EXPECT_EQ(error_message<TypeError>([&] {
              resize.call({x, size, Value(), 2.0, Value(), Value()});
            }),
            "Resize.forward: takes from 2 to 5 arguments, got 6");
}

TEST(CallOperator, RecurrentLayersAcceptStatesInBraces) {
  const nn::LSTM lstm(2, 3);
  const Tensor x = randn({4, 1, 2}), h = randn({1, 1, 3}), c = randn({1, 1, 3});
  const auto pair = lstm(x, nn::LSTM::State{h, c});
  EXPECT_TRUE(equal(lstm(x, {h, c}).first, pair.first));
  EXPECT_TRUE(equal(lstm(x, {}).first, lstm(x).first));
  EXPECT_TRUE(
      equal(lstm(x, pair.second).first, lstm(x, {pair.second.first, pair.second.second}).first));
  const nn::GRU gru(2, 3);
  EXPECT_TRUE(equal(gru(x, {}).first, gru(x).first));
  EXPECT_TRUE(equal(gru(x, Tensor()).first, gru(x).first));
}

TEST(CallOperator, ErrorsNameTensorsOfOptions) {
  const nn::MultiheadAttention attention(4, 2);
  const Tensor x = randn({3, 2, 4});
  const std::string text = error_text<ShapeError>([&] {
    static_cast<void>(attention(x, x, x, {.attn_mask = zeros({2, 3}, {.dtype = bool_})}));
  });
  EXPECT_NE(text.find("float32 [3, 2, 4], bool [2, 3]"), std::string::npos) << text;
}

struct Named {
  const char* layer;
  nn::Values arguments;  ///< of the constructor
  nn::Value kwargs;      ///< of the call
};

// Every layer accepts the arguments of its forward by PyTorch's names.
TEST(CallOperator, LayersAcceptNamesOfPyTorch) {
  const Tensor x = randn({2, 3}), y = randn({2, 3});
  const auto named = [](std::initializer_list<std::pair<Value, Value>> items) {
    return Value::dict(items);
  };
  const std::vector<Named> all{
      {"Linear", {3, 2}, named({{"input", x}})},
      {"ReLU", {}, named({{"input", x}})},
      {"RMSNorm", {3}, named({{"x", x}})},
      {"MSELoss", {}, named({{"input", x}, {"target", y}})},
      {"PoissonNLLLoss", {}, named({{"log_input", x}, {"target", y}})},
      {"MarginRankingLoss", {}, named({{"input1", x}, {"input2", y}, {"target", ones({2, 3})}})},
      {"TripletMarginLoss", {}, named({{"anchor", x}, {"positive", y}, {"negative", x}})},
      {"CosineSimilarity", {}, named({{"x1", x}, {"x2", y}})},
      {"GRUCell", {3, 2}, named({{"input", x}, {"hx", zeros({2, 2})}})},
      {"GRU", {3, 2}, named({{"input", x}, {"hx", zeros({1, 2})}})},
  };
  for (const Named& n : all) {
    const auto layer = nn::make(n.layer, n.arguments);
    Values args;
    for (const auto& [key, value] : n.kwargs.as_dict()) args.push_back(value);
    const Value expected = layer->call(args), got = layer->call({}, n.kwargs);
    EXPECT_EQ(got.repr(), expected.repr()) << n.layer;
    EXPECT_EQ(error_message<TypeError>([&] {
                layer->call(args, Value::dict({{"other", 1}}));
              }),
              std::string(n.layer) + ".forward() got an unexpected keyword argument 'other'");
  }
  const nn::Sequential net{nn::Linear(3, 2), nn::ReLU()};
  EXPECT_TRUE(equal(net.call({}, named({{"input", x}})).as_tensor(), net(x)));
}

TEST(As, ThrowsForAnotherClassWhenDereferenced) {
  const nn::Sequential net{nn::Linear(2, 3), Scale(2)};
  EXPECT_EQ(net[0].as<nn::Linear>()->out_features, 3);
  EXPECT_TRUE(net[0].as<nn::ReLU>() == nullptr);
  EXPECT_FALSE(net[0].as<nn::ReLU>());
  EXPECT_EQ(error_text<TypeError>([&] { net[0].as<nn::Conv2d>()->weight.zero_(); }),
            "as: the module is not a taper::nn::Conv2d, but a taper::nn::Linear: "
            "Linear(in_features=2, out_features=3, bias=True)");
  EXPECT_EQ(error_text<TypeError>([&] { static_cast<void>(*net[1].as<nn::Linear>()); }),
            "as: the module is not a taper::nn::Linear, but a nets::Scale: Scale(size=2)");
}

}  // namespace
