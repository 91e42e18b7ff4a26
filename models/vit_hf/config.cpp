// Configuration of the Vision Transformer, its initial weights, and loading of its files.
#include "taper/core/error.h"
#include "vit_hf/vit.h"

namespace vit_hf {

using namespace taper;
using huggingface::ConfigReader;
using huggingface::WeightInitializer;
using huggingface::WeightLayout;

namespace {

/// Reads a height and width: one number, or a list of two.
void read_size(const ConfigReader& read, const char* key, Shape& field) {
  const Value* entry = read.find(key);
  if (!entry) return;
  if (entry->is_int()) {
    field = {entry->as_int(), entry->as_int()};
  } else if (entry->is_list() && entry->size() == 2 && entry->as_list()[0].is_int() &&
             entry->as_list()[1].is_int()) {
    field = entry->as_size();
  } else {
    read.fail(std::string("'") + key + "' must be an integer or a list of two, got " +
              entry->repr());
  }
}

}  // namespace

ViTConfig ViTConfig::from_value(const Value& config) {
  ViTConfig c;
  const ConfigReader read(config, "ViTConfig");
  read.expect_model_type("vit");
  read(c)("hidden_size", c.hidden_size)("num_hidden_layers", c.num_hidden_layers);
  read("num_attention_heads", c.num_attention_heads)("intermediate_size", c.intermediate_size);
  read("num_channels", c.num_channels)("hidden_act", c.hidden_act)("pooler_act", c.pooler_act);
  read("hidden_dropout_prob", c.hidden_dropout_prob);
  read("attention_probs_dropout_prob", c.attention_probs_dropout_prob);
  read("layer_norm_eps", c.layer_norm_eps)("qkv_bias", c.qkv_bias);
  std::optional<std::int64_t> pooler_output_size;
  read("pooler_output_size", pooler_output_size);
  c.pooler_output_size = pooler_output_size.value_or(0);
  read_size(read, "image_size", c.image_size);
  read_size(read, "patch_size", c.patch_size);
  if (c.num_attention_heads < 1 || c.hidden_size % c.num_attention_heads != 0)
    read.fail(
        "hidden_size = " + std::to_string(c.hidden_size) +
        " must be a multiple of num_attention_heads = " + std::to_string(c.num_attention_heads));
  if (c.patch_size[0] < 1 || c.patch_size[1] < 1)
    read.fail("patch_size must be positive, got " + c.patch_size.str());
  return c;
}

void ViTModel::init_weights(nn::Module& module, const WeightInitializer& init) {
  init(module);
  if (auto* embeddings = module.as<ViTEmbeddings>()) {
    init.trunc_normal_(embeddings->position_embeddings);
    init.trunc_normal_(embeddings->cls_token);
  }
}

WeightLayout ViTModel::weight_layout(const ViTConfig&) {
  return {.base_model_prefix = "vit",
          .renamings = {{"encoder.layer.", "layers."},
                        {"attention.query", "q_proj"},
                        {"attention.key", "k_proj"},
                        {"attention.value", "v_proj"},
                        {"attention.output.dense", "attention.o_proj"},
                        {"intermediate.dense", "mlp.fc1"},
                        {"output.dense", "mlp.fc2"}}};
}

ViTModel ViTModel::from_pretrained(const std::string& folder,
                                   const FromPretrainedOptions& options) {
  return huggingface::load_pretrained<ViTModel>(folder, options);
}

ViTForImageClassification ViTForImageClassification::from_pretrained(
    const std::string& folder, const FromPretrainedOptions& options) {
  return huggingface::load_pretrained<ViTForImageClassification>(folder, options);
}

}  // namespace vit_hf
