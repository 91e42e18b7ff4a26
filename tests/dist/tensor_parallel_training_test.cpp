// Training of networks whose layers are divided among ranks, compared with one process.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "dist/support.h"
#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::on_ranks;

constexpr std::int64_t kVocabulary = 13, kWidth = 8, kHeads = 4, kLength = 6;

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
    return h + proj(gelu(fc(ln_2(h))));
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

ParallelPlan gpt_plan() {
  return {{"wte", RowwiseParallel({.input_layouts = Replicate()})},
          {"*.attn.[qkv]", ColwiseParallel()},
          {"*.attn.o", RowwiseParallel()},
          {"*.fc", ColwiseParallel()},
          {"*.proj", RowwiseParallel()},
          {"head", ColwiseParallel()}};
}

/// As gpt_plan, with the sequence divided between the blocks.
ParallelPlan sequence_plan() {
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

std::shared_ptr<SmallGpt> new_gpt() {
  manual_seed(11);
  auto net = std::make_shared<SmallGpt>();
  net->to_double();
  return net;
}

Tensor tokens_of(int step) {
  return (arange(2 * (kLength + 1)) * (3 + step) % kVocabulary).view({2, kLength + 1});
}

Tensor gpt_loss(SmallGpt& net, int step) {
  const Tensor tokens = tokens_of(step);
  const Tensor scores = net(tokens.narrow(1, 0, kLength));
  return F::cross_entropy(scores.flatten(0, 1), tokens.narrow(1, 1, kLength).flatten());
}

/// Trains for three steps and returns the losses, with the last norm of the gradients.
std::vector<double> train_gpt(SmallGpt& net, optim::Optimizer& opt) {
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

void expect_near(const Value& state, const Value& expected) {
  EXPECT_EQ(state.size(), expected.size());
  for (const auto& [key, value] : expected.as_dict()) {
    const Value own = state[key];
    EXPECT_TRUE(allclose(own.as_tensor(), value.as_tensor(), 1e-10, 1e-12)) << key.as_string();
  }
}

void expect_gpt_training(int ranks, const ParallelPlan& plan) {
  const auto whole = new_gpt();
  optim::AdamW whole_opt(whole->parameters(), {.lr = 0.02});
  const std::vector<double> expected = train_gpt(*whole, whole_opt);
  on_ranks(ranks, [&](int) {
    const auto net = new_gpt();
    const std::string printed = net->str();
    parallelize_module(*net, init_device_mesh({ranks}), plan);
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
  });
}

TEST(TensorParallelTraining, OfALanguageModelMatchesOneProcess) {
  expect_gpt_training(2, gpt_plan());
  expect_gpt_training(4, gpt_plan());
}

TEST(TensorParallelTraining, OverPartsOfTheSequenceMatchesOneProcess) {
  expect_gpt_training(2, sequence_plan());
  expect_gpt_training(4, sequence_plan());
}

TEST(TensorParallelTraining, OfAnEncoderLayerMatchesOneProcess) {
  const auto train = [](nn::TransformerEncoderLayer& net, optim::Optimizer& opt) {
    for (int step = 0; step < 3; ++step) {
      opt.zero_grad();
      manual_seed(static_cast<std::uint64_t>(step));
      net(randn({2, 5, 8}, {.dtype = DType::f64})).square().mean().backward();
      opt.step();
    }
  };
  const auto new_layer = [] {
    manual_seed(3);
    return nn::TransformerEncoderLayer(
        8, 2, {.dim_feedforward = 11, .dropout = 0.0, .batch_first = true, .dtype = DType::f64});
  };
  nn::TransformerEncoderLayer whole = new_layer();
  optim::SGD whole_opt(whole.parameters(), {.lr = 0.1, .momentum = 0.9});
  train(whole, whole_opt);
  for (const int ranks : {2, 4})
    on_ranks(ranks, [&](int) {
      nn::TransformerEncoderLayer net = new_layer();
      parallelize_module(net, init_device_mesh({ranks}),
                         {{"linear1", ColwiseParallel()}, {"linear2", RowwiseParallel()}});
      optim::SGD opt(net.parameters(), {.lr = 0.1, .momentum = 0.9});
      // Ranks draw their inputs from their own generators.
      train(net, opt);
      expect_near(get_model_state_dict(net, {.full_state_dict = true}), whole.state_dict());
    });
}

TEST(TensorParallelTraining, StoresPartsOfParametersAndOptimizerState) {
  on_ranks(4, [](int rank) {
    const auto net = new_gpt();
    parallelize_module(*net, init_device_mesh({4}), gpt_plan());
    optim::AdamW opt(net->parameters(), {.lr = 0.02});
    const auto scope = loss_parallel();
    gpt_loss(*net, 0).backward();
    opt.step();
    const std::int64_t rows = rank < 3 ? 4 : 1, columns = rank < 3 ? 3 : 1;
    EXPECT_EQ(net->wte.weight.shape(), (Shape{rows, kWidth}));
    EXPECT_EQ(net->first.attn.q.weight.shape(), (Shape{2, kWidth}));
    EXPECT_EQ(net->first.attn.q.bias->shape(), (Shape{2}));
    EXPECT_EQ(net->first.attn.o.bias->shape(), (Shape{kWidth}));
    EXPECT_EQ(net->first.proj.weight.shape(), (Shape{kWidth, columns}));
    EXPECT_EQ(net->first.proj.weight.storage_offset(), 0);
    EXPECT_EQ(net->wte.weight.grad().shape(), net->wte.weight.shape());
    EXPECT_EQ(Value(opt.state(net->wte.weight)["exp_avg"]).as_tensor().shape(),
              (Shape{rows, kWidth}));
    EXPECT_EQ(placement_of(net->first.proj.weight).str(), "Shard(dim=1)");
    EXPECT_TRUE(placement_of(net->first.proj.bias.value()).is_replicate());
    EXPECT_EQ(full_shape(net->wte.weight), (Shape{kVocabulary, kWidth}));
    // Scores are not gathered: each rank has those of its words.
    EXPECT_EQ(net->call({tokens_of(0).narrow(1, 0, kLength)}).as_tensor().size(-1), rows);

    const Value full = get_optimizer_state_dict(*net, opt, {.full_state_dict = true});
    EXPECT_EQ(Value(full["state"]["first.proj.weight"]["exp_avg"]).as_tensor().shape(),
              (Shape{kWidth, 10}));
    optim::AdamW other(net->parameters(), {.lr = 0.02});
    set_optimizer_state_dict(*net, other, full, {.full_state_dict = true});
    EXPECT_TRUE(equal(Value(other.state(net->first.proj.weight)["exp_avg"]).as_tensor(),
                      Value(opt.state(net->first.proj.weight)["exp_avg"]).as_tensor()));
    const Value state = get_model_state_dict(*net, {.full_state_dict = true});
    EXPECT_TRUE(set_model_state_dict(*net, state, {.full_state_dict = true}).empty());
  });
}

}  // namespace
}  // namespace taper::distributed
