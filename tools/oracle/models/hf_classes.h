// Classes of Hugging Face's transformers, by name.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "generation/generate.h"
#include "huggingface/model.h"
#include "huggingface/pretrained.h"
#include "taper/nn/module_base.h"

namespace taper::oracle {

/// Inputs of a model by name.
using NamedInputs = std::map<std::string, Tensor>;

/// A model of a class that is known by name.
struct HfModel {
  std::shared_ptr<nn::Module> module;
  std::function<huggingface::ModelOutput(const NamedInputs& inputs, bool output_hidden_states,
                                         huggingface::DynamicCache* cache)>
      run;
  /// Empty for classes that do not generate.
  std::function<Tensor(const Tensor& input_ids, const generation::GenerationConfig& options,
                       const Tensor& attention_mask, generation::GenerateReport* report)>
      generate{};
  generation::GenerationConfig generation_config{};
};

/// Loads a model from a folder. Throws Unsupported for an unknown class.
HfModel load_hf_model(const std::string& class_name, const std::string& folder,
                      const huggingface::FromPretrainedOptions& options);
/// Constructs a model from the options of its configuration. Throws Unsupported for an unknown
/// class.
HfModel construct_hf_model(const std::string& class_name, const Value& config);

}  // namespace taper::oracle
