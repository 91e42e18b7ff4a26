// from_pretrained and save_pretrained: folders of configuration and weights, as of Hugging Face.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "huggingface/config.h"
#include "huggingface/initializer.h"
#include "taper/core/device.h"
#include "taper/io/save.h"
#include "taper/nn/module.h"

namespace huggingface {

/// Keys that did not match when weights were loaded, sorted.
struct LoadingInfo {
  std::vector<std::string>
      missing_keys;  ///< keys that the file lacks; their tensors are initialized
  std::vector<std::string> unexpected_keys;  ///< keys of the file, after renaming, that are ignored
};

/// Options of from_pretrained.
struct FromPretrainedOptions {
  /// Dtype of the weights. Default: that of the configuration, or of the stored weights if the
  /// configuration does not have one ("auto" in Python).
  std::optional<taper::DType> dtype{};
  /// Receives the keys that did not match. Without it, they are reported by a warning.
  LoadingInfo* loading_info = nullptr;
  /// If true, a stored tensor with another shape than that of the model is ignored, and its key is
  /// missing. If false, it is an error.
  bool ignore_mismatched_sizes = false;
};

/// Options of save_pretrained.
struct SavePretrainedOptions {
  /// Maximum size of one file of weights; larger models are written to shards with an index.
  taper::ByteCount max_shard_size = "50GB";
};

/// Mapping between the keys of a model class and those of its files.
struct CheckpointKeyMapping {
  /// Name of the body in models with a head: it is added to, or removed from, the keys of a file
  /// that belongs to another class of the same family.
  std::string base_model_prefix{};
  /// Renamings of keys as (old, new) substrings, applied in order to the first occurrence.
  std::vector<std::pair<std::string, std::string>> renamings{};
  /// Parameters that are stored once, as (tied key, stored key).
  std::vector<std::pair<std::string, std::string>> tied{};
  /// Returns true for a key that models ignore without a report.
  bool (*is_ignored)(std::string_view key) = [](std::string_view) { return false; };
};

/// Loads the weights of a model that was constructed on meta. `init_weights` draws those that the
/// file lacks. The model is then in evaluation mode. Throws taper::IoError if there is no file or
/// it cannot be read, taper::RuntimeError for tensors of other shapes, which it lists.
void load_weights(taper::nn::Module& model, const std::string& folder,
                  const CheckpointKeyMapping& mapping, const PretrainedConfig& config,
                  const FromPretrainedOptions& options,
                  void (*init_weights)(taper::nn::Module& module, const WeightInitializer& init));

/// Writes config.json and the weights to a folder, which is created. Tied weights are written once.
/// Throws taper::IoError if writing fails.
void save_weights(const taper::nn::Module& model, const std::string& folder,
                  const CheckpointKeyMapping& mapping, const taper::Value& config,
                  const SavePretrainedOptions& options);

/// Sets the default device to meta for the duration of a scope.
class MetaDeviceGuard {
 public:
  MetaDeviceGuard() : outer_(taper::get_default_device()) {
    taper::set_default_device(taper::Device::meta());
  }
  ~MetaDeviceGuard() { taper::set_default_device(outer_); }
  MetaDeviceGuard(const MetaDeviceGuard&) = delete;
  MetaDeviceGuard& operator=(const MetaDeviceGuard&) = delete;

 private:
  taper::Device outer_;
};

/// Constructs a model of class M from the folder's configuration and loads its weights. M has a
/// constructor from its `Config`, and the static functions `checkpoint_key_mapping` and
/// `init_weights`.
template <class M>
M load_pretrained(const std::string& folder, const FromPretrainedOptions& options) {
  const auto config = M::Config::from_value(read_config(folder));
  std::optional<M> model;
  {
    const MetaDeviceGuard guard;
    model.emplace(config);
  }
  load_weights(*model, folder, M::checkpoint_key_mapping(config), config, options,
               &M::init_weights);
  return std::move(*model);
}

/// Writes the folder of a model that load_pretrained reads. The configuration has the dtype of the
/// first parameter.
template <class M> void save_model(const M& model, typename M::Config config,
                                   const std::string& folder,
                                   const SavePretrainedOptions& options) {
  config.dtype = model.parameters().front().dtype();
  const taper::Value value = config.to_value();
  value["architectures"] = taper::Value::list({std::string(model.type_name())});
  save_weights(model, folder, M::checkpoint_key_mapping(config), value, options);
}

}  // namespace huggingface
