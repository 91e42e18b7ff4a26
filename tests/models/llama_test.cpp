// Llama against Hugging Face's transformers.
#include "llama/llama.h"

#include "hf_folder.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/generator.h"

namespace taper::test {
namespace {

using llama::LlamaConfig;
using llama::LlamaForCausalLM;

LlamaConfig small_llama() {
  LlamaConfig config;
  config.vocab_size = 20, config.hidden_size = 12, config.intermediate_size = 16;
  config.num_hidden_layers = 2, config.num_attention_heads = 3, config.num_key_value_heads = 1;
  config.max_position_embeddings = 16;
  return config;
}

LlamaConfig parse_llama(const std::string& json) {
  return LlamaConfig::from_value(huggingface::parse_json(json, "test"));
}

TEST(Llama, ReproducesLogitsAndLoss) {
  const auto model = LlamaForCausalLM::from_pretrained(hf_folder("llama"));
  const auto out = model(two_texts(), {.labels = two_texts()});
  expect_near(out.logits.select(1, -1), hf_result("llama", "logits_last"));
  expect_near(out.loss, hf_result("llama", "loss"));
}

TEST(Llama, ReadsConfigurationOfVersion4) {
  const HfFolderCopy folder("llama");
  folder.replace("config.json", "\"rope_parameters\"", "\"rope_theta\": 10000.0, \"rope_scaling\"");
  folder.replace("config.json", "    \"rope_theta\": 10000.0,\n", "");
  folder.replace("config.json", "\"dtype\"", "\"torch_dtype\"");
  folder.replace("config.json", "  \"head_dim\": 4,\n", "");
  const auto model = LlamaForCausalLM::from_pretrained(folder.path());
  expect_near(model(two_texts()).logits.select(1, -1), hf_result("llama", "logits_last"));
}

TEST(Llama, PrintsAsInPython) {
  const std::string text = LlamaForCausalLM(small_llama()).str();
  EXPECT_TRUE(contains(text, "(k_proj): Linear(in_features=12, out_features=4, bias=False)"));
  EXPECT_TRUE(contains(text, "(act_fn): SiLUActivation()"));
  EXPECT_TRUE(contains(text, "(norm): LlamaRMSNorm((12,), eps=1e-06)"));
  EXPECT_TRUE(contains(text, "(rotary_emb): LlamaRotaryEmbedding()"));
}

TEST(Llama, DependsOnRelativePositionsOnly) {
  const auto model = LlamaForCausalLM(small_llama()).eval();
  const Tensor ids = tensor({{4, 9, 2, 15}});
  const Tensor near = model(ids).logits;
  const Tensor far = model(ids, {.position_ids = tensor({{100, 101, 102, 103}})}).logits;
  EXPECT_TRUE(allclose(near, far, 1e-3, 1e-5));
}

TEST(Llama, CachedTokensGiveSameLogits) {
  const auto model = LlamaForCausalLM(small_llama()).eval();
  const NoGrad guard;
  const Tensor ids = randint(0, 20, {2, 80});
  const Tensor expected = model(ids).logits;
  huggingface::DynamicCache cache;
  std::vector<Tensor> pieces{model(ids.slice(1, 0, 10), {.past_key_values = &cache}).logits};
  for (std::int64_t i = 10; i < 80; ++i)
    pieces.push_back(model(ids.slice(1, i, i + 1), {.past_key_values = &cache}).logits);
  EXPECT_TRUE(allclose(cat(pieces, 1), expected, 1e-4, 1e-5));
}

TEST(Llama, DrawsInitialWeightsOfSeed) {
  manual_seed(3);
  LlamaForCausalLM a(small_llama());
  manual_seed(3);
  LlamaForCausalLM b(small_llama());
  EXPECT_TRUE(equal(a.lm_head.weight, b.lm_head.weight));
  EXPECT_NEAR(a.model.embed_tokens.weight.detach().std().item<double>(), 0.02, 0.002);
}

TEST(Llama, DynamicScalingStartsAtMaximumLength) {
  LlamaConfig config = small_llama();
  config.rope_parameters.rope_type = "dynamic", config.rope_parameters.factor = 2;
  const llama::LlamaRotaryEmbedding scaled(config.rope_parameters, 4, 16);
  const llama::LlamaRotaryEmbedding plain({}, 4, 16);
  const Tensor within = arange(16).unsqueeze(0), beyond = arange(20).unsqueeze(0);
  EXPECT_TRUE(allclose(scaled(within, float32).cos, plain(within, float32).cos));
  EXPECT_FALSE(allclose(scaled(beyond, float32).cos, plain(beyond, float32).cos));
}

TEST(Llama, RejectsInvalidRotaryOptions) {
  const auto message = [](const std::string& rope) {
    return error_message([&] { return parse_llama(R"({"rope_scaling": )" + rope + "}"); });
  };
  EXPECT_EQ(message(R"({"type": "spiral", "factor": 2.0})"),
            "LlamaConfig: unknown rope_type 'spiral'");
  EXPECT_EQ(message(R"({"rope_type": "linear"})"),
            "LlamaConfig: rope_type 'linear' requires 'factor'");
  EXPECT_EQ(message(R"({"rope_type": "llama3", "factor": 2.0, "low_freq_factor": 1.0})"),
            "LlamaConfig: rope_type 'llama3' requires 'high_freq_factor'");
  EXPECT_EQ(message("7"), "LlamaConfig: rope_scaling: expected a JSON object, got int");
  EXPECT_EQ(message(R"({"partial_rotary_factor": 0.5})"),
            "LlamaConfig: partial_rotary_factor other than 1 is not supported");
}

TEST(Llama, RejectsTokenTypes) {
  const auto model = LlamaForCausalLM(small_llama()).eval();
  const Tensor ids = tensor({{1, 2}});
  EXPECT_EQ(error_message([&] { return model(ids, {.token_type_ids = ids}); }),
            "LlamaModel: a Llama does not use token_type_ids");
}

TEST(Llama, RejectsInvalidSizes) {
  LlamaConfig config = small_llama();
  config.num_key_value_heads = 2;
  EXPECT_EQ(error_message([&] { return LlamaForCausalLM(config); }),
            "LlamaConfig: num_attention_heads = 3 must be a multiple of num_key_value_heads = 2");
  config = small_llama();
  config.head_dim = 5;
  EXPECT_EQ(error_message([&] { return LlamaForCausalLM(config); }),
            "LlamaConfig: head_dim = 5 must be even and positive");
}

}  // namespace
}  // namespace taper::test
