// Loads a Llama from a folder of Hugging Face, generates tokens, trains it, and saves it again. The
// folder is the first argument; the default one contains a model of 5,200 parameters.
// examples/python/llama.py prints the same output.
#include <cstdio>
#include <iostream>
#include <string>

#include <taper/taper.h>

#include "llama/llama.h"
#include "taper_paths.h"

using namespace taper;

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : TAPER_TEST_DATA "/hf_models/llama";
  auto model = llama::LlamaForCausalLM::from_pretrained(folder);
  std::cout << model << '\n';

  const Tensor prompts = tensor({{0, 0, 5, 17, 3, 29}, {23, 9, 30, 4, 12, 1}});  // 0 is padding
  std::cout << model.generate(prompts, {.max_new_tokens = 12}) << '\n';
  manual_seed(7);
  std::cout << model.generate(prompts, {.max_new_tokens = 12,
                                        .do_sample = true,
                                        .temperature = 1.2,
                                        .top_k = 10,
                                        .top_p = 0.9})
            << '\n';

  const Tensor text = tensor({{5, 17, 3, 29, 11, 8, 5, 17, 3, 29, 11, 8}});
  optim::AdamW opt(model.parameters(), {.lr = 0.01});
  model.train();
  for (int step = 0; step < 40; ++step) {
    opt.zero_grad();
    const Tensor loss = model(text, {.labels = text}).loss;
    loss.backward();
    opt.step();
    if (step % 10 == 9) std::printf("step %d: loss %.3f\n", step + 1, loss.item<double>());
  }
  model.eval();
  std::cout << model.generate(text[{Slice{}, Slice{.stop = 4}}], {.max_new_tokens = 8}) << '\n';

  model.save_pretrained("trained_llama");
  const auto again = llama::LlamaForCausalLM::from_pretrained("trained_llama");
  std::printf("same logits: %s\n",
              equal(again(text).logits, model(text).logits) ? "True" : "False");
}
