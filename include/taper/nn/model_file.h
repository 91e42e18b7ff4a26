// The state of a module in a safetensors file.
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

struct SaveModelOptions {
  std::optional<std::map<std::string, std::string>> metadata{};
  /// Tensors that are not contiguous are saved as copies that are. False: ValueError.
  bool force_contiguous = true;
};
/// Writes the state dict of `model` as a safetensors file. Of tensors that share memory, as tied
/// weights do, the first by name that covers the whole of it is kept; the metadata says
/// `dropped -> kept` for the others. Versions of layers (`_metadata`) are not stored. PyTorch:
/// safetensors.torch.save_model.
///
/// Throws RuntimeError where none covers the memory that they share, and what `save` throws.
void save_model(const Module& model, const std::string& path, const SaveModelOptions& options = {});

struct LoadModelOptions {
  /// RuntimeError, listing them, for names that are missing or unexpected.
  bool strict = true;
  /// Where the file is read to.
  Device device{};
};
/// What load_model found.
struct LoadedModel {
  std::vector<std::string> missing;     ///< names of the model that were not loaded, sorted
  std::vector<std::string> unexpected;  ///< names of the file that were not used
};
/// Loads what save_model wrote. Names that the file lacks because the model ties them to others
/// that it has are not missing. PyTorch: safetensors.torch.load_model.
///
/// Throws IoError, and RuntimeError as load_state_dict does.
LoadedModel load_model(Module& model, const std::string& path,
                       const LoadModelOptions& options = {});

}  // namespace nn
}  // namespace taper
