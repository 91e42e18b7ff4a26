// generate: searches, processors and options, against Hugging Face's transformers.
#include "generation/generate.h"

#include <limits>

#include "generation/processors.h"
#include "gpt2/gpt2.h"
#include "hf_folder.h"
#include "llama/llama.h"
#include "support/error_text.h"
#include "support/tensors.h"
#include "taper/core/generator.h"

namespace taper::test {
namespace {

using generation::GenerationConfig;
using generation::TokenIds;

constexpr float kRemoved = -std::numeric_limits<float>::infinity();

/// A model whose logits of the next token are those of its last token in a table.
generation::LanguageModel table_model(const Tensor& table) {
  return [table](const Tensor& ids, const huggingface::ModelInputs&) { return table[{ids}]; };
}

Tensor padded_mask() { return padded_texts().ne(0).to(int64); }

template <class M> void expect_results_of_python(const M& model, const std::string& name) {
  const Tensor prompts = padded_texts(), mask = padded_mask();
  const GenerationConfig endless{
      .max_new_tokens = 16, .pad_token_id = 0, .eos_token_id = TokenIds()};
  const Value greedy = hf_result(name, "greedy");
  EXPECT_EQ(model.generate(prompts, endless, mask).tolist(), greedy);
  GenerationConfig options = endless;
  options.use_cache = false;
  EXPECT_EQ(model.generate(prompts, options, mask).tolist(), greedy);
  options = endless;
  options.eos_token_id = greedy.as_list()[0].as_list()[9].as_int();
  EXPECT_EQ(model.generate(prompts, options, mask).tolist(), hf_result(name, "ended"));
  options = endless;
  options.do_sample = true, options.temperature = 1.2, options.top_k = 10, options.top_p = 0.9;
  manual_seed(7);
  EXPECT_EQ(model.generate(prompts, options, mask).tolist(), hf_result(name, "drawn"));
  options = endless;
  options.num_beams = 3, options.eos_token_id = TokenIds{9, 30};
  EXPECT_EQ(model.generate(prompts, options, mask).tolist(), hf_result(name, "beams"));
}

TEST(Generate, ReproducesTokensOfGPT2) {
  expect_results_of_python(gpt2::GPT2LMHeadModel::from_pretrained(hf_folder("gpt2")), "gpt2");
}

TEST(Generate, ReproducesTokensOfLlama) {
  expect_results_of_python(llama::LlamaForCausalLM::from_pretrained(hf_folder("llama")), "llama");
}

TEST(Generate, InfersMaskFromPaddingTokens) {
  const auto model = llama::LlamaForCausalLM::from_pretrained(hf_folder("llama"));
  const GenerationConfig options{
      .max_new_tokens = 16, .pad_token_id = 0, .eos_token_id = TokenIds()};
  EXPECT_EQ(model.generate(padded_texts(), options).tolist(), hf_result("llama", "greedy"));
}

TEST(Generate, ReadsDefaultsFromFolder) {
  const HfFolderCopy folder("llama");
  const auto model = llama::LlamaForCausalLM::from_pretrained(folder.path());
  EXPECT_EQ(*model.generation_config.eos_token_id, (TokenIds{2, 7}));
  folder.write("generation_config.json", R"({"max_new_tokens": 3, "eos_token_id": null})");
  const auto other = llama::LlamaForCausalLM::from_pretrained(folder.path());
  EXPECT_TRUE(other.generation_config.eos_token_id->empty());
  EXPECT_EQ(other.generate(two_texts()).size(1), 9);
  folder.remove("generation_config.json");
  EXPECT_EQ(*llama::LlamaForCausalLM::from_pretrained(folder.path()).generation_config.eos_token_id,
            (TokenIds{2, 7}));
}

TEST(Generate, EndsWhenAllRowsHaveEnded) {
  const auto next_id = table_model(eye(6).roll({1}, {1}) * 5);  // 0 -> 1 -> 2 -> ...
  const Tensor out = generation::generate(
      next_id, {}, tensor({{0}, {2}}),
      {.max_new_tokens = 10, .pad_token_id = 5, .eos_token_id = TokenIds{3, 4}});
  EXPECT_EQ(out.tolist(), tensor({{0, 1, 2, 3}, {2, 3, 5, 5}}).tolist());
}

TEST(Generate, ReturnsSeveralDrawnSequences) {
  manual_seed(0);
  const auto uniform = table_model(zeros({6, 6}));
  const Tensor out =
      generation::generate(uniform, {}, tensor({{0}, {1}}),
                           {.max_new_tokens = 8, .do_sample = true, .num_return_sequences = 3});
  EXPECT_EQ(out.shape(), (Shape{6, 9}));
  EXPECT_EQ(to_vector<std::int64_t>(out.select(1, 0)),
            (std::vector<std::int64_t>{0, 0, 0, 1, 1, 1}));
  EXPECT_FALSE(equal(out[0], out[1]));
}

TEST(Generate, ReportsScores) {
  const auto model = table_model(eye(4) * 3);
  generation::GenerateReport report;
  (void)generation::generate(model, {}, tensor({{1}}), {.max_new_tokens = 2}, {}, &report);
  ASSERT_EQ(report.scores.size(), 2u);
  EXPECT_EQ(to_vector<float>(report.scores[1][0]), (std::vector<float>{0, 3, 0, 0}));
  (void)generation::generate(model, {}, tensor({{1}}), {.max_new_tokens = 2, .num_beams = 2}, {},
                             &report);
  EXPECT_EQ(report.sequences_scores.shape(), (Shape{1}));
}

TEST(Generate, BeamSearchFindsLikelierSequence) {
  // The best first token, 1, is followed by four equal ones; 2 is followed by 3 for sure.
  const Tensor table =
      tensor({{-9., 1., 0.9, -9.}, {0., 0., 0., 0.}, {-9., -9., -9., 9.}, {-9., -9., -9., 9.}});
  const auto model = table_model(table);
  const GenerationConfig greedy{.max_new_tokens = 2};
  GenerationConfig beams = greedy;
  beams.num_beams = 2;
  EXPECT_EQ(generation::generate(model, {}, tensor({{0}}), greedy)[0][1].item<int>(), 1);
  EXPECT_EQ(generation::generate(model, {}, tensor({{0}}), beams).tolist(),
            tensor({{0, 2, 3}}).tolist());
}

TEST(Generate, RejectsInvalidOptions) {
  const auto model = table_model(zeros({4, 4}));
  const auto message = [&](const GenerationConfig& options, const Tensor& ids = tensor({{1, 2}}),
                           const Tensor& mask = {}) {
    return error_message([&] { return generation::generate(model, {}, ids, options, mask); });
  };
  EXPECT_EQ(message({.max_length = 2}),
            "generate: the prompt has 2 tokens, but the maximum length is 2");
  EXPECT_EQ(message({.do_sample = true, .temperature = 0}),
            "generate: temperature must be positive; do_sample = false selects the best token, got "
            "0.0");
  EXPECT_EQ(message({.do_sample = true, .top_k = -1}),
            "generate: top_k must be positive, or 0 for all tokens, got -1.0");
  EXPECT_EQ(message({.do_sample = true, .top_p = 1.5}),
            "generate: top_p must be in [0, 1], got 1.5");
  EXPECT_EQ(message({.repetition_penalty = 0}),
            "generate: repetition_penalty must be positive, got 0.0");
  EXPECT_EQ(message({.num_beams = 0}),
            "generate: num_beams and num_return_sequences must be positive, got 0 and 1");
  EXPECT_EQ(message({.num_beams = 2, .num_return_sequences = 3}),
            "generate: num_return_sequences must not exceed num_beams unless tokens are drawn, got "
            "3 and 2");
  EXPECT_EQ(message({.num_beams = 2, .early_stopping = "soon"}),
            "generate: early_stopping must be 'true', 'false' or 'never', got 'soon'");
  EXPECT_EQ(message({.unsupported = {"stop_strings"}}),
            "generate: option 'stop_strings' of the generation_config is not supported");
  EXPECT_EQ(message({}, tensor({1})),
            "generate: input_ids must be (N, T) with at least one token, got [1]");
  EXPECT_EQ(message({}, tensor({{1.5}})), "generate: input_ids must be int64, got float32");
  EXPECT_EQ(message({}, tensor({{1, 2}}), ones({1, 3})),
            "generate: attention_mask must have the shape [1, 2] of input_ids, got [1, 3]");
}

TEST(GenerationConfigOfFile, ListsUnsupportedOptions) {
  const auto parse = [](const char* json) {
    return GenerationConfig::from_value(huggingface::parse_json(json, "test"));
  };
  EXPECT_TRUE(parse(R"({"typical_p": 1.0, "num_beam_groups": 1, "stop_strings": null})")
                  .unsupported.empty());
  EXPECT_EQ(parse(R"({"suppress_tokens": [3]})").unsupported,
            std::vector<std::string>{"suppress_tokens"});
  EXPECT_EQ(*parse(R"({"early_stopping": true})").early_stopping, "true");
  EXPECT_FALSE(parse("{}").eos_token_id.has_value());
}

TEST(LogitsProcessors, KeepTiesOfTopK) {
  const Tensor scores = tensor({{3., 1., 1., 0.}});
  EXPECT_EQ(to_vector<float>(generation::keep_top_k(scores, 2)),
            (std::vector<float>{3, 1, 1, kRemoved}));
  EXPECT_TRUE(equal(generation::keep_top_k(scores, 9), scores));
}

TEST(LogitsProcessors, KeepOneTokenAtLeast) {
  const Tensor scores = tensor({{1., 4., 2.}});
  const std::vector<float> best{kRemoved, 4, kRemoved};
  EXPECT_EQ(to_vector<float>(generation::keep_top_p(scores, 0)), best);
  EXPECT_EQ(to_vector<float>(generation::keep_min_p(scores, 1)), best);
  EXPECT_EQ(to_vector<float>(generation::keep_top_k(scores, 1)), best);
}

TEST(LogitsProcessors, PenalizeEachTokenOnce) {
  const Tensor ids = tensor({{0, 0, 1}}), scores = tensor({{2., -1., 5.}});
  EXPECT_EQ(to_vector<float>(generation::penalize_repetition(ids, scores, 2)),
            (std::vector<float>{1, -2, 5}));
  EXPECT_EQ(to_vector<float>(generation::penalize_repetition(ids, scores, 2, tensor({2}))),
            (std::vector<float>{2, -2, 5}));
}

TEST(LogitsProcessors, RemoveCompletedNgrams) {
  const Tensor ids = tensor({{1, 2, 3, 1, 2}}), scores = zeros({1, 4});
  EXPECT_EQ(to_vector<float>(generation::remove_repeated_ngrams(ids, scores, 3)),
            (std::vector<float>{0, 0, 0, kRemoved}));
  EXPECT_EQ(to_vector<float>(generation::remove_repeated_ngrams(ids, scores, 1)),
            (std::vector<float>{0, kRemoved, kRemoved, kRemoved}));
  EXPECT_TRUE(equal(generation::remove_repeated_ngrams(ids, scores, 6), scores));
}

}  // namespace
}  // namespace taper::test
