// Networks whose layers are divided among the ranks of the default group, compared with the same
// networks in one process.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/dist/dist.h"
#include "taper/taper.h"

namespace taper::distributed::small_gpt {

inline constexpr std::int64_t kVocabulary = 13, kWidth = 8, kHeads = 4, kLength = 6;

/// Attention that computes the number of heads from the width of its projections. A bias of the
/// keys would not have a gradient except for rounding.
struct HeadAttention : nn::Module {
  nn::Linear q{kWidth, kWidth}, k{kWidth, kWidth, {.bias = false}}, v{kWidth, kWidth};
  nn::Linear o{kWidth, kWidth};
  TAPER_MODULE(HeadAttention, q, k, v, o)

  Tensor split(const Tensor& x) const {
    constexpr std::int64_t kSize = kWidth / kHeads;
    return x.view({x.size(0), x.size(1), x.size(2) / kSize, kSize}).transpose(1, 2);
  }
  Tensor forward(const Tensor& x) {
    const Tensor y =
        F::scaled_dot_product_attention(split(q(x)), split(k(x)), split(v(x)), {.is_causal = true});
    return o(y.transpose(1, 2).flatten(2));
  }
};

struct GptBlock : nn::Module {
  nn::LayerNorm ln_1{kWidth}, ln_2{kWidth};
  HeadAttention attn;
  nn::Linear fc{kWidth, 10}, proj{10, kWidth};  // 10 is not divisible by 4 ranks
  TAPER_MODULE(GptBlock, ln_1, attn, ln_2, fc, proj)

  Tensor forward(const Tensor& x) {
    const Tensor h = x + attn(ln_1(x));
    return h + proj(nn::functional::gelu(fc(ln_2(h))));
  }
};

/// Language model whose head shares its weight with the embedding.
struct SmallGpt : nn::Module {
  nn::Embedding wte{kVocabulary, kWidth}, wpe{kLength, kWidth};
  GptBlock first, second;
  nn::LayerNorm ln_f{kWidth};
  nn::Linear head{kWidth, kVocabulary, {.bias = false}};
  TAPER_MODULE(SmallGpt, wte, wpe, first, second, ln_f, head)
  SmallGpt() { head.weight = wte.weight; }

  Tensor forward(const Tensor& tokens) {
    const Tensor x = wte(tokens) + wpe(arange(tokens.size(1)));
    return head(ln_f(second(first(x))));
  }
};

inline ParallelPlan gpt_plan() {
  return {{"wte", RowwiseParallel({.input_layouts = Replicate()})},
          {"*.attn.[qkv]", ColwiseParallel()},
          {"*.attn.o", RowwiseParallel()},
          {"*.fc", ColwiseParallel()},
          {"*.proj", RowwiseParallel()},
          {"head", ColwiseParallel()}};
}

/// As gpt_plan, with the sequence divided between the blocks.
inline ParallelPlan sequence_plan() {
  const Placement rows = Shard(1);
  return {
      {"wte", RowwiseParallel({.input_layouts = Replicate()})},
      {"first", PrepareModuleInput({.input_layouts = Replicate(), .desired_input_layouts = rows})},
      {"*.ln_?", SequenceParallel()},
      {"*.attn", PrepareModuleInput({.input_layouts = rows, .desired_input_layouts = Replicate()})},
      {"*.attn.[qkv]", ColwiseParallel()},
      {"*.attn.o", RowwiseParallel({.output_layouts = rows})},
      {"*.fc", ColwiseParallel({.input_layouts = rows})},
      {"*.proj", RowwiseParallel({.output_layouts = rows})},
      {"ln_f", SequenceParallel()},
      {"head", ColwiseParallel({.input_layouts = rows})}};
}

inline std::shared_ptr<SmallGpt> new_gpt() {
  manual_seed(11);
  auto net = std::make_shared<SmallGpt>();
  net->to_double();
  return net;
}

inline Tensor tokens_of(int step) {
  return (arange(2 * (kLength + 1)) * (3 + step) % kVocabulary).view({2, kLength + 1});
}

inline Tensor gpt_loss(SmallGpt& net, int step) {
  const Tensor tokens = tokens_of(step);
  const Tensor scores = net(tokens.narrow(1, 0, kLength));
  return F::cross_entropy(scores.flatten(0, 1), tokens.narrow(1, 1, kLength).flatten());
}

/// Trains for three steps and returns the losses, with the last norm of the gradients.
inline std::vector<double> train_gpt(SmallGpt& net, optim::Optimizer& opt) {
  std::vector<double> numbers;
  for (int step = 0; step < 3; ++step) {
    opt.zero_grad();
    const Tensor loss = gpt_loss(net, step);
    loss.backward();
    numbers.push_back(loss.item<double>());
    numbers.push_back(Tensor(distributed::clip_grad_norm_(net, 0.7)).item<double>());
    opt.step();
  }
  return numbers;
}

inline void expect_near(const Value& state, const Value& expected) {
  EXPECT_EQ(state.size(), expected.size());
  for (const auto& [key, value] : expected.as_dict()) {
    const Value own = state[key];
    EXPECT_TRUE(allclose(own.as_tensor(), value.as_tensor(), 1e-10, 1e-12)) << key.as_string();
  }
}

/// Trains the language model divided by a plan, and expects the numbers and the parameters of one
/// process.
inline void expect_gpt_training(const ParallelPlan& plan) {
  const auto whole = new_gpt(), net = new_gpt();
  optim::AdamW whole_opt(whole->parameters(), {.lr = 0.02});
  const std::vector<double> expected = train_gpt(*whole, whole_opt);
  const std::string printed = net->str();
  parallelize_module(*net, init_device_mesh({get_world_size()}), plan);
  EXPECT_EQ(net->str(), printed);
  EXPECT_TRUE(net->head.weight.is_same(net->wte.weight));
  optim::AdamW opt(net->parameters(), {.lr = 0.02});
  const auto scope = loss_parallel();
  const std::vector<double> numbers = train_gpt(*net, opt);
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], expected[i], 1e-10);
  const Value full = get_model_state_dict(*net, {.full_state_dict = true});
  expect_near(full, whole->state_dict());
  SmallGpt other;
  other.to_double();
  EXPECT_TRUE(other.load_state_dict(full).empty());
}

inline nn::TransformerEncoderLayer new_encoder_layer() {
  manual_seed(3);
  return nn::TransformerEncoderLayer(
      8, 2, {.dim_feedforward = 11, .dropout = 0.0, .batch_first = true, .dtype = DType::f64});
}

/// As expect_gpt_training, for an encoder layer whose feed-forward network is divided. Ranks draw
/// the batches from their own generators.
inline void expect_encoder_training() {
  const auto train = [](nn::TransformerEncoderLayer& net) {
    optim::SGD opt(net.parameters(), {.lr = 0.1, .momentum = 0.9});
    for (int step = 0; step < 3; ++step) {
      opt.zero_grad();
      manual_seed(static_cast<std::uint64_t>(step));
      net(randn({2, 5, 8}, {.dtype = DType::f64})).square().mean().backward();
      opt.step();
    }
  };
  nn::TransformerEncoderLayer whole = new_encoder_layer(), net = new_encoder_layer();
  train(whole);
  parallelize_module(net, init_device_mesh({get_world_size()}),
                     {{"linear1", ColwiseParallel()}, {"linear2", RowwiseParallel()}});
  train(net);
  expect_near(get_model_state_dict(net, {.full_state_dict = true}), whole.state_dict());
}

}  // namespace taper::distributed::small_gpt
