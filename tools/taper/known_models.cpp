#include "known_models.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "bert/bert.h"
#include "gpt2/gpt2.h"
#include "lenet/lenet.h"
#include "llama/llama.h"
#include "lstm_tagger/lstm_tagger.h"
#include "taper/nn/registry.h"
#include "transformer/seq2seq.h"
#include "unet/unet.h"
#include "vision/registry.h"

namespace taper::cli {

namespace nn = taper::nn;

// For whole modules in files.
TAPER_REGISTER(lenet::LeNet)

namespace {

std::shared_ptr<nn::Module> make_lenet(const nn::Arguments& a) {
  return std::make_shared<lenet::LeNet>(a.integer("num_classes"));
}

std::shared_ptr<nn::Module> make_unet(const nn::Arguments& a) {
  return std::make_shared<unet::UNet>(a.integer("n_channels"), a.integer("n_classes"),
                                      unet::UNetOptions{.bilinear = a.flag("bilinear")});
}

std::shared_ptr<nn::Module> make_lstm_tagger(const nn::Arguments& a) {
  return std::make_shared<lstm_tagger::LSTMTagger>(a.integer("embedding_dim"),
                                                   a.integer("hidden_dim"), a.integer("vocab_size"),
                                                   a.integer("tagset_size"));
}

std::shared_ptr<nn::Module> make_seq2seq(const nn::Arguments& a) {
  nn::TransformerOptions o;
  o.d_model = a.integer("d_model");
  o.nhead = a.integer("nhead");
  o.num_encoder_layers = a.integer("num_encoder_layers");
  o.num_decoder_layers = a.integer("num_decoder_layers");
  o.dim_feedforward = a.integer("dim_feedforward");
  o.dropout = a.number("dropout");
  o.activation = a.string("activation");
  o.norm_first = a.flag("norm_first");
  return std::make_shared<transformer::Seq2Seq>(a.integer("vocab"), a.integer("max_length"), o);
}

std::shared_ptr<nn::Module> make_gpt2(const nn::Arguments& a) {
  gpt2::GPT2Config c;
  c.vocab_size = a.integer("vocab_size"), c.n_positions = a.integer("n_positions");
  c.n_embd = a.integer("n_embd"), c.n_layer = a.integer("n_layer"), c.n_head = a.integer("n_head");
  return std::make_shared<gpt2::GPT2LMHeadModel>(gpt2::GPT2Config::from_value(c.to_value()));
}

std::shared_ptr<nn::Module> make_llama(const nn::Arguments& a) {
  llama::LlamaConfig c;
  c.vocab_size = a.integer("vocab_size"), c.hidden_size = a.integer("hidden_size");
  c.intermediate_size = a.integer("intermediate_size");
  c.num_hidden_layers = a.integer("num_hidden_layers");
  c.num_attention_heads = a.integer("num_attention_heads");
  c.num_key_value_heads = a.integer("num_key_value_heads");
  c.tie_word_embeddings = a.flag("tie_word_embeddings");
  return std::make_shared<llama::LlamaForCausalLM>(llama::LlamaConfig::from_value(c.to_value()));
}

std::shared_ptr<nn::Module> make_bert(const nn::Arguments& a) {
  bert::BertConfig c;
  c.vocab_size = a.integer("vocab_size"), c.hidden_size = a.integer("hidden_size");
  c.num_hidden_layers = a.integer("num_hidden_layers");
  c.num_attention_heads = a.integer("num_attention_heads");
  c.intermediate_size = a.integer("intermediate_size");
  return std::make_shared<bert::BertModel>(bert::BertConfig::from_value(c.to_value()));
}

/// Prefixes of the names of image classifiers, with the height and width of their usual input.
struct UsualSize {
  std::string_view prefix;
  std::int64_t size;
};
constexpr std::array kImageSizes = {UsualSize{"resne", 224},
                                    UsualSize{"wide_resnet", 224},
                                    UsualSize{"vgg", 224},
                                    UsualSize{"densenet", 224},
                                    UsualSize{"mobilenet_", 224},
                                    UsualSize{"efficientnet_b0", 224},
                                    UsualSize{"efficientnet_b1", 240},
                                    UsualSize{"efficientnet_b2", 288},
                                    UsualSize{"convnext_", 224},
                                    UsualSize{"vit_", 224}};

}  // namespace

void register_known_models() {
  vision::register_models();
  static const nn::FunctionRegistration lenet_registration("lenet", "num_classes=10", make_lenet);
  static const nn::FunctionRegistration unet_registration(
      "unet", "n_channels=3, n_classes=2, bilinear=False", make_unet);
  static const nn::FunctionRegistration tagger_registration(
      "lstm_tagger", "embedding_dim=6, hidden_dim=6, vocab_size=9, tagset_size=3",
      make_lstm_tagger);
  static const nn::FunctionRegistration seq2seq_registration(
      "seq2seq",
      "vocab=1000, max_length=512, d_model=512, nhead=8, num_encoder_layers=6, "
      "num_decoder_layers=6, dim_feedforward=2048, dropout=0.1, activation='relu', "
      "norm_first=False",
      make_seq2seq);
  static const nn::FunctionRegistration gpt2_registration(
      "gpt2", "vocab_size=50257, n_positions=1024, n_embd=768, n_layer=12, n_head=12", make_gpt2);
  // The defaults of Hugging Face have 7 billion parameters; these are of a model that fits
  // anywhere.
  static const nn::FunctionRegistration llama_registration(
      "llama",
      "vocab_size=32000, hidden_size=512, intermediate_size=1376, num_hidden_layers=8, "
      "num_attention_heads=8, num_key_value_heads=8, tie_word_embeddings=False",
      make_llama);
  static const nn::FunctionRegistration bert_registration(
      "bert",
      "vocab_size=30522, hidden_size=768, num_hidden_layers=12, num_attention_heads=12, "
      "intermediate_size=3072",
      make_bert);
}

std::optional<taper::Shape> usual_input(const std::string& name) {
  if (name == "lenet") return taper::Shape{1, 1, 28, 28};
  if (name == "unet") return taper::Shape{1, 3, 256, 256};
  const auto* const found =
      std::find_if(kImageSizes.begin(), kImageSizes.end(),
                   [&](const UsualSize& known) { return name.starts_with(known.prefix); });
  if (found == kImageSizes.end()) return std::nullopt;
  return taper::Shape{1, 3, found->size, found->size};
}

}  // namespace taper::cli
