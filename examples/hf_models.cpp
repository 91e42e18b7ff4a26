// GPT-2, BERT and a Vision Transformer from folders that Hugging Face's transformers wrote.
// examples/python/hf_models.py prints the same output.
#include <iomanip>
#include <iostream>
#include <string>

#include <taper/taper.h>

#include "bert/heads.h"
#include "gpt2/gpt2.h"
#include "taper_paths.h"
#include "vit_hf/vit.h"

using namespace taper;

const std::string folders = TAPER_TEST_DATA "/hf_models/";

void print(const char* name, const Tensor& value) {
  std::cout << name << ' ' << std::fixed << std::setprecision(3) << value.item<double>() << '\n';
}

// GPT-2 continues prompts, of which the first is padded on the left.
void use_gpt2() {
  auto model = gpt2::GPT2LMHeadModel::from_pretrained(folders + "gpt2");
  const Tensor prompts = tensor({{0, 0, 5, 17, 3, 29}, {23, 9, 30, 4, 12, 1}});
  const Tensor mask = (prompts != 0).to(int64);
  std::cout << model.generate(prompts, {.max_new_tokens = 6, .eos_token_id = {{8, 31}}}, mask)
            << '\n';
  std::cout << model.generate(prompts, {.max_new_tokens = 6, .num_beams = 3}, mask) << '\n';

  const auto out =
      model(prompts, {.attention_mask = mask, .labels = prompts.where(mask != 0, -100)});
  out.loss.backward();
  print("loss", out.loss);
}

// A cache stores the keys and values of processed tokens.
void use_cache() {
  auto model = gpt2::GPT2LMHeadModel::from_pretrained(folders + "gpt2");
  const NoGrad no_grad;
  huggingface::DynamicCache cache;
  auto out = model(tensor({{5, 17, 3}}), {.past_key_values = &cache});
  out = model(tensor({{29}}), {.past_key_values = &cache});
  print("logit", out.logits.max());
  std::cout << cache.get_seq_length() << '\n';
}

// BERT classifies sequences of different lengths.
void use_bert() {
  auto model = bert::BertForSequenceClassification::from_pretrained(folders + "bert");
  const Tensor ids = tensor({{5, 17, 3, 29, 11, 8}, {23, 9, 30, 4, 0, 0}});
  const auto out = model(ids, {.attention_mask = ids != 0, .labels = tensor({2, 0})});
  std::cout << out.logits.argmax(1) << '\n';
  print("loss", out.loss);

  const auto body = bert::BertModel::from_pretrained(folders + "bert");
  const auto hidden = body(ids, {.output_hidden_states = true});
  std::cout << hidden.hidden_states.size() << ' ' << hidden.pooler_output.shape() << '\n';
}

// A Vision Transformer classifies images.
void use_vit() {
  auto model = vit_hf::ViTForImageClassification::from_pretrained(folders + "vit");
  const Tensor images = arange(384).to(float32).view({2, 3, 8, 8}) / 384;
  const auto out = model(images, {.labels = tensor({0, 1})});
  std::cout << out.logits.argmax(1) << '\n';
  print("loss", out.loss);
}

int main() {
  set_warning_handler({});  // the weights of the classifier, which BertModel does not use
  use_gpt2();
  use_cache();
  use_bert();
  use_vit();
}
