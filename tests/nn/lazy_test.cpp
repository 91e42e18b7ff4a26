// Layers that infer their sizes from their first input.
#include "nets.h"
#include "taper/core/generator.h"
#include "taper/nn/nn.h"

namespace {

using namespace nets;

// R8.2-05, R8.2-13, R8.2-43
TEST(Lazy, PrintsUnknownSizesAsZero) {
  EXPECT_EQ(nn::LazyLinear(3).str(), "LazyLinear(in_features=0, out_features=3, bias=True)");
  EXPECT_EQ(nn::LazyConv2d(4, 3).str(), "LazyConv2d(0, 4, kernel_size=(3, 3), stride=(1, 1))");
  EXPECT_EQ(nn::LazyBatchNorm1d().str(),
            "LazyBatchNorm1d(0, eps=1e-05, momentum=0.1, affine=True, bias=True, "
            "track_running_stats=True)");
  EXPECT_EQ(nn::SyncBatchNorm(3).str(),
            "SyncBatchNorm(3, eps=1e-05, momentum=0.1, affine=True, bias=True, "
            "track_running_stats=True)");
}

// Checks that each lazy layer becomes a layer of the regular class, with the parameters that a
// layer of known sizes has.
TEST(Lazy, BecomesRegularLayerAtFirstCall) {
  const auto check = [](nn::Module& lazy, const char* becomes, const nn::Values& args,
                        const Tensor& x) {
    EXPECT_TRUE(nn::has_uninitialized_params(lazy));
    manual_seed(3);
    const Tensor y = lazy(x);
    EXPECT_FALSE(nn::has_uninitialized_params(lazy));
    manual_seed(3);
    const auto known = nn::make(becomes, args);
    EXPECT_EQ(lazy.str(), known->str());
    EXPECT_EQ(lazy.type_name(), becomes);
    EXPECT_TRUE(equal(y, (*known)(x)));
    EXPECT_EQ(nn::describe(lazy).str(), nn::describe(*known).str());
    EXPECT_EQ(lazy.hooks(nn::HookKind::forward_pre).hooks.size(), 0u);
  };
  nn::LazyLinear linear(3);
  check(linear, "Linear", {4, 3}, randn({2, 4}));
  EXPECT_EQ(linear.in_features, 4);
  nn::LazyConv1d conv1(4, 3);
  check(conv1, "Conv1d", {2, 4, 3}, randn({1, 2, 5}));
  nn::LazyConv2d conv2(4, {3, 1}, {.stride = 2, .groups = 2, .bias = false});
  check(conv2, "Conv2d", {6, 4, Value::tuple({3, 1}), 2, 0, 1, 2, false}, randn({1, 6, 5, 5}));
  EXPECT_EQ(conv2.in_channels, 6);
  nn::LazyConv3d conv3(2, 1);
  check(conv3, "Conv3d", {3, 2, 1}, randn({3, 2, 2, 2}));  // input without a batch dimension
  nn::LazyBatchNorm1d norm1;
  check(norm1, "BatchNorm1d", {3}, randn({4, 3}));
  nn::LazyBatchNorm2d norm2({.momentum = std::nullopt});
  check(norm2, "BatchNorm2d", {5, 1e-5, Value()}, randn({2, 5, 3, 3}));
  EXPECT_EQ(norm2.num_batches_tracked->item<std::int64_t>(), 1);
  nn::LazyBatchNorm3d norm3;
  check(norm3, "BatchNorm3d", {2}, randn({2, 2, 1, 1, 3}));
}

TEST(Lazy, InitializesInAnyKindOfCall) {
  nn::LazyLinear a(3), b(3), c(3);
  static_cast<nn::Linear&>(a)(ones({2, 4}));
  b.call({ones({2, 4})});
  nn::Sequential net{std::move(c), nn::ReLU()};
  net(ones({2, 4}));
  const std::string linear = "Linear(in_features=4, out_features=3, bias=True)";
  EXPECT_EQ(a.str(), linear);
  EXPECT_EQ(b.str(), linear);
  EXPECT_EQ(net[0].str(), linear);
  EXPECT_EQ(a(ones({5, 4})).shape(), Shape({5, 3}));
}

TEST(Lazy, RetainsParameterObjects) {
  nn::LazyLinear lazy(3, {.dtype = float64});
  const nn::Parameter weight = lazy.weight;
  EXPECT_TRUE(weight.requires_grad());
  lazy(ones({2, 4}, {.dtype = float64})).sum().backward();
  EXPECT_TRUE(lazy.weight.is_same(weight));
  EXPECT_EQ(weight.grad().shape(), Shape({3, 4}));
  EXPECT_EQ(weight.dtype(), float64);
}

TEST(Lazy, RejectsInvalidInputsAndStaysLazy) {
  nn::LazyConv2d conv(4, 3, {.groups = 2});
  EXPECT_EQ(error_message<RuntimeError>([&] {
              conv(ones({2, 3}));
            }),
            "Expected 3D (unbatched) or 4D (batched) input to LazyConv2d, but got input of size: "
            "torch.Size([2, 3])");
  EXPECT_EQ(error_message<ValueError>([&] {
              conv(ones({1, 3, 5, 5}));
            }),
            "in_channels must be divisible by groups");
  EXPECT_EQ(conv.str(), "LazyConv2d(0, 4, kernel_size=(3, 3), stride=(1, 1), groups=2)");
  EXPECT_EQ(conv(ones({1, 4, 5, 5})).shape(), Shape({1, 4, 3, 3}));
  nn::LazyBatchNorm2d norm;
  EXPECT_EQ(error_message<ValueError>([&] {
              norm(ones({2, 3}));
            }),
            "expected 4D input (got 2D input)");
  EXPECT_TRUE(norm.has_uninitialized_params());
  EXPECT_EQ(error_message<TypeError>([&] { norm.call({}); }),
            "LazyBatchNorm2d.initialize_parameters() takes 1 arguments: got 0");
}

TEST(Lazy, CopiesAreInitializedIndependently) {
  nn::LazyLinear lazy(3);
  auto copy = lazy.clone();
  copy(ones({1, 2}));
  EXPECT_EQ(copy.type_name(), "Linear");
  EXPECT_EQ(lazy.type_name(), "LazyLinear");
  EXPECT_EQ(copy.clone().type_name(), "Linear");
  lazy(ones({1, 7}));
  EXPECT_EQ(lazy.in_features, 7);
}

// R5.4-03
TEST(LazyState, TakesShapesOfCheckpoint) {
  nn::Linear known(4, 3);
  nn::LazyLinear lazy(3);
  EXPECT_EQ(lazy.load_state_dict(known.state_dict()).str(), "<All keys matched successfully>");
  EXPECT_EQ(lazy.weight.shape(), Shape({3, 4}));
  EXPECT_TRUE(equal(lazy.weight, known.weight));
  EXPECT_EQ(lazy.str(), "LazyLinear(in_features=0, out_features=3, bias=True)");
  EXPECT_EQ(error_message<AssertionError>([&] {
              lazy(ones({2, 5}));
            }),
            "The in_features inferred from input: 5 is not equal to in_features from self.weight: "
            "4");
  EXPECT_TRUE(equal(lazy(ones({2, 4})), known(ones({2, 4}))));
  EXPECT_EQ(lazy.str(), "Linear(in_features=4, out_features=3, bias=True)");

  nn::BatchNorm2d norm(3);
  norm(randn({2, 3, 4, 4}));
  nn::LazyBatchNorm2d lazy_norm;
  lazy_norm.load_state_dict(norm.state_dict());
  EXPECT_TRUE(equal(*lazy_norm.running_var, *norm.running_var));
  lazy_norm.eval()(ones({1, 3, 2, 2}));
  EXPECT_TRUE(equal(*lazy_norm.running_var, *norm.running_var));
  EXPECT_EQ(lazy_norm.num_batches_tracked->item<std::int64_t>(), 1);
  EXPECT_EQ(lazy_norm.num_features, 3);

  nn::Conv2d conv(6, 4, 3, {.groups = 2});
  nn::LazyConv2d lazy_conv(4, 3, {.groups = 2});
  lazy_conv.load_state_dict(conv.state_dict(), {.assign = true});
  const Tensor x = randn({1, 6, 5, 5});
  EXPECT_TRUE(equal(lazy_conv(x), conv(x)));
  EXPECT_EQ(lazy_conv.str(), conv.str());
}

// R5.4-03
TEST(LazyState, LoadedValuesSurviveInitializationOfRest) {
  nn::LazyLinear lazy(3);
  lazy.load_state_dict(Value::dict({{"weight", full({3, 4}, 2.0)}}), {.strict = false});
  EXPECT_TRUE(nn::is_lazy(*lazy.bias));
  lazy(ones({1, 4}));
  EXPECT_TRUE(equal(lazy.weight, full({3, 4}, 2.0)));
  EXPECT_EQ(lazy.bias->shape(), Shape({3}));
}

// R5.4-03
TEST(LazyState, RoundTripsUninitialized) {
  nn::LazyLinear a(3), b(3);
  const Value state = a.state_dict();
  EXPECT_EQ(state.repr(),
            "OrderedDict([('weight', <UninitializedParameter>), ('bias', "
            "<UninitializedParameter>)])");
  EXPECT_TRUE(state["weight"].as_tensor().is_same(a.weight));
  EXPECT_TRUE(b.load_state_dict(state).empty());
  EXPECT_TRUE(nn::is_lazy(b.weight));
  nn::Linear known(2, 3);
  EXPECT_EQ(error_text<RuntimeError>([&] { known.load_state_dict(state); }).substr(0, 66),
            "Can't access the shape of an uninitialized parameter or buffer. Th");
}

// R5.4-03: an error in another entry leaves a lazy module without shapes.
TEST(LazyState, FailedLoadLeavesModuleUninitialized) {
  nn::Sequential net{nn::LazyLinear(3), nn::Linear(3, 2)};
  const auto bad = [&] {
    return Value::dict({{"0.weight", ones({3, 4})},
                        {"0.bias", ones({3})},
                        {"1.weight", ones({2, 3})},
                        {"1.bias", ones({5})}});
  };
  EXPECT_THROW(net.load_state_dict(bad()), RuntimeError);
  EXPECT_TRUE(nn::is_lazy(net.get_parameter("0.weight")));
  // With a hook, each entry is loaded immediately.
  net.register_load_state_dict_pre_hook([](nn::Module&, nn::LoadState&) {});
  EXPECT_THROW(net.load_state_dict(bad()), RuntimeError);
  EXPECT_TRUE(nn::is_lazy(net.get_parameter("0.weight")));
  net(ones({1, 6}));
  EXPECT_EQ(net.get_parameter("0.weight").shape(), Shape({3, 6}));
}

struct LazyBias : nn::Module, nn::LazyModuleMixin<LazyBias> {
  nn::Parameter bias = nn::UninitializedParameter();
  bool forgets = false;
  LazyBias() { initialize_at_first_call(); }
  TAPER_MODULE(LazyBias, bias)
  void initialize_parameters(const Tensor& x) {
    if (!has_uninitialized_params() || forgets) return;
    bias.materialize({x.size(-1)});
    nn::init::zeros_(bias);
  }
  Tensor forward(const Tensor& x, double scale) { return x * scale + bias; }
};

TEST(Lazy, SupportsUserDefinedModules) {
  LazyBias m;
  EXPECT_TRUE(equal(m(ones({2, 3}), 2.0), full({2, 3}, 2.0)));
  EXPECT_EQ(m.bias.shape(), Shape({3}));
  EXPECT_EQ(m.str(), "LazyBias()");
  LazyBias bad;
  bad.forgets = true;
  EXPECT_EQ(error_message<RuntimeError>([&] { bad(ones({2}), 1.0); }),
            "module LazyBias has not been fully initialized");
}

}  // namespace
