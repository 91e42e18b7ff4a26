// PickledModule: a module pickled by Python, as data.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/dict.h"

namespace TAPER_API taper {

/// Contents of a module written by `torch.save(module, path)`. Its class is stored as a name and
/// never imported.
struct PickledModule {
  std::string class_name{};  ///< "torch.nn.modules.conv.Conv2d"
  bool training = true;
  /// Dicts from names to tensors or None, in the order of the module.
  /// PyTorch: torch.nn.Module._parameters, torch.nn.Module._buffers.
  Value parameters{}, buffers{};
  /// Dict from names to pickled modules or None. PyTorch: torch.nn.Module._modules.
  Value modules{};
  /// Names of the buffers that are not part of the state dict, sorted.
  /// PyTorch: torch.nn.Module._non_persistent_buffers_set.
  std::vector<std::string> non_persistent;
  /// Dict of all other attributes whose names do not begin with `_`, in order.
  Value attributes{};
  /// Number of hooks of each kind that is not empty: {"_forward_hooks", 1}.
  std::vector<std::pair<std::string, std::size_t>> hooks;
  /// Callables of the hooks, in order: "my_project.hooks.print_shape", for a method
  /// "my_project.nets.Net.log", for an object its class. They are never called.
  std::vector<std::string> hook_names;
};

/// Returns the module that a value of `load` represents; empty for any other value. Only the
/// attributes of the module itself are converted. Entries that old versions of PyTorch did not
/// write (non-persistent buffers, kinds of hooks) are treated as empty.
[[nodiscard]] std::optional<PickledModule> pickled_module(const Value& value);

/// Returns the value with every module in it, in dicts, lists and tuples at any depth, replaced by
/// its state dict. Names, prefixes, order and `_metadata` are those of Python's
/// `module.state_dict()`; the tensors share storage with the loaded ones. A value without modules
/// is returned unchanged, so that the file may contain a module, a state dict or a checkpoint of
/// either:
///
///   net.load_state_dict(taper::state_dict_of(taper::load("model.pt")));
///
/// State that a class adds by its own code (extra state, hooks) is not included. Throws ValueError
/// if a child is not a module, and if nested names exceed a total of 64 MB.
Value state_dict_of(const Value& value);

}  // namespace taper
