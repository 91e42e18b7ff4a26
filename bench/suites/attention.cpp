// Attention and transformer layers.
#include "../benchmark.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

/// Milliseconds of attention of 8 heads with 64 elements each, forward and backward.
double attention_step(std::int64_t batch, std::int64_t length, bool is_causal) {
  const Shape shape{batch, 8, length, 64};
  const Tensor q = randn(shape).set_requires_grad(), k = randn(shape).set_requires_grad(),
               v = randn(shape).set_requires_grad(), g = randn(shape);
  return seconds_per_call([&] {
           for (const Tensor& t : {q, k, v}) t.set_grad({});
           F::scaled_dot_product_attention(q, k, v, {.is_causal = is_causal}).backward(g);
         }) *
         1e3;
}

double causal_attention() { return attention_step(1, 4096, true); }
double short_attention() { return attention_step(4, 64, false); }

/// Microseconds of attention of one query with 512 keys, as in the generation of a sequence.
double decoding_attention() {
  const Tensor q = randn({1, 8, 1, 64}), k = randn({1, 8, 512, 64}), v = randn({1, 8, 512, 64});
  InferenceMode guard;
  return seconds_per_call([&] { static_cast<void>(F::scaled_dot_product_attention(q, k, v)); }) *
         1e6;
}

// Of a forward pass: the four products of 1024 tokens, and those of attention.
constexpr double kEncoderMultiplyAdds =
    1024.0 * 256 * (768 + 256 + 2 * 1024) + 2.0 * 8 * 8 * 128 * 128 * 32;

nn::TransformerEncoderLayer encoder_layer() {
  return {
      256, 8, {.dim_feedforward = 1024, .dropout = 0, .activation = "gelu", .batch_first = true}};
}

/// Computes the layer's result in bfloat16 if `narrow` is true.
Tensor encode(nn::TransformerEncoderLayer& net, const Tensor& x, bool narrow) {
  const amp::Autocast guard({.enabled = narrow});
  return net(x).to(float32);
}

double encoder_step(bool narrow) {
  nn::TransformerEncoderLayer net = encoder_layer();
  optim::SGD sgd(net.parameters(), {.lr = 0.01});
  const Tensor x = randn({8, 128, 256}), g = randn({8, 128, 256});
  return seconds_per_call([&] {
           sgd.zero_grad();
           encode(net, x, narrow).backward(g);
           sgd.step();
         }) *
         1e3;
}

double encoder_inference(bool narrow) {
  nn::TransformerEncoderLayer net = encoder_layer();
  net.eval();
  const Tensor x = randn({8, 128, 256});
  InferenceMode guard;
  return seconds_per_call([&] { static_cast<void>(encode(net, x, narrow)); }) * 1e3;
}

/// Time in bfloat16, relative to that in float32: with instructions for products of bfloat16 and
/// without.
double narrow_encoder_budget() {
  constexpr double kWith = 1 / 1.4, kWithout = 1.3;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bf16")) return kWith;
#endif
  return kWithout;
}

}  // namespace

std::vector<Benchmark> attention_suite() {
  return {{.name = "causal attention [1, 8, 4096, 64], forward and backward",
           .threads = 2,
           .unit = "ms",
           .measure = causal_attention,
           .budget_ratio = 0.8,
           .baseline = "causal_attention"},
          {.name = "attention [4, 8, 64, 64], forward and backward",
           .threads = 2,
           .unit = "ms",
           .measure = short_attention,
           .budget_ratio = 0.8,
           .baseline = "short_attention"},
          {.name = "attention of one query and 512 keys, 8 heads",
           .threads = 2,
           .unit = "us",
           .measure = decoding_attention,
           .budget_ratio = 0.8,
           .baseline = "decoding_attention"},
          {.name = "encoder layer 256/8/1024 on 8x128: training step",
           .threads = 2,
           .unit = "ms",
           .measure = [] { return encoder_step(false); },
           .budget_ratio = 0.5,
           .budget_share = 0.65,
           .multiply_adds = 3 * kEncoderMultiplyAdds,
           .baseline = "encoder_step"},
          {.name = "encoder layer 256/8/1024 on 8x128: inference",
           .threads = 2,
           .unit = "ms",
           .measure = [] { return encoder_inference(false); },
           .budget_ratio = 0.55,
           .budget_share = 0.68,
           .multiply_adds = kEncoderMultiplyAdds,
           .baseline = "encoder_inference"},
          {.name = "the encoder layer in bfloat16, over float32: training step",
           .threads = 2,
           .unit = "x",
           .measure = [] { return encoder_step(true) / encoder_step(false); },
           .budget = narrow_encoder_budget(),
           .baseline = "narrow_encoder_step"},
          {.name = "the encoder layer in bfloat16, over float32: inference",
           .threads = 2,
           .unit = "x",
           .measure = [] { return encoder_inference(true) / encoder_inference(false); },
           .budget = narrow_encoder_budget(),
           .baseline = "narrow_encoder_inference"}};
}

}  // namespace taper::bench
