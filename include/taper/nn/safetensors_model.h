// save_model and load_model: module state in safetensors files.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/device.h"
#include "taper/nn/module.h"

namespace TAPER_API taper {
namespace nn {

/// Options of save_model.
struct SaveModelOptions {
  /// Metadata of the file.
  std::optional<std::map<std::string, std::string>> metadata{};
  /// Saves non-contiguous tensors as contiguous copies. If false, a non-contiguous tensor causes
  /// ValueError.
  bool force_contiguous = true;
};
/// Writes the state dict of `model` to a safetensors file. Of tensors that share memory, such as
/// tied weights, only the first by name that covers the entire storage is written; the metadata
/// stores `dropped -> kept` for the others. Versions of layers (`_metadata`) are not stored.
/// PyTorch: safetensors.torch.save_model.
///
/// Throws RuntimeError if none of the tensors that share memory covers the entire storage, and the
/// errors of `save`.
void save_model(const Module& model, const std::string& path, const SaveModelOptions& options = {});

/// Options of load_model.
struct LoadModelOptions {
  /// If true, missing or unexpected names throw RuntimeError, which lists them.
  bool strict = true;
  /// Device to which the tensors are loaded before they are copied.
  Device device{};
};
/// Result of load_model.
struct LoadedModel {
  std::vector<std::string> missing;     ///< names of the model that were not loaded, sorted
  std::vector<std::string> unexpected;  ///< names of the file that were not used
};
/// Loads a file written by save_model. Names that are absent from the file because the model ties
/// them to a name in the file are not missing. PyTorch: safetensors.torch.load_model.
///
/// Throws IoError if the file is not readable, and RuntimeError for the errors of
/// Module::load_state_dict.
LoadedModel load_model(Module& model, const std::string& path,
                       const LoadModelOptions& options = {});

}  // namespace nn
}  // namespace taper
