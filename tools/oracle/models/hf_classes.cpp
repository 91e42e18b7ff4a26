#include "models/hf_classes.h"

#include "bert/heads.h"
#include "cases/outcome.h"
#include "gpt2/gpt2.h"
#include "llama/llama.h"
#include "vit_hf/vit.h"

namespace taper::oracle {
namespace {

using huggingface::DynamicCache;
using huggingface::FromPretrainedOptions;
using huggingface::ModelOutput;

/// Moves the inputs into the fields of the same name. Throws MalformedCase for an unknown one.
void assign_inputs(const NamedInputs& inputs, const std::map<std::string, Tensor*>& fields) {
  for (const auto& [name, tensor] : inputs) {
    const auto found = fields.find(name);
    if (found == fields.end()) throw MalformedCase("unknown input '" + name + "'");
    *found->second = tensor;
  }
}

template <class M> ModelOutput run_text(const M& model, const NamedInputs& inputs,
                                        bool output_hidden_states, DynamicCache* cache) {
  Tensor input_ids;
  huggingface::ModelInputs rest;
  assign_inputs(inputs, {{"input_ids", &input_ids},
                         {"attention_mask", &rest.attention_mask},
                         {"token_type_ids", &rest.token_type_ids},
                         {"position_ids", &rest.position_ids},
                         {"inputs_embeds", &rest.inputs_embeds},
                         {"labels", &rest.labels}});
  rest.output_hidden_states = output_hidden_states;
  rest.past_key_values = cache;
  return model(input_ids, rest);
}

template <class M> ModelOutput run_images(const M& model, const NamedInputs& inputs, bool hidden) {
  Tensor pixel_values;
  huggingface::ModelInputs rest;
  assign_inputs(inputs, {{"pixel_values", &pixel_values}, {"labels", &rest.labels}});
  rest.output_hidden_states = hidden;
  return model(pixel_values, rest);
}

template <class M> HfModel wrap(M&& loaded) {
  const auto model = std::make_shared<M>(std::move(loaded));
  HfModel wrapped{model, [model](const NamedInputs& inputs, bool hidden, DynamicCache* cache) {
                    if constexpr (std::is_same_v<typename M::Config, vit_hf::ViTConfig>)
                      return run_images(*model, inputs, hidden);
                    else
                      return run_text(*model, inputs, hidden, cache);
                  }};
  if constexpr (requires { model->generation_config; }) {
    wrapped.generation_config = model->generation_config;
    wrapped.generate = [model](const Tensor& ids, const generation::GenerationConfig& options,
                               const Tensor& mask, generation::GenerateReport* report) {
      return model->generate(ids, options, mask, report);
    };
  }
  return wrapped;
}

struct HfClass {
  HfModel (*load)(const std::string& folder, const FromPretrainedOptions& options);
  HfModel (*construct)(const Value& config);
};

template <class M> constexpr HfClass hf_class() {
  return {[](const std::string& folder, const FromPretrainedOptions& options) {
            return wrap(M::from_pretrained(folder, options));
          },
          [](const Value& config) { return wrap(M(M::Config::from_value(config))); }};
}

const HfClass& find_class(const std::string& name) {
  static const std::map<std::string, HfClass> classes = {
      {"GPT2Model", hf_class<gpt2::GPT2Model>()},
      {"GPT2LMHeadModel", hf_class<gpt2::GPT2LMHeadModel>()},
      {"LlamaModel", hf_class<llama::LlamaModel>()},
      {"LlamaForCausalLM", hf_class<llama::LlamaForCausalLM>()},
      {"BertModel", hf_class<bert::BertModel>()},
      {"BertForMaskedLM", hf_class<bert::BertForMaskedLM>()},
      {"BertForSequenceClassification", hf_class<bert::BertForSequenceClassification>()},
      {"BertForTokenClassification", hf_class<bert::BertForTokenClassification>()},
      {"ViTModel", hf_class<vit_hf::ViTModel>()},
      {"ViTForImageClassification", hf_class<vit_hf::ViTForImageClassification>()},
  };
  const auto found = classes.find(name);
  if (found == classes.end()) throw Unsupported("class " + name);
  return found->second;
}

}  // namespace

HfModel load_hf_model(const std::string& class_name, const std::string& folder,
                      const FromPretrainedOptions& options) {
  return find_class(class_name).load(folder, options);
}

HfModel construct_hf_model(const std::string& class_name, const Value& config) {
  return find_class(class_name).construct(config);
}

}  // namespace taper::oracle
