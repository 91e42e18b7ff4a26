// Reading checkpoints.
#pragma once
#include <optional>
#include <string>

#include "taper/core/device.h"
#include "taper/core/value.h"

namespace taper {

struct LoadOptions {
  /// Where tensors go; none: where they were saved from. PyTorch: map_location.
  std::optional<Device> map_location{};
};
/// Reads a `.pt`/`.pth` zip file, as PyTorch writes since 1.6, or a `.safetensors` file; which one
/// is told from the contents, not the name. Nothing in the file is executed: a pickle is data, and
/// classes that are not of a checkpoint become opaque values. PyTorch: torch.load. Throws IoError,
/// naming the file and what is wrong with it.
Value load(const std::string& path, const LoadOptions& options = {});

/// Reads a `.safetensors` file as a dict of name -> tensor, in the order of the data.
Value load_safetensors(const std::string& path, const LoadOptions& options = {});

}  // namespace taper
