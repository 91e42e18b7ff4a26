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

double encoder_step() {
  nn::TransformerEncoderLayer net = encoder_layer();
  optim::SGD sgd(net.parameters(), {.lr = 0.01});
  const Tensor x = randn({8, 128, 256}), g = randn({8, 128, 256});
  return seconds_per_call([&] {
           sgd.zero_grad();
           net(x).backward(g);
           sgd.step();
         }) *
         1e3;
}

double encoder_inference() {
  nn::TransformerEncoderLayer net = encoder_layer();
  net.eval();
  const Tensor x = randn({8, 128, 256});
  InferenceMode guard;
  return seconds_per_call([&] { static_cast<void>(net(x)); }) * 1e3;
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
           .measure = encoder_step,
           .budget_ratio = 0.5,
           .budget_share = 0.65,
           .multiply_adds = 3 * kEncoderMultiplyAdds,
           .baseline = "encoder_step"},
          {.name = "encoder layer 256/8/1024 on 8x128: inference",
           .threads = 2,
           .unit = "ms",
           .measure = encoder_inference,
           .budget_ratio = 0.55,
           .budget_share = 0.68,
           .multiply_adds = kEncoderMultiplyAdds,
           .baseline = "encoder_inference"}};
}

}  // namespace taper::bench
