// Base of the models with a language modeling head.
#pragma once
#include <string>

#include "generation/generate.h"
#include "huggingface/pretrained_model.h"

namespace generation {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdefaulted-function-deleted"
#endif
/// A decoder with a language modeling head, which continues prompts.
template <class Name, class Base> class CausalLM : public huggingface::ModelWithHead<Name, Base> {
 public:
  GenerationConfig generation_config;  ///< defaults of `generate`

  CausalLM() = default;
  explicit CausalLM(const typename Base::Config& c)
      : huggingface::ModelWithHead<Name, Base>(c),
        generation_config(GenerationConfig::from_model_config(c)) {}
  explicit CausalLM(CausalLM&) = default;
  CausalLM(CausalLM&&) noexcept = default;
  CausalLM& operator=(CausalLM&&) noexcept = default;

  /// Continues the prompts; see generation::generate.
  taper::Tensor generate(const taper::Tensor& input_ids, const GenerationConfig& options = {},
                         const taper::Tensor& attention_mask = {},
                         GenerateReport* report = nullptr) const {
    return generation::generate(
        [this](const taper::Tensor& ids, const huggingface::ModelInputs& inputs) {
          return (*this)(ids, inputs).logits;
        },
        generation_config, input_ids, options, attention_mask, report);
  }
  /// As PreTrainedModel::from_pretrained; also reads generation_config.json.
  static Name from_pretrained(const std::string& folder,
                              const huggingface::FromPretrainedOptions& options = {}) {
    Name model = huggingface::load_pretrained<Name>(folder, options);
    model.generation_config = GenerationConfig::from_pretrained(folder, model.config);
    return model;
  }
  /// As PreTrainedModel::save_pretrained; also writes generation_config.json.
  void save_pretrained(const std::string& folder,
                       const huggingface::SavePretrainedOptions& options = {}) const {
    huggingface::ModelWithHead<Name, Base>::save_pretrained(folder, options);
    generation_config.save_pretrained(folder);
  }
};
#pragma GCC diagnostic pop

}  // namespace generation
