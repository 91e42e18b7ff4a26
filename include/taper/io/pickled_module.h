// Whole modules that Python pickled, as data.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/dict.h"

namespace TAPER_API taper {

/// What `torch.save(module, path)` keeps of a module. Its class is a name that nobody looks for.
struct PickledModule {
  std::string class_name{};  ///< "torch.nn.modules.conv.Conv2d"
  bool training = true;
  /// Dicts of name -> tensor or None, in the module's own order.
  Value parameters{}, buffers{};
  /// A dict of name -> another such object or None. PyTorch: _modules.
  Value modules{};
  /// Buffers that are not in the state dict, sorted. PyTorch: _non_persistent_buffers_set.
  std::vector<std::string> non_persistent{};
  /// A dict of every other attribute whose name does not begin with `_`, in order.
  Value attributes{};
  /// How many there are of each kind that has any: {"_forward_hooks", 1}.
  std::vector<std::pair<std::string, std::size_t>> hooks{};
  /// What the hooks would call, in order, such as "my_project.hooks.print_shape" or, of a method,
  /// "my_project.nets.Net.log"; nothing is ever called. Of a hook that is an object: its class.
  std::vector<std::string> hook_names{};
};

/// The module that a value from `load` stands for, at no cost but that of its own attributes; none
/// if it stands for something else. What PyTorch of old times did not write yet (names of buffers
/// that are not persistent, kinds of hooks) is taken as empty.
[[nodiscard]] std::optional<PickledModule> pickled_module(const Value& value);

/// The value with every whole module in it, in dicts, lists and tuples at any depth, replaced by
/// its state dict: names, prefixes, order and `_metadata` are those of Python's
/// `module.state_dict()`, and the tensors share the elements of the file's. A value without modules
/// is given back as it is, so a file may hold a module, a state dict or a checkpoint of either:
///
///   net.load_state_dict(taper::state_dict_of(taper::load("model.pt")));
///
/// What a class adds to its state by code of its own (extra state, hooks) is not there. Throws
/// ValueError for a child that is no module, and for names that are nested so deep that together
/// they take more than 64 MB.
Value state_dict_of(const Value& value);

}  // namespace taper
