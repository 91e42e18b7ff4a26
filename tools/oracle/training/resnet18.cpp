// Family init, kind resnet18: torchvision's network from a seed, with one pass in each mode.
#include <cmath>

#include "cases/compare.h"
#include "cases/sha256.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/functional.h"
#include "taper/nn/init.h"
#include "taper/nn/nn.h"
#include "training/fields.h"
#include "training/init_modules.h"
#include "training/model.h"
#include "training/state.h"

namespace taper::oracle {
namespace {

Built conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  return std::make_shared<nn::Conv2d>(
      in, out, kernel, nn::ConvOptions{.stride = stride, .padding = kernel / 2, .bias = false});
}

struct BasicBlock : nn::Module {
  TAPER_MODULE(BasicBlock)
  Tensor forward(const Tensor& x) {
    const auto run = [this](const char* name, const Tensor& t) { return get_submodule(name)(t); };
    const Tensor y = relu(run("bn1", run("conv1", x)));
    return relu(run("bn2", run("conv2", y)) + (has_downsample ? run("downsample", x) : x));
  }
  bool has_downsample = false;
};

// Creates a residual block. `downsample` is created first, because the layers must draw their
// initial values in the order of torchvision.
Built block(std::int64_t in, std::int64_t out, std::int64_t stride) {
  auto made = std::make_shared<BasicBlock>();
  Built downsample;
  if (stride != 1) {
    downsample = std::make_shared<nn::Sequential>();
    downsample->add_module("0", conv(in, out, 1, stride));
    downsample->add_module("1", std::make_shared<nn::BatchNorm2d>(out));
  }
  made->add_module("conv1", conv(in, out, 3, stride));
  made->add_module("bn1", std::make_shared<nn::BatchNorm2d>(out));
  made->add_module("conv2", conv(out, out, 3, 1));
  made->add_module("bn2", std::make_shared<nn::BatchNorm2d>(out));
  made->has_downsample = static_cast<bool>(downsample);
  if (downsample) made->add_module("downsample", std::move(downsample));
  return made;
}

struct ResNet : nn::Module {
  TAPER_MODULE(ResNet)
  ResNet() {
    constexpr std::int64_t kChannels[] = {64, 64, 128, 256, 512};
    add_module("conv1", conv(3, kChannels[0], 7, 2));
    add_module("bn1", std::make_shared<nn::BatchNorm2d>(kChannels[0]));
    for (int i = 1; i <= 4; ++i) {
      auto layer = std::make_shared<nn::Sequential>();
      layer->add_module("0", block(kChannels[i - 1], kChannels[i], i == 1 ? 1 : 2));
      layer->add_module("1", block(kChannels[i], kChannels[i], 1));
      add_module("layer" + std::to_string(i), std::move(layer));
    }
    add_module("fc", std::make_shared<nn::Linear>(kChannels[4], 1000));
    for (nn::Module* m : modules()) {
      if (auto* c = m->as<nn::Conv2d>()) nn::init::kaiming_normal_(c->weight, 0, "fan_out", "relu");
      if (auto* n = m->as<nn::BatchNorm2d>())
        nn::init::ones_(*n->weight), nn::init::zeros_(*n->bias);
    }
  }
  Tensor forward(const Tensor& input) {
    const auto run = [this](const char* name, const Tensor& t) { return get_submodule(name)(t); };
    Tensor x = relu(run("bn1", run("conv1", input)));
    x = max_pool2d(x, 3, {.stride = 2, .padding = 1});
    for (const char* layer : {"layer1", "layer2", "layer3", "layer4"}) x = run(layer, x);
    return run("fc", adaptive_avg_pool2d(x, 1).flatten(1));
  }
};

// Compares the norm and the sum of the gradient of each parameter, computed in double.
void expect_gradients(Case& c, nn::Module& net, Fields& tolerance) {
  const double relative = tolerance.number("grad_norm_rel");
  const double of_sum = tolerance.number("grad_sum_of_norm_root_numel");
  Fields expected(c.at("grad_norm_and_sum"));
  for (const auto& [name, parameter] : net.named_parameters()) {
    const Json& pair = expected.at(name.c_str());
    const double norm = Fields::number_of(pair.at(0)), sum = Fields::number_of(pair.at(1));
    const Tensor g = parameter.grad().to(float64);
    const double root = std::sqrt(static_cast<double>(g.numel()));
    c.expect_number("norm of the gradient of " + name, std::sqrt((g * g).sum().item<double>()),
                    norm, {relative, 0});
    c.expect_number("sum of the gradient of " + name, g.sum().item<double>(), sum,
                    {0, of_sum * norm * root});
  }
  expected.done();
}

}  // namespace

void run_resnet18(Case& c) {
  c.ignore({"f32_vs_f64"});  // deviation between PyTorch's own results
  manual_seed(seed_of(c.at("seed")));
  ResNet net;
  expect_state(c, state_entries(net));
  expect_next(c);

  Fields input(c.at("input"));
  manual_seed(seed_of(input.at("manual_seed")));
  const Tensor x = randn(input.shape("randn"));
  const std::string bytes = bytes_of(x);
  c.expect_text("hash of the input", sha256(bytes.data(), bytes.size()), input.text("sha256"));
  input.done();

  Fields tolerance(c.at("tolerance"));
  const auto expect = [&](const std::string& role, const Tensor& actual, const char* by) {
    c.expect_close(role, actual, c.tensor(role), {0, tolerance.number(by)});
  };
  c.tensor("logits_eval_f64");  // an informative tensor, which is not compared
  net.eval();
  {
    const NoGrad guard;
    expect("logits_eval", net(x), "logits_eval_abs");
  }
  net.train();
  const Tensor logits = net(x);
  expect("logits_train", logits, "logits_train_abs");
  const auto classes = c.at("target").get<std::vector<std::int64_t>>();
  const Tensor loss = nn::functional::cross_entropy(logits, tensor(classes));
  c.expect_number("loss_train", loss.item<double>(), Fields::number_of(c.at("loss_train")),
                  {0, tolerance.number("loss_abs")});
  loss.backward();
  const auto state = net.state_dict();
  for (const std::string key : {"bn1.running_mean", "layer4.1.bn2.running_var"})
    expect(key + "_after", state[key].as_tensor(), "running_abs");
  for (const auto& [name, parameter] : net.named_parameters())
    if (name == "conv1.weight" || name == "fc.bias")
      expect(name + ".grad", parameter.grad(), (name + ".grad_abs").c_str());
  expect_gradients(c, net, tolerance);
  tolerance.done();
}

}  // namespace taper::oracle
