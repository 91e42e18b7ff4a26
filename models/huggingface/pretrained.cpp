#include "huggingface/pretrained.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "huggingface/json.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"
#include "taper/io/load.h"

namespace huggingface {

using namespace taper;

namespace {

using Keys = std::vector<std::string>;

Value read_weights(const std::string& folder) {
  // Hugging Face prefers the single file.
  const std::string single = folder + "/model.safetensors", index = single + ".index.json";
  const bool has_single = std::filesystem::is_regular_file(single);
  const Value weights = load(has_single                                ? single
                             : std::filesystem::is_regular_file(index) ? index
                                                                       : folder);
  if (!weights.is_dict()) throw IoError(folder + ": the checkpoint is not a dict of tensors");
  return weights;
}

/// Returns the key of the model for a key of the file.
std::string renamed_key(std::string key, const CheckpointKeyMapping& mapping, const Dict& model) {
  for (const auto& [former, present] : mapping.renamings)
    if (const std::size_t at = key.find(former); at != std::string::npos)
      key.replace(at, former.size(), present);
  const std::string prefix = mapping.base_model_prefix + ".";
  if (key.starts_with(prefix) && model.find(key.substr(prefix.size())))
    return key.substr(prefix.size());
  return model.find(prefix + key) ? prefix + key : key;
}

std::string first_of(const Keys& keys) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(keys.size(), kShown); ++i) text += (i ? ", " : "") + keys[i];
  return keys.size() > kShown ? text + " and " + std::to_string(keys.size() - kShown) + " more"
                              : text;
}

class WeightLoader {
 public:
  WeightLoader(nn::Module& model, const std::string& folder, const CheckpointKeyMapping& mapping)
      : model_(model), folder_(folder), mapping_(mapping), target_(model.state_dict()) {}

  LoadingInfo run(const PretrainedConfig& config, const FromPretrainedOptions& options,
                  void (*init_weights)(nn::Module&, const WeightInitializer&)) {
    match(read_weights(folder_), config, options);
    resolve_ties(config.tie_word_embeddings);
    Keys missing;
    const NoGrad guard;
    for (const auto& [name, value] : target_.as_dict()) {
      const Tensor& wanted = value.as_tensor();
      if (found_.as_dict().find(name)) continue;
      missing.push_back(name.as_string());
      const DType dtype = wanted.is_floating_point() ? dtype_.value_or(float32) : wanted.dtype();
      found_.as_dict().set(name, zeros(wanted.shape(), {.dtype = dtype, .device = Device::cpu()}));
    }
    model_.load_state_dict(found_, {.assign = true});
    for (const auto& [tied, stored] : ties_)
      model_.get_parameter(tied) = model_.get_parameter(stored);
    initialize(missing, config.initializer_range, init_weights);
    for (const auto& [tied, stored] : ties_) std::erase(missing, tied);
    std::sort(missing.begin(), missing.end());
    return {missing, Keys(unexpected_.begin(), unexpected_.end())};
  }

 private:
  /// Collects the tensors of the file that the model has, in the dtype of the model.
  void match(const Value& weights, const PretrainedConfig& config,
             const FromPretrainedOptions& options) {
    dtype_ = options.dtype ? options.dtype : config.dtype;
    std::string mismatched;
    for (const auto& [key, value] : weights.as_dict()) {
      if (!key.is_string() || !value.is_tensor())
        throw IoError(folder_ + ": the checkpoint is not a dict of tensors");
      Tensor stored = value.as_tensor();
      const std::string name = renamed_key(key.as_string(), mapping_, target_.as_dict());
      const Value* wanted = target_.as_dict().find(name);
      if (!wanted) {
        if (!mapping_.is_ignored(name)) unexpected_.insert(name);
        continue;
      }
      if (const Shape& shape = wanted->as_tensor().shape(); stored.shape() != shape) {
        if (!options.ignore_mismatched_sizes)
          mismatched +=
              "\n  " + name + ": got " + stored.shape().str() + ", expected " + shape.str();
        continue;
      }
      if (stored.is_floating_point()) {
        if (!dtype_) dtype_ = stored.dtype();
        stored = stored.to(*dtype_);
      }
      found_.as_dict().set(name, stored);
    }
    if (!mismatched.empty())
      throw RuntimeError(folder_ +
                         ": sizes of stored weights do not match the configuration:" + mismatched);
  }

  /// Selects the parameters to tie. Those that are stored with different values are not tied.
  void resolve_ties(bool enabled) {
    if (!enabled) return;
    Dict& found = found_.as_dict();
    for (const auto& [tied, stored] : mapping_.tied) {
      const Value *a = found.find(tied), *b = found.find(stored);
      if (a && b && !equal(a->as_tensor(), b->as_tensor())) {
        warn(folder_ + ": " + tied + " and " + stored +
             " are stored with different values and are not tied");
        continue;
      }
      if (a && !b) found.set(stored, *a);
      if (b && !a) found.set(tied, *b);
      ties_.emplace_back(tied, stored);
    }
  }

  void initialize(const Keys& missing, double std,
                  void (*init_weights)(nn::Module&, const WeightInitializer&)) {
    if (missing.empty()) return;
    std::vector<Tensor> selected;
    for (const std::string& name : missing) selected.push_back(model_.get_parameter(name));
    const WeightInitializer init(std, std::move(selected));
    model_.apply([&](nn::Module& module) { init_weights(module, init); });
  }

  nn::Module& model_;
  const std::string& folder_;
  const CheckpointKeyMapping& mapping_;
  Value target_, found_ = Value::dict();
  std::optional<DType> dtype_{};
  std::set<std::string> unexpected_{};
  std::vector<std::pair<std::string, std::string>> ties_{};
};

}  // namespace

void load_weights(nn::Module& model, const std::string& folder, const CheckpointKeyMapping& mapping,
                  const PretrainedConfig& config, const FromPretrainedOptions& options,
                  void (*init_weights)(nn::Module&, const WeightInitializer&)) {
  const LoadingInfo info = WeightLoader(model, folder, mapping).run(config, options, init_weights);
  model.eval();
  if (options.loading_info) {
    *options.loading_info = info;
    return;
  }
  if (!info.missing_keys.empty())
    warn(folder +
         ": weights that are not stored are newly initialized: " + first_of(info.missing_keys));
  if (!info.unexpected_keys.empty())
    warn(folder +
         ": stored weights that the model does not use: " + first_of(info.unexpected_keys));
}

void save_weights(const nn::Module& model, const std::string& folder,
                  const CheckpointKeyMapping& mapping, const Value& config,
                  const SavePretrainedOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError(folder + ": cannot be created: " + error.message());
  const Value state = model.state_dict();
  for (const auto& [tied, stored] : mapping.tied)
    if (model.get_parameter(tied).is_same(model.get_parameter(stored))) state.as_dict().erase(tied);
  save(state, folder + "/model.safetensors",
       {.format = FileFormat::safetensors,
        .metadata = {{{"format", "pt"}}},
        .max_shard_size = options.max_shard_size});
  write_json(folder + "/config.json", config);
}

}  // namespace huggingface
