// Training and inference steps of networks of common sizes: ResNet-18 and a small GPT-2.
#include "../benchmark.h"
#include "../training_steps.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  return {in, out, kernel, {.stride = stride, .padding = kernel / 2, .bias = false}};
}

struct Downsample : nn::Module {
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  TAPER_MODULE(Downsample, conv1, bn1)
  Downsample(std::int64_t in, std::int64_t out) : conv1(conv(in, out, 1, 2)), bn1(out) {}
  Tensor forward(const Tensor& x) { return bn1(conv1(x)); }
};

struct BasicBlock : nn::Module {
  nn::Conv2d conv1, conv2;
  nn::BatchNorm2d bn1, bn2;
  std::optional<Downsample> downsample;
  TAPER_MODULE(BasicBlock, conv1, bn1, conv2, bn2, downsample)
  BasicBlock(std::int64_t in, std::int64_t out)
      : conv1(conv(in, out, 3, in == out ? 1 : 2)),
        conv2(conv(out, out, 3, 1)),
        bn1(out),
        bn2(out) {
    if (in != out) downsample.emplace(in, out);
  }
  Tensor forward(const Tensor& x) {
    const Tensor y = bn2(conv2(relu(bn1(conv1(x)))));
    return relu(y + (downsample ? (*downsample)(x) : x));
  }
};

struct ResNet18 : nn::Module {
  nn::Conv2d conv1 = conv(3, 64, 7, 2);
  nn::BatchNorm2d bn1{64};
  nn::Sequential layers{BasicBlock(64, 64),   BasicBlock(64, 64),   BasicBlock(64, 128),
                        BasicBlock(128, 128), BasicBlock(128, 256), BasicBlock(256, 256),
                        BasicBlock(256, 512), BasicBlock(512, 512)};
  nn::Linear fc{512, 1000};
  TAPER_MODULE(ResNet18, conv1, bn1, layers, fc)
  Tensor forward(const Tensor& image) {
    const Tensor x = max_pool2d(relu(bn1(conv1(image))), 3, {.stride = 2, .padding = 1});
    return fc(F::adaptive_avg_pool2d(layers(x), 1).flatten(1));
  }
};

constexpr std::int64_t kWidth = 384, kHeads = 6, kVocabulary = 50257, kLength = 256;

struct Block : nn::Module {
  nn::LayerNorm ln_1{kWidth}, ln_2{kWidth};
  nn::Linear attention{kWidth, 3 * kWidth}, projection{kWidth, kWidth};
  nn::Linear up{kWidth, 4 * kWidth}, down{4 * kWidth, kWidth};
  TAPER_MODULE(Block, ln_1, attention, projection, ln_2, up, down)
  Tensor forward(Tensor x) {
    const std::int64_t n = x.size(0), length = x.size(1);
    std::vector<Tensor> qkv = attention(ln_1(x)).chunk(3, 2);
    for (Tensor& t : qkv) t = t.view({n, length, kHeads, kWidth / kHeads}).transpose(1, 2);
    const Tensor y = F::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], {.is_causal = true});
    x = x + projection(y.transpose(1, 2).reshape({n, length, kWidth}));
    return x + down(F::gelu(up(ln_2(x)), {.approximate = "tanh"}));
  }
};

struct GPT2 : nn::Module {
  nn::Embedding wte{kVocabulary, kWidth}, wpe{kLength, kWidth};
  nn::Sequential h{Block(), Block(), Block(), Block(), Block(), Block()};
  nn::LayerNorm ln_f{kWidth};
  TAPER_MODULE(GPT2, wte, wpe, h, ln_f)
  Tensor forward(const Tensor& tokens) {
    const Tensor x = wte(tokens) + wpe(arange(tokens.size(1)));
    return F::linear(ln_f(h(x)), wte.weight);
  }
};

template <class Step> double milliseconds(Step&& step) { return seconds_per_call(step, 1) * 1e3; }

double resnet18_inference(std::int64_t batch) {
  ResNet18 net;
  net.eval();
  const Tensor x = randn({batch, 3, 224, 224});
  InferenceMode guard;
  return milliseconds([&] { static_cast<void>(net(x)); });
}

double gpt2_step() {
  GPT2 net;
  optim::AdamW adamw(net.parameters(), {.lr = 1e-4});
  const Tensor x = randint(0, kVocabulary, {4, kLength}),
               y = randint(0, kVocabulary, {4 * kLength});
  return milliseconds([&] {
    adamw.zero_grad();
    F::cross_entropy(net(x).view({-1, kVocabulary}), y).backward();
    adamw.step();
  });
}

}  // namespace

double resnet18_step() {
  ResNet18 net;
  optim::SGD sgd(net.parameters(), {.lr = 0.01});
  const Tensor x = randn({8, 3, 224, 224}), y = randint(0, 1000, {8});
  return milliseconds([&] {
    sgd.zero_grad();
    F::cross_entropy(net(x), y).backward();
    sgd.step();
  });
}

std::vector<Benchmark> large_network_suite() {
  const auto row = [](const char* name, std::function<double()> measure, double ratio,
                      const char* baseline) {
    return Benchmark{.name = name,
                     .threads = 2,
                     .unit = "ms",
                     .measure = std::move(measure),
                     .budget_ratio = ratio,
                     .baseline = baseline,
                     .rounds = 3};
  };
  // Of a forward pass of 1024 tokens: six blocks, the output layer, and half of the scores.
  constexpr double kMultiplyAdds =
      1024.0 * kWidth * (6 * (3 + 1 + 8) * kWidth + kVocabulary) + 6.0 * 4 * 256 * 256 * kWidth;
  Benchmark gpt2 = row("GPT-2 6 layers, 384, 4x256: training step", gpt2_step, 0.6, "gpt2_step");
  gpt2.budget_share = 0.65;
  gpt2.multiply_adds = 3 * kMultiplyAdds;
  return {row("ResNet-18 224 b8: training step", resnet18_step, 0.6, "resnet18_step"),
          row(
              "ResNet-18 224 b8: inference", [] { return resnet18_inference(8); }, 0.7,
              "resnet18_inference_8"),
          row(
              "ResNet-18 224 b1: inference", [] { return resnet18_inference(1); }, 0.6,
              "resnet18_inference_1"),
          gpt2};
}

}  // namespace taper::bench
