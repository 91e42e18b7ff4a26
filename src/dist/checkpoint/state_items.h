// The entries of a nested state dict.
#pragma once
#include <string>
#include <vector>

#include "taper/core/value.h"

namespace taper::distributed {

/// A tensor or another value of a nested state dict.
struct StateItem {
  std::string name{};  ///< the path, joined by dots
  Values path{};       ///< keys and list indices
  Value container{};   ///< the dict or list that contains the value
  Value key{};         ///< key or index in it
  Value value{};

  /// Replaces the value in its container.
  void replace(const Value& by) const;
};

/// Returns the entries as PyTorch divides a state dict: dicts are entered, lists are if they
/// contain tensors or dicts. Throws ValueError for two entries with one name, and for a value that
/// is nested too deeply; TypeError if `state_dict` is not a dict. `op` begins the message.
std::vector<StateItem> flatten_state_dict(const Value& state_dict, const char* op);

/// Part of a whole tensor that a rank has.
struct TensorPart {
  Shape size;            ///< of the whole tensor
  Shape offsets, sizes;  ///< of the part
};
TensorPart part_of(const Tensor& tensor);

}  // namespace taper::distributed
