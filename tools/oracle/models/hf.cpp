// Family hf: models of Hugging Face's transformers, from folders and from seeds.
#include <algorithm>

#include "models/families.h"
#include "models/hf_classes.h"
#include "models/model_state.h"
#include "models/results.h"
#include "models/statistics.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/utils/clip_grad.h"
#include "training/fields.h"
#include "training/model.h"
#include "training/optimizers.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

using huggingface::ModelOutput;

HfModel load_model_of(Case& c, const huggingface::FromPretrainedOptions& options) {
  return load_hf_model(c.text("class"), c.file().folder + c.text("folder"), options);
}
HfModel load_model_of(Case& c) { return load_model_of(c, {.dtype = float32}); }

NamedInputs inputs_of(Case& c) {
  NamedInputs inputs;
  for (const auto& [name, reference] : c.at("inputs").items())
    inputs[name] = c.tensor(reference.at("t").get<std::string>());
  return inputs;
}

Tensor mask_of(const NamedInputs& inputs) {
  const auto found = inputs.find("attention_mask");
  return found == inputs.end() ? Tensor() : found->second;
}

/// Sets positions with attention_mask 0 to zero: their values are arbitrary.
Tensor without_padding(const Tensor& t, const Tensor& mask) {
  if (!mask.defined() || t.dim() < 3 || t.size(0) != mask.size(0) || t.size(1) != mask.size(1))
    return t.detach();
  return t.detach().masked_fill(mask.eq(0).unsqueeze(-1), 0);
}

Value list_of(const std::vector<std::string>& texts) {
  return Value::list(Values(texts.begin(), texts.end()));
}

Value run_load(Case& c) {
  huggingface::LoadingInfo info;
  huggingface::FromPretrainedOptions options{.loading_info = &info};
  if (const std::string dtype = c.text("dtype"); dtype != "auto")
    options.dtype = dtype_named(dtype);
  const HfModel model = load_model_of(c, options);
  const auto is_missing = [&](const std::string& key) {
    return std::binary_search(info.missing_keys.begin(), info.missing_keys.end(), key);
  };
  const Value state = state_list(*model.module);
  for (const Value& row : state.as_list())
    if (is_missing(row.as_list()[0].as_string())) row.as_list()[4] = nullptr;
  std::vector<Tensor> values;
  for (const auto& [key, tensor] : state_entries(*model.module))
    values.push_back(is_missing(key) ? zeros({0}) : tensor);
  return Value::dict({{"state", state},
                      {"values", statistics(values)},
                      {"parameters", count_parameters(*model.module)},
                      {"missing", list_of(info.missing_keys)},
                      {"unexpected", list_of(info.unexpected_keys)},
                      {"repr", model.module->str()}});
}

Value run_initialize(Case& c) {
  const Value config = plain_value(c.at("config"));
  manual_seed(seed_of(c.at("seed")));
  const HfModel model = construct_hf_model(c.text("class"), config);
  return Value::dict({{"next", rand({2})},
                      {"state", state_list(*model.module)},
                      {"values", statistics(state_tensors(*model.module))},
                      {"repr", model.module->str()}});
}

Value run_forward(Case& c) {
  const HfModel model = load_model_of(c);
  const NamedInputs inputs = inputs_of(c);
  const Tensor mask = mask_of(inputs);
  const ModelOutput out = model.run(inputs, true, nullptr);
  const Value results = Value::dict();
  if (out.logits.defined()) {
    results["logits"] = without_padding(out.logits, mask);
  } else {
    results["last_hidden_state"] = without_padding(out.last_hidden_state, mask);
    if (out.pooler_output.defined()) results["pooler_output"] = out.pooler_output.detach();
  }
  Values hidden_states;
  for (const Tensor& h : out.hidden_states) hidden_states.push_back(without_padding(h, mask));
  results["hidden_states"] = Value::list(std::move(hidden_states));
  if (!inputs.contains("labels")) return results;
  results["loss"] = out.loss.item<double>();
  out.loss.backward();
  results["parameter_names"] = parameter_names(*model.module);
  results["grads"] = gradient_statistics(model.module->parameters());
  return results;
}

/// The tokens in pieces, each with the cache of the preceding ones.
Value run_cached(Case& c) {
  const HfModel model = load_model_of(c);
  const NamedInputs inputs = inputs_of(c);
  const NoGrad guard;
  huggingface::DynamicCache cache;
  std::vector<Tensor> logits;
  std::int64_t at = 0;
  for (const Json& piece : c.at("pieces")) {
    const auto count = piece.get<std::int64_t>();
    NamedInputs part;
    for (const auto& [name, tensor] : inputs)
      part[name] =
          name == "attention_mask" ? tensor.narrow(1, 0, at + count) : tensor.narrow(1, at, count);
    logits.push_back(model.run(part, false, &cache).logits);
    at += count;
  }
  return Value::dict({{"logits", without_padding(cat(logits, 1), mask_of(inputs))}});
}

Value run_train(Case& c) {
  const HfModel model = load_model_of(c);
  model.module->train();
  const NamedInputs inputs = inputs_of(c);
  manual_seed(seed_of(c.at("seed")));
  const ModelOutput out = model.run(inputs, false, nullptr);
  const Value results = Value::dict({{"next", rand({2})},
                                     {"loss", out.loss.item<double>()},
                                     {"logits", without_padding(out.logits, mask_of(inputs))},
                                     {"parameter_names", parameter_names(*model.module)}});
  out.loss.backward();
  results["grads"] = gradient_statistics(model.module->parameters());
  return results;
}

Value run_finetune(Case& c) {
  const HfModel model = load_model_of(c);
  const NamedInputs inputs = inputs_of(c);
  const std::vector<Tensor> parameters = model.module->parameters();
  Fields optimizer_fields(c.at("optimizer"));
  const auto optimizer = make_optimizer(optimizer_fields.text("name"), parameters,
                                        options_of(optimizer_fields.at("args")));
  optimizer_fields.done();
  const Json* max_norm = c.find("clip_grad_norm");
  Values losses;
  for (std::int64_t i = 0; i < c.integer("steps"); ++i) {
    optimizer->zero_grad();
    const ModelOutput out = model.run(inputs, false, nullptr);
    out.loss.backward();
    if (max_norm) nn::utils::clip_grad_norm_(parameters, max_norm->get<double>());
    optimizer->step();
    losses.push_back(out.loss.item<double>());
  }
  const NoGrad guard;
  return Value::dict(
      {{"losses", Value::list(losses)},
       {"logits", without_padding(model.run(inputs, false, nullptr).logits, mask_of(inputs))},
       {"parameter_names", parameter_names(*model.module)},
       {"after", statistics(parameters)}});
}

}  // namespace

void run_hf(Case& c) {
  static const ModelKinds kinds = {{"load", run_load},       {"init", run_initialize},
                                   {"forward", run_forward}, {"cached", run_cached},
                                   {"train", run_train},     {"finetune", run_finetune}};
  run_model_kind(c, kinds);
}

}  // namespace taper::oracle
