// Configuration of the Vision Transformer, its initial weights, and loading of its files.
#include <algorithm>

#include "taper/core/error.h"
#include "vit_hf/vit.h"

namespace vit_hf {

using namespace taper;
using huggingface::CheckpointKeyMapping;
using huggingface::ConfigReader;
using huggingface::WeightInitializer;

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
  read(c), c.visit(read);
  read_size(read, "image_size", c.image_size);
  read_size(read, "patch_size", c.patch_size);
  read.expect_sizes({{"hidden_size", c.hidden_size},
                     {"num_attention_heads", c.num_attention_heads},
                     {"intermediate_size", c.intermediate_size},
                     {"num_channels", c.num_channels},
                     {"image_size", std::min(c.image_size[0], c.image_size[1])},
                     {"patch_size", std::min(c.patch_size[0], c.patch_size[1])}});
  read.expect_layers("num_hidden_layers", c.num_hidden_layers);
  if (c.hidden_size % c.num_attention_heads != 0)
    read.fail(
        "hidden_size = " + std::to_string(c.hidden_size) +
        " must be a multiple of num_attention_heads = " + std::to_string(c.num_attention_heads));
  return c;
}

Value ViTConfig::to_value() const {
  const Value value = huggingface::config_to_value(*this, "vit");
  const auto write_size = [&](const char* key, const Shape& size) {
    value[key] = size[0] == size[1] ? Value(size[0]) : Value::list({size[0], size[1]});
  };
  write_size("image_size", image_size);
  write_size("patch_size", patch_size);
  return value;
}

void ViTModel::init_weights(nn::Module& module, const WeightInitializer& init) {
  init(module);
  if (const auto embeddings = module.as<ViTEmbeddings>()) {
    init.trunc_normal_(embeddings->position_embeddings);
    init.trunc_normal_(embeddings->cls_token);
  }
}

CheckpointKeyMapping ViTModel::checkpoint_key_mapping(const ViTConfig&) {
  return {.base_model_prefix = "vit",
          .renamings = {{"encoder.layer.", "layers."},
                        {"attention.query", "q_proj"},
                        {"attention.key", "k_proj"},
                        {"attention.value", "v_proj"},
                        {"attention.output.dense", "attention.o_proj"},
                        {"intermediate.dense", "mlp.fc1"},
                        {"output.dense", "mlp.fc2"}}};
}

}  // namespace vit_hf
