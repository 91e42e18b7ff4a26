// Loading of folders: keys, dtypes, files that are missing or damaged.
#include "bert/heads.h"
#include "gpt2/gpt2.h"
#include "hf_folder.h"
#include "llama/llama.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "support/tensors.h"
#include "support/warning_capture.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "vit_hf/vit.h"

namespace taper::test {
namespace {

using llama::LlamaForCausalLM;
using Strings = std::vector<std::string>;

std::string load_error(const std::string& folder) {
  return error_text([&] { return LlamaForCausalLM::from_pretrained(folder); });
}

TEST(Pretrained, LoadsShardsInEvaluationMode) {
  huggingface::LoadingInfo info;
  const auto model = LlamaForCausalLM::from_pretrained(hf_folder("llama"), {.loading_info = &info});
  EXPECT_FALSE(model.training);
  EXPECT_FALSE(model.model.layers[0].training);
  EXPECT_EQ(info.missing_keys, Strings());
  EXPECT_EQ(info.unexpected_keys, Strings());
  for (const Tensor& p : model.parameters()) {
    EXPECT_EQ(p.device(), Device::cpu());
    EXPECT_TRUE(p.requires_grad());
  }
}

TEST(Pretrained, ConvertsToRequestedDtype) {
  const auto model = LlamaForCausalLM::from_pretrained(hf_folder("llama"), {.dtype = bfloat16});
  EXPECT_EQ(model.lm_head.weight.dtype(), bfloat16);
  EXPECT_EQ(model.model.rotary_emb.inv_freq.dtype(), float32);
  EXPECT_EQ(model(two_texts()).logits.dtype(), bfloat16);
}

TEST(Pretrained, UsesDtypeOfConfigurationByDefault) {
  const HfFolderCopy folder("llama");
  folder.replace("config.json", "\"dtype\": \"float32\"", "\"torch_dtype\": \"float64\"");
  EXPECT_EQ(LlamaForCausalLM::from_pretrained(folder.path()).lm_head.weight.dtype(), float64);
}

TEST(Pretrained, RejectsMissingFiles) {
  const HfFolderCopy folder("llama");
  folder.remove("model-00002-of-00002.safetensors");
  EXPECT_TRUE(contains(load_error(folder.path()), "model-00002-of-00002.safetensors"));
  folder.remove("config.json");
  EXPECT_TRUE(contains(load_error(folder.path()), "config.json: cannot be read"));
  EXPECT_TRUE(contains(load_error(folder / "absent"), "config.json: cannot be read"));
}

TEST(Pretrained, RejectsDamagedFiles) {
  const HfFolderCopy folder("llama");
  folder.write("config.json", "{\"vocab_size\": 40,");
  EXPECT_TRUE(contains(load_error(folder.path()), "config.json: invalid JSON"));
  folder.write("config.json", "[1]");
  EXPECT_TRUE(contains(load_error(folder.path()), "expected a JSON object, got list"));
  folder.write("config.json", std::string(100, '['));
  EXPECT_TRUE(contains(load_error(folder.path()), "nested too deeply"));
  const HfFolderCopy other("llama");
  other.write("model-00001-of-00002.safetensors", "not a file of tensors");
  EXPECT_NE(load_error(other.path()), "");
}

TEST(Pretrained, RejectsValuesOfOtherTypes) {
  const HfFolderCopy folder("llama");
  folder.replace("config.json", "\"hidden_size\": 16", "\"hidden_size\": \"16\"");
  EXPECT_EQ(load_error(folder.path()), "LlamaConfig: 'hidden_size' must be an integer, got '16'");
  folder.replace("config.json", "\"hidden_size\": \"16\"", "\"hidden_size\": 18");
  EXPECT_EQ(load_error(folder.path()),
            "LlamaConfig: hidden_size = 18 must be a multiple of num_attention_heads = 4");
  EXPECT_EQ(error_text([&] { return gpt2::GPT2LMHeadModel::from_pretrained(folder.path()); }),
            "GPT2Config: model_type is 'llama', expected 'gpt2'");
}

TEST(Pretrained, ListsMismatchedSizes) {
  const HfFolderCopy folder("llama");
  folder.replace("config.json", "\"intermediate_size\": 24", "\"intermediate_size\": 20");
  const std::string error = load_error(folder.path());
  EXPECT_TRUE(contains(error, "sizes of stored weights do not match the configuration"));
  EXPECT_TRUE(
      contains(error, "model.layers.1.mlp.up_proj.weight: got [24, 16], expected [20, 16]"));
  huggingface::LoadingInfo info;
  const auto model = LlamaForCausalLM::from_pretrained(
      folder.path(), {.loading_info = &info, .ignore_mismatched_sizes = true});
  EXPECT_EQ(info.missing_keys.size(), 6u);
  EXPECT_LT(model.get_parameter("model.layers.0.mlp.up_proj.weight").detach().std().item<double>(),
            0.03);
}

TEST(Pretrained, DrawsMissingWeightsWithWarning) {
  const WarningCapture warnings;
  const HfFolderCopy folder("bert");
  folder.replace("config.json", "BertForSequenceClassification", "BertForMaskedLM");
  const auto model = bert::BertForMaskedLM::from_pretrained(folder.path());
  ASSERT_EQ(warnings.count(), 2u);
  EXPECT_TRUE(contains(warnings.all()[0], "cls.predictions.bias, cls.predictions.transform"));
  EXPECT_TRUE(contains(warnings.all()[1], "bert.pooler.dense.bias, bert.pooler.dense.weight"));
  EXPECT_TRUE(
      model.cls.predictions.decoder.weight.is_same(model.bert.embeddings.word_embeddings.weight));
  EXPECT_TRUE(model.cls.predictions.decoder.bias->is_same(model.cls.predictions.bias));
  EXPECT_EQ(model.cls.predictions.transform.LayerNorm.weight->detach().min().item<double>(), 1);
}

TEST(Pretrained, AddsAndRemovesPrefixOfBody) {
  huggingface::LoadingInfo info;
  const auto body = gpt2::GPT2Model::from_pretrained(hf_folder("gpt2"), {.loading_info = &info});
  EXPECT_EQ(info.missing_keys, Strings());
  const HfFolderCopy folder("gpt2");
  Value state = body.state_dict();
  state["h.0.attn.bias"] = ones({1, 1, 4, 4});  // a causal mask, as in the first files
  save(state, folder / "model.safetensors", {.format = FileFormat::safetensors});
  const auto whole = gpt2::GPT2LMHeadModel::from_pretrained(folder.path(), {.loading_info = &info});
  EXPECT_EQ(info.missing_keys, Strings());
  EXPECT_EQ(info.unexpected_keys, Strings());
  expect_near(whole(two_texts()).logits.select(1, -1), hf_result("gpt2", "logits_last"));
}

TEST(Pretrained, TiesWeightsUnlessTheyDiffer) {
  const auto model = gpt2::GPT2LMHeadModel::from_pretrained(hf_folder("gpt2"));
  EXPECT_TRUE(model.lm_head.weight.is_same(model.transformer.wte.weight));
  EXPECT_TRUE(model.clone().lm_head.weight.is_same(model.lm_head.weight) == false);
  const HfFolderCopy folder("gpt2");
  const Value stored = load(folder / "model.safetensors"), state = stored.as_dict().copy();
  state["lm_head.weight"] = zeros({40, 16});
  save(state, folder / "model.safetensors", {.format = FileFormat::safetensors});
  const WarningCapture warnings;
  const auto untied = gpt2::GPT2LMHeadModel::from_pretrained(folder.path());
  EXPECT_FALSE(untied.lm_head.weight.is_same(untied.transformer.wte.weight));
  EXPECT_TRUE(contains(warnings.last(), "are stored with different values and are not tied"));
}

TEST(Pretrained, SavesInPlace) {
  const HfFolderCopy folder("gpt2");
  auto model = gpt2::GPT2LMHeadModel::from_pretrained(folder.path());
  {
    const NoGrad guard;
    model.transformer.ln_f.weight->mul_(2);
  }
  const Tensor expected = model(two_texts()).logits;
  model.save_pretrained(folder.path());
  EXPECT_FALSE(load(folder / "model.safetensors").contains("lm_head.weight"));
  EXPECT_TRUE(equal(model(two_texts()).logits, expected));
  const auto again = gpt2::GPT2LMHeadModel::from_pretrained(folder.path());
  EXPECT_TRUE(equal(again(two_texts()).logits, expected));
}

TEST(Pretrained, SavesShardsThatReplaceFormerFiles) {
  const HfFolderCopy folder("llama");
  const auto model = LlamaForCausalLM::from_pretrained(folder.path());
  const Tensor expected = model(two_texts()).logits;
  const std::string single = folder / "model.safetensors", index = single + ".index.json";
  model.save_pretrained(folder.path());
  EXPECT_TRUE(std::filesystem::exists(single));
  EXPECT_FALSE(std::filesystem::exists(index));
  model.save_pretrained(folder.path(), {.max_shard_size = "8KB"});
  EXPECT_FALSE(std::filesystem::exists(single));
  EXPECT_TRUE(std::filesystem::exists(index));
  const auto again = LlamaForCausalLM::from_pretrained(folder.path());
  EXPECT_TRUE(equal(again(two_texts()).logits, expected));
  EXPECT_EQ(*again.generation_config.eos_token_id, (generation::TokenIds{2, 7}));
}

template <class M> void expect_same_config(const char* folder) {
  const TempDir dir;
  const auto model = M::from_pretrained(hf_folder(folder));
  model.save_pretrained(dir / "saved");
  const Value stored = huggingface::read_json(hf_folder(folder) + "/config.json");
  const Value saved = huggingface::read_json(dir / "saved/config.json");
  for (const auto& [key, value] : saved.as_dict()) {
    if (key.as_string() == "pooler_output_size" || key.as_string() == "tie_word_embeddings")
      continue;
    if (const Value* expected = stored.find(key)) { EXPECT_EQ(value, *expected) << key; }
  }
  EXPECT_EQ(saved["architectures"], stored["architectures"]);
  for (const char* key : {"model_type", "dtype"}) EXPECT_EQ(saved[key], stored[key]);
}

TEST(Pretrained, SavesConfiguration) {
  expect_same_config<gpt2::GPT2LMHeadModel>("gpt2");
  expect_same_config<LlamaForCausalLM>("llama");
  expect_same_config<bert::BertForSequenceClassification>("bert");
  expect_same_config<vit_hf::ViTForImageClassification>("vit");
}

TEST(Pretrained, RejectsInvalidSizes) {
  const HfFolderCopy folder("llama");
  folder.replace("config.json", "\"vocab_size\": 40", "\"vocab_size\": -40");
  EXPECT_EQ(load_error(folder.path()),
            "LlamaConfig: 'vocab_size' must be a positive size, got -40");
  folder.replace("config.json", "\"vocab_size\": -40", "\"vocab_size\": 40");
  folder.replace("config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1000000000");
  EXPECT_EQ(load_error(folder.path()),
            "LlamaConfig: 'num_hidden_layers' must be between 0 and 10000, got 1000000000");
}

TEST(Pretrained, RejectsFolderThatCannotBeWritten) {
  const HfFolderCopy folder("bert");
  const WarningCapture warnings;
  const auto model = bert::BertModel::from_pretrained(folder.path());
  EXPECT_THROW(model.save_pretrained(folder / "config.json"), IoError);
}

}  // namespace
}  // namespace taper::test
