// GPT-2 against Hugging Face's transformers.
#include "gpt2/gpt2.h"

#include "hf_folder.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/generator.h"
#include "taper/optim/optim.h"

namespace taper::test {
namespace {

using gpt2::GPT2LMHeadModel;

gpt2::GPT2Config small_gpt2() {
  gpt2::GPT2Config config;
  config.vocab_size = 20, config.n_positions = 12, config.n_embd = 8, config.n_layer = 2;
  config.n_head = 2;
  return config;
}

TEST(GPT2, ReproducesLogitsAndLoss) {
  const auto model = GPT2LMHeadModel::from_pretrained(hf_folder("gpt2"));
  const auto out = model(two_texts(), {.labels = two_texts()});
  expect_near(out.logits.select(1, -1), hf_result("gpt2", "logits_last"));
  expect_near(out.loss, hf_result("gpt2", "loss"));
}

TEST(GPT2, PrintsAsInPython) {
  const std::string text = GPT2LMHeadModel(small_gpt2()).str();
  EXPECT_TRUE(contains(text, "(wte): Embedding(20, 8)"));
  EXPECT_TRUE(contains(text, "(0-1): 2 x GPT2Block("));
  EXPECT_TRUE(contains(text, "(c_attn): Conv1D(nf=24, nx=8)"));
  EXPECT_TRUE(contains(text, "(act): NewGELUActivation()"));
}

TEST(GPT2, ReturnsHiddenStatesAndLastLogits) {
  const auto model = GPT2LMHeadModel(small_gpt2()).eval();
  const Tensor ids = randint(0, 20, {2, 5});
  const auto out = model(ids, {.output_hidden_states = true});
  ASSERT_EQ(out.hidden_states.size(), 3u);
  EXPECT_TRUE(equal(out.hidden_states[2], out.last_hidden_state));
  const auto last = model(ids, {.logits_to_keep = 2});
  EXPECT_TRUE(allclose(last.logits, out.logits.slice(1, 3, {}), 1e-5, 1e-6));
}

TEST(GPT2, IgnoresPaddingOnEitherSide) {
  const auto model = GPT2LMHeadModel(small_gpt2()).eval();
  const Tensor text = tensor({{3, 7, 11}});
  const Tensor expected = model(text).logits;
  const Tensor left = tensor({{0, 0, 3, 7, 11}}), left_mask = tensor({{0, 0, 1, 1, 1}});
  const auto padded =
      model(left, {.attention_mask = left_mask, .position_ids = tensor({{0, 0, 0, 1, 2}})});
  EXPECT_TRUE(allclose(padded.logits.slice(1, 2, {}), expected, 1e-4, 1e-6));
  const auto right = model(tensor({{3, 7, 11, 0}}), {.attention_mask = tensor({{1, 1, 1, 0}})});
  EXPECT_TRUE(allclose(right.logits.slice(1, 0, 3), expected, 1e-4, 1e-6));
}

TEST(GPT2, CachedTokensGiveSameLogits) {
  const auto model = GPT2LMHeadModel(small_gpt2()).eval();
  const Tensor ids = randint(0, 20, {2, 9});
  const Tensor expected = model(ids).logits;
  for (const bool record : {false, true}) {
    const GradMode mode(record);
    huggingface::DynamicCache cache;
    std::vector<Tensor> pieces;
    for (const auto& [start, end] : {std::pair(0, 4), std::pair(4, 5), std::pair(5, 9)})
      pieces.push_back(model(ids.slice(1, start, end), {.past_key_values = &cache}).logits);
    EXPECT_EQ(cache.get_seq_length(), 9);
    EXPECT_TRUE(allclose(cat(pieces, 1), expected, 1e-4, 1e-6));
  }
}

TEST(GPT2, CallsWithValues) {
  auto model = GPT2LMHeadModel(small_gpt2()).eval();
  const Tensor ids = tensor({{3, 7, 11, 2}});
  const Tensor expected = model(ids).logits;
  EXPECT_TRUE(equal(model.call({ids})["logits"].as_tensor(), expected));
  const Value inputs = Value::dict({{"labels", ids}, {"output_hidden_states", true}});
  const Value result = model.call({ids, inputs});
  EXPECT_EQ(result["hidden_states"].size(), 3u);
  EXPECT_TRUE(result.contains("loss"));
  EXPECT_NE(error_message([&] { return model.call({ids, Value::dict({{"mask", ids}})}); }), "");
  EXPECT_EQ(error_message([&] {
              return model.call({ids, Value::dict({{"past_key_values", 3}})});
            }),
            "past_key_values must be a DynamicCache, got int");
}

TEST(GPT2, HooksReceiveOutputs) {
  auto model = GPT2LMHeadModel(small_gpt2()).eval();
  const Tensor ids = tensor({{3, 7, 11, 2}});
  const Tensor expected = model(ids).logits;
  model.register_forward_hook([](nn::Module&, const Values&, const Value& out) {
    return Value::dict({{"logits", out["logits"].as_tensor() * 2}});
  });
  const NoGrad guard;
  huggingface::DynamicCache cache;
  std::vector<Tensor> pieces;
  for (std::int64_t i = 0; i < 4; ++i)
    pieces.push_back(model(ids.slice(1, i, i + 1), {.past_key_values = &cache}).logits);
  EXPECT_TRUE(allclose(cat(pieces, 1), expected * 2, 1e-4, 1e-6));
}

TEST(GPT2, LearnsOneBatch) {
  manual_seed(0);
  GPT2LMHeadModel model(small_gpt2());
  optim::AdamW optimizer(model.parameters(), {.lr = 0.02});
  const Tensor ids = randint(0, 20, {4, 8});
  const double before = model(ids, {.labels = ids}).loss.item<double>();
  for (int i = 0; i < 60; ++i) {
    optimizer.zero_grad();
    model(ids, {.labels = ids}).loss.backward();
    optimizer.step();
  }
  EXPECT_LT(model.eval()(ids, {.labels = ids}).loss.item<double>(), 0.5 * before);
}

TEST(GPT2, RejectsInvalidInputs) {
  const auto model = GPT2LMHeadModel(small_gpt2()).eval();
  const auto message = [&](const Tensor& ids, const gpt2::ModelInputs& inputs) {
    return error_message([&] { return model(ids, inputs); });
  };
  EXPECT_EQ(message(tensor({1, 2}), {}), "input_ids must be (N, T), got [2]");
  EXPECT_EQ(message({}, {}), "exactly one of input_ids and inputs_embeds must be given");
  EXPECT_EQ(message(zeros({1, 13}, {.dtype = int64}), {}),
            "GPT2Model: a sequence of 13 tokens exceeds n_positions = 12");
  EXPECT_EQ(message(zeros({2, 3}, {.dtype = int64}), {.attention_mask = ones({2, 4})}),
            "attention_mask must have the shape [2, 3] of all tokens, including cached ones, got "
            "[2, 4]");
  EXPECT_EQ(message(zeros({2, 3}, {.dtype = int64}), {.labels = zeros({2, 2}, {.dtype = int64})}),
            "labels must have the shape [2, 3] of the tokens, got [2, 2]");
  EXPECT_NE(message(full({1, 1}, 20), {}), "");
}

TEST(GPT2, RejectsInvalidConfigurations) {
  const auto message = [](const char* json) {
    return error_message(
        [&] { return gpt2::GPT2Config::from_value(huggingface::parse_json(json, "test")); });
  };
  EXPECT_EQ(message(R"({"n_embd": 10, "n_head": 3})"),
            "GPT2Config: n_embd = 10 must be a multiple of n_head = 3");
  EXPECT_EQ(message(R"({"add_cross_attention": true})"),
            "GPT2Config: 'add_cross_attention' = true is not supported");
  EXPECT_EQ(message(R"({"eos_token_id": "end"})"),
            "GPT2Config: 'eos_token_id' must be an integer, a list of integers or null, got 'end'");
  gpt2::GPT2Config config = small_gpt2();
  config.activation_function = "step";
  EXPECT_EQ(error_message([&] { return GPT2LMHeadModel(config); }),
            "unknown activation function 'step'");
}

}  // namespace
}  // namespace taper::test
