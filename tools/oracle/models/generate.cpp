// Family generate: tokens from GPT-2 and Llama.
#include <set>

#include "cases/outcome.h"
#include "generation/processors.h"
#include "models/families.h"
#include "models/hf_classes.h"
#include "models/results.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

using generation::GenerateReport;
using generation::GenerationConfig;

HfModel generator_of(Case& c) {
  return load_hf_model(c.text("class"), c.file().folder + c.text("folder"), {.dtype = float32});
}

Tensor tensor_field(Case& c, const char* name) {
  const Json* reference = c.find(name);
  return reference ? c.tensor(reference->at("t").get<std::string>()) : Tensor();
}

/// Returns the mask of the prompts; ones if the case has none.
Tensor prompt_mask(Case& c, const Tensor& input_ids) {
  const Tensor mask = tensor_field(c, "attention_mask");
  return mask.defined() ? mask : ones_like(input_ids);
}

/// Returns the arguments of generate. Throws MalformedCase for an unknown one.
Value arguments_of(Case& c) {
  static const std::set<std::string> known = {"max_new_tokens",
                                              "max_length",
                                              "min_new_tokens",
                                              "min_length",
                                              "do_sample",
                                              "temperature",
                                              "top_k",
                                              "top_p",
                                              "min_p",
                                              "repetition_penalty",
                                              "no_repeat_ngram_size",
                                              "num_beams",
                                              "length_penalty",
                                              "early_stopping",
                                              "num_return_sequences",
                                              "use_cache",
                                              "pad_token_id",
                                              "eos_token_id",
                                              "prompt_length"};
  const Json& args = c.at("args");
  for (const auto& [name, value] : args.items())
    if (!known.contains(name)) throw MalformedCase("unknown argument '" + name + "'");
  return plain_value(args);
}

Tensor new_tokens(const Tensor& sequences, const Tensor& input_ids) {
  return sequences.slice(1, input_ids.size(1), {});
}

Value run_greedy(Case& c) {
  const HfModel model = generator_of(c);
  const Tensor ids = tensor_field(c, "input_ids"), mask = prompt_mask(c, ids);
  GenerationConfig options = GenerationConfig::from_value(arguments_of(c));
  const auto run = [&](bool use_cache) {
    options.use_cache = use_cache;
    return new_tokens(model.generate(ids, options, mask, nullptr), ids).tolist();
  };
  return Value::dict({{"with_cache", run(true)}, {"without_cache", run(false)}});
}

Value run_sample(Case& c) {
  const HfModel model = generator_of(c);
  const Tensor ids = tensor_field(c, "input_ids"), mask = prompt_mask(c, ids);
  GenerationConfig options = GenerationConfig::from_value(arguments_of(c));
  GenerateReport report;
  manual_seed(seed_of(c.at("seed")));
  const Tensor tokens = new_tokens(model.generate(ids, options, mask, &report), ids);
  const Tensor next = rand({2});
  const Tensor probs = stack(report.scores).softmax(-1);
  options.set_defaults(model.generation_config);
  const Tensor ends = tensor(static_cast<const std::vector<std::int64_t>&>(
      options.eos_token_id.value_or(generation::TokenIds())));
  Tensor has_ended = zeros({tokens.size(0)}, {.dtype = DType::bool_});
  for (std::int64_t t = 0; t < tokens.size(1); ++t) {
    probs[t].masked_fill_(has_ended.unsqueeze(1), 0);
    has_ended = has_ended.logical_or(isin(tokens.select(1, t), ends));
  }
  return Value::dict({{"tokens", tokens.tolist()},
                      {"probs", probs},
                      {"kept", probs.gt(0).sum({-1}).tolist()},
                      {"next", next}});
}

Value run_process(Case& c) {
  const Tensor ids = tensor_field(c, "input_ids");
  const Value args = arguments_of(c);
  GenerationConfig options = GenerationConfig::from_value(args);
  options.do_sample = true;
  if (!options.top_k) options.top_k = 0;
  const Value* prompt = args.find("prompt_length");
  const auto process = generation::LogitsProcessorList::from_config(
      options, prompt ? prompt->as_int() : ids.size(1), tensor_field(c, "attention_mask"));
  return Value::dict({{"scores", process(ids, tensor_field(c, "scores"))}});
}

Value run_beam(Case& c) {
  const HfModel model = generator_of(c);
  const Tensor ids = tensor_field(c, "input_ids"), mask = prompt_mask(c, ids);
  GenerateReport report;
  const Tensor sequences =
      model.generate(ids, GenerationConfig::from_value(arguments_of(c)), mask, &report);
  return Value::dict(
      {{"tokens", new_tokens(sequences, ids).tolist()}, {"scores", report.sequences_scores}});
}

}  // namespace

void run_generate(Case& c) {
  static const ModelKinds kinds = {
      {"greedy", run_greedy}, {"sample", run_sample}, {"process", run_process}, {"beam", run_beam}};
  run_model_kind(c, kinds);
}

}  // namespace taper::oracle
