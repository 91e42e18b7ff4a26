// Bases of the models whose folders Hugging Face's transformers read and write.
#pragma once
#include <string>
#include <utility>

#include "huggingface/model.h"
#include "huggingface/pretrained.h"
#include "taper/nn/layer.h"

namespace huggingface {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdefaulted-function-deleted"
#endif
/// CRTP base of the model class `Name`, which has a constructor from its configuration, and the
/// static functions `checkpoint_key_mapping` and `init_weights`. Hugging Face: PreTrainedModel.
template <class Name, class ModelConfig> class PreTrainedModel : public taper::nn::Layer<Name> {
 public:
  using Config = ModelConfig;
  Config config;

  PreTrainedModel() = default;
  explicit PreTrainedModel(Config c) : config(std::move(c)) {}
  explicit PreTrainedModel(PreTrainedModel&) = default;
  PreTrainedModel(PreTrainedModel&&) noexcept = default;
  PreTrainedModel& operator=(PreTrainedModel&&) noexcept = default;

  /// Calls the model, with its hooks.
  ModelOutput operator()(const taper::Tensor& input, const ModelInputs& inputs = {}) const {
    return taper::nn::Layer<Name>::operator()(input, inputs);
  }
  /// Loads a folder that Hugging Face's save_pretrained wrote. Throws taper::IoError if a file is
  /// missing or invalid, and the errors of the configuration.
  static Name from_pretrained(const std::string& folder,
                              const FromPretrainedOptions& options = {}) {
    return load_pretrained<Name>(folder, options);
  }
  /// Writes the model to a folder, which from_pretrained of this class and of Hugging Face loads.
  /// Throws taper::IoError if writing fails.
  void save_pretrained(const std::string& folder, const SavePretrainedOptions& options = {}) const {
    save_model(static_cast<const Name&>(*this), config, folder, options);
  }
};

/// CRTP base of models that add a head to the model `Base`, whose initialization and keys they
/// have.
template <class Name, class Base> class ModelWithHead
    : public PreTrainedModel<Name, typename Base::Config> {
 public:
  using PreTrainedModel<Name, typename Base::Config>::PreTrainedModel;
  static CheckpointKeyMapping checkpoint_key_mapping(const typename Base::Config& config) {
    return Base::checkpoint_key_mapping(config);
  }
  static void init_weights(taper::nn::Module& module, const WeightInitializer& init) {
    Base::init_weights(module, init);
  }
};
#pragma GCC diagnostic pop

}  // namespace huggingface
