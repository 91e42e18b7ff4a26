// The code of docs/modules.md.
#include <iostream>

#include "nets.h"
#include "support/contains.h"
#include "taper/nn/nn.h"

namespace {

using namespace taper;
using taper::test::contains;

struct Block : nn::Module {
  nn::Linear fc1{8, 16}, fc2{16, 4};
  nn::Buffer mean{zeros({8})};
  nn::ModuleList extra{nn::Linear(4, 4), nn::Linear(4, 4)};
  TAPER_MODULE(Block, fc1, fc2, mean, extra)

  Tensor forward(Tensor x) {
    x = fc2(fc1(x - mean));
    for (nn::Module& layer : extra) x = layer(x);
    return x;
  }
};

struct Mlp : nn::Module {
  explicit Mlp(std::int64_t width, double dropout = 0.5)
      : width(width), dropout(dropout), body{nn::Linear(784, width), nn::Dropout(dropout)} {}
  std::int64_t width;
  double dropout;
  nn::Sequential body;
  TAPER_MODULE(Mlp, body)
  Tensor forward(const Tensor& x) { return body(x); }
};
TAPER_REGISTER(Mlp, width, dropout)

TEST(ModuleDoc, RegistersMembers) {
  Block net;
  EXPECT_EQ(net(ones({2, 8})).shape(), Shape({2, 4}));
  EXPECT_EQ(nets::names(net.named_parameters({.recurse = false})), "");
  EXPECT_EQ(net.state_dict().size(), 9u);
  net.fc1.weight.set_grad(ones({16, 8}));
  net.zero_grad();
  EXPECT_FALSE(net.fc1.weight.grad().defined());
}

TEST(ModuleDoc, RegistersDynamicEntries) {
  nn::Sequential net;
  net.register_parameter("scale", nn::Parameter(ones({4})));
  net.register_buffer("steps", zeros({1}), false);
  net.set_attr("note", "as built");
  net.set_attr("head", std::make_shared<nn::Linear>(4, 2));
  auto& scale = net.attr<nn::Parameter>("scale");
  auto& head = net.attr<nn::Linear>("head");
  const std::string note = net.attr<std::string>("note");
  net.del_attr("note");
  EXPECT_EQ(scale.shape(), Shape({4}));
  EXPECT_EQ(head.out_features, 2);
  EXPECT_EQ(note, "as built");
  EXPECT_FALSE(net.has_attr("note"));
  EXPECT_EQ(net.non_persistent_buffers().str(), "{'steps'}");
}

TEST(ModuleDoc, UsesContainers) {
  nn::Sequential body{nn::Linear(8, 8), nn::ReLU(), nn::Linear(8, 4)};
  nn::Sequential tail = body[Slice{1, {}}];  // children "1" and "2", shared
  nn::Sequential twice = tail * 2;
  body.insert(1, nn::ReLU()).append(nn::ReLU());
  nn::ModuleDict heads({{"digits", nn::Linear(4, 10)}, {"letters", nn::Linear(4, 26)}});
  nn::ParameterList bases{randn({3}), randn({4})};
  nn::Chain fixed{nn::Linear(8, 8), nn::ReLU()};  // types known to the compiler
  EXPECT_EQ(body.size(), 5u);
  EXPECT_EQ(twice.size(), 4u);
  EXPECT_EQ(heads["letters"](ones({1, 4})).shape(), Shape({1, 26}));
  EXPECT_EQ(bases[1].shape(), Shape({4}));
  EXPECT_EQ(fixed(ones({1, 8})).shape(), Shape({1, 8}));
}

TEST(ModuleDoc, RunsCallsAndHooks) {
  Block net;
  Shape seen;
  auto print = [&](const Shape& shape) { seen = shape; };
  // with the types of forward: no conversions, a wrong signature does not compile
  auto twice = [](nn::Linear&, const Tensor&, Tensor& result) { result = result * 2; };
  nn::RemovableHandle handle = net.fc1.register_forward_hook(twice);
  net.fc2.register_forward_pre_hook([](nn::Linear&, Tensor& x) { x = x + 1; });
  // in the general form, for modules of any class
  auto look = [&](nn::Module&, const nn::Values&, const nn::Values& grad_output) {
    print(grad_output[0].as_tensor().shape());
  };
  net.fc2.register_full_backward_hook(look);
  net(ones({2, 8})).sum().backward();
  handle.remove();
  EXPECT_EQ(seen, Shape({2, 4}));
  EXPECT_EQ(net.fc1.hooks(nn::HookKind::forward).hooks.size(), 0u);
}

TEST(ModuleDoc, LoadsStateDicts) {
  Block net;
  std::string printed;
  auto print = [&](const nn::IncompatibleKeys& keys) { printed = keys.str(); };
  const Value saved = net.state_dict();
  EXPECT_EQ(saved.as_dict().attribute("_metadata")->as_dict().find("fc1")->str(), "{'version': 1}");
  saved.as_dict().erase("mean");
  nn::IncompatibleKeys keys = net.load_state_dict(saved, {.strict = false});
  print(keys);
  const Value wrapped = net.state_dict({.prefix = "module."});
  nn::LoadReport report;
  net.load_state_dict(wrapped, {.strip_prefixes = {"module."}, .report = &report});
  EXPECT_EQ(printed, "_IncompatibleKeys(missing_keys=['mean'], unexpected_keys=[])");
  EXPECT_EQ(report.renamed.size(), 9u);
}

TEST(ModuleDoc, ConvertsModules) {
  const Device device = Device::cpu();
  auto net = Block().to(device, float64).eval();
  net.to_float();  // float is a keyword in C++
  net.to("meta").to_empty("cpu");
  EXPECT_EQ(net.fc1.weight.dtype(), float32);
}

TEST(ModuleDoc, CreatesModulesByName) {
  auto conv = nn::make("Conv2d", {3, 64, 7}, Value::dict({{"stride", 2}, {"padding", 3}}));
  nn::Description described = nn::describe(*conv);  // class and arguments
  auto another = nn::make(described);               // the same options, new weights
  auto linear = nn::make("torch.nn.modules.linear.Linear", {784, 10});
  EXPECT_EQ(another->str(), conv->str());
  EXPECT_EQ(linear->type_name(), "Linear");
  EXPECT_EQ(nn::describe(*nn::make("Mlp", {16})).str(), "Mlp(width=16, dropout=0.5)");
}

TEST(ModuleDoc, InitializesLazyModules) {
  testing::internal::CaptureStdout();
  nn::Sequential net{nn::LazyConv2d(8, 3), nn::LazyBatchNorm2d(), nn::Flatten(),
                     nn::LazyLinear(10)};
  net(ones({2, 3, 6, 6}));      // or net.load_state_dict(state)
  std::cout << net[0] << '\n';  // Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1))
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1))\n");
}

TEST(ModuleDoc, PrintsSummaryAndDiff) {
  testing::internal::CaptureStdout();
  nn::Sequential net{nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 2)};
  std::cout << nn::summary(net, {4}) << '\n';  // torchsummary's table
  auto trained = net.clone();
  trained[0].get_parameter("bias").detach().add_(1);
  std::cout << nn::diff(net, trained) << '\n';  // 1 of 4 common entries differ, ...
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(contains(out, "Total params: 58\n"));
  EXPECT_TRUE(contains(out, "1 of 4 common entries differ, 0 only in the first"));
}

}  // namespace
