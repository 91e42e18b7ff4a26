// BERT and the Vision Transformer against Hugging Face's transformers.
#include "bert/heads.h"
#include "hf_folder.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/generator.h"
#include "vit_hf/vit.h"

namespace taper::test {
namespace {

bert::BertConfig small_bert() {
  bert::BertConfig config;
  config.vocab_size = 20, config.hidden_size = 8, config.num_hidden_layers = 2;
  config.num_attention_heads = 2, config.intermediate_size = 12,
  config.max_position_embeddings = 10;
  return config;
}

TEST(Bert, ReproducesLogitsAndLoss) {
  const auto model = bert::BertForSequenceClassification::from_pretrained(hf_folder("bert"));
  const auto out =
      model(two_texts(), {.attention_mask = tensor({{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 0, 0}}),
                          .labels = tensor({2, 0})});
  expect_near(out.logits, hf_result("bert", "logits"));
  expect_near(out.loss, hf_result("bert", "loss"));
}

TEST(Bert, AbsentPoolerIsNotRegistered) {
  const bert::BertForMaskedLM model(small_bert());
  EXPECT_FALSE(model.bert.has_attr("pooler"));
  EXPECT_FALSE(contains(model.str(), "pooler"));
  EXPECT_TRUE(contains(bert::BertModel(small_bert()).str(), "(pooler): BertPooler("));
}

TEST(Bert, ClonesPooler) {
  const bert::BertModel model(small_bert());
  const auto copy = model.clone();
  EXPECT_FALSE(copy.get_parameter("pooler.dense.weight")
                   .is_same(model.get_parameter("pooler.dense.weight")));
}

TEST(Bert, ClassifiesTokens) {
  bert::BertConfig config = small_bert();
  config.num_labels = 5;
  const auto model = bert::BertForTokenClassification(config).eval();
  const auto out = model(randint(0, 20, {2, 6}), {.labels = randint(0, 5, {2, 6})});
  EXPECT_EQ(out.logits.shape(), (Shape{2, 6, 5}));
  EXPECT_GT(out.loss.item<double>(), 0);
}

TEST(Bert, SelectsLossByLabels) {
  bert::BertConfig config = small_bert();
  config.num_labels = 1;
  const auto regression = bert::BertForSequenceClassification(config).eval();
  const Tensor ids = randint(1, 20, {3, 4}), values = rand({3});
  const auto out = regression(ids, {.labels = values});
  EXPECT_NEAR(out.loss.item<double>(),
              (out.logits.squeeze({1}) - values).square().mean().item<double>(), 1e-6);
  config.num_labels = 4;
  const auto several = bert::BertForSequenceClassification(config).eval();
  EXPECT_NEAR(several(ids, {.labels = rand({3, 4}).round()}).loss.item<double>(), 0.693, 0.05);
  config.problem_type = "regression";
  const auto vectors = bert::BertForSequenceClassification(config).eval();
  EXPECT_LT(vectors(ids, {.labels = zeros({3, 4})}).loss.item<double>(), 0.05);
}

TEST(Bert, RejectsInvalidInputsAndConfigurations) {
  const auto model = bert::BertModel(small_bert()).eval();
  EXPECT_EQ(error_message([&] {
              return model(zeros({1, 11}, {.dtype = int64}));
            }),
            "BertModel: a sequence of 11 tokens exceeds max_position_embeddings = 10");
  huggingface::DynamicCache cache;
  EXPECT_EQ(error_message([&] {
              return model(zeros({1, 2}, {.dtype = int64}), {.past_key_values = &cache});
            }),
            "BertModel: an encoder does not use past_key_values");
  const auto message = [](const char* json) {
    return error_message(
        [&] { return bert::BertConfig::from_value(huggingface::parse_json(json, "test")); });
  };
  EXPECT_EQ(message(R"({"is_decoder": true})"), "BertConfig: 'is_decoder' = true is not supported");
  EXPECT_EQ(message(R"({"position_embedding_type": "relative_key"})"),
            "BertConfig: position_embedding_type 'relative_key' is not supported");
  EXPECT_EQ(message(R"({"problem_type": "ranking"})"),
            "BertConfig: unknown problem_type 'ranking'");
}

TEST(ViTOfHuggingFace, ReproducesLogits) {
  auto model = vit_hf::ViTForImageClassification::from_pretrained(hf_folder("vit"));
  const Tensor images = arange(384).to(float32).view({2, 3, 8, 8}) / 384;
  expect_near(model(images).logits, hf_result("vit", "logits"));
  EXPECT_TRUE(equal(model.call({images})["logits"].as_tensor(), model(images).logits));
}

TEST(ViTOfHuggingFace, InterpolatesPositionsOfOtherSizes) {
  const auto model = vit_hf::ViTForImageClassification::from_pretrained(hf_folder("vit"));
  const Tensor images = rand({1, 3, 12, 8});
  EXPECT_EQ(model(images, {.interpolate_pos_encoding = true}).logits.shape(), (Shape{1, 3}));
  EXPECT_EQ(error_message([&] { return model(images); }),
            "ViTModel: got images of [12, 8], expected [8, 8]. interpolate_pos_encoding allows "
            "other sizes.");
}

}  // namespace
}  // namespace taper::test
