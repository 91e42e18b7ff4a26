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
/// Reads what torch.save wrote, the zip file of PyTorch 1.6 and later or the older format; a
/// `.safetensors` file; or the `.safetensors.index.json` of several, whose names must be those of
/// files beside it. Which one it is, is told from the contents, not the name. PyTorch: torch.load.
///
/// Nothing in a file is executed: a pickle is data. It may call what
/// torch.load(weights_only=True) allows. Objects of other classes, whole modules among them, become
/// opaque values that keep the name, arguments and state; so do NumPy arrays, dates, paths and
/// tensors of layouts and dtypes that are not known here. A call of any other function is refused.
/// A storage that was saved by itself comes back as a tensor of one dimension.
///
/// Throws IoError, naming the file, where in it and what is wrong with it.
Value load(const std::string& path, const LoadOptions& options = {});

/// Reads a `.safetensors` file as a dict of name -> tensor, in the order of the data. The strings
/// that the file says of itself are the dict's attribute `__metadata__`, a dict; there is none if
/// the file has none. PyTorch: safetensors.torch.load_file.
Value load_safetensors(const std::string& path, const LoadOptions& options = {});

}  // namespace taper
