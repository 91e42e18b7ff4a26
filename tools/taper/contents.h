// Contents: the nested values of a checkpoint as flat lists with names.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "taper/core/dict.h"
#include "taper/core/value.h"

namespace taper::cli {

struct TensorItem {
  std::string name;               ///< keys joined by dots: "model_state_dict.conv1.weight"
  std::vector<std::string> path;  ///< keys: {"model_state_dict", "conv1.weight"}
  taper::Tensor tensor;           ///< if `foreign`: the bytes, with an additional dimension
  std::string dtype;              ///< PyTorch's name: "float32"
  taper::Shape shape;
  std::uint64_t bytes = 0;  ///< number of elements times element size
  bool foreign = false;     ///< true if Taper does not support the dtype
  bool parameter = false;
  /// Index of the first tensor that shares memory with this one; npos if there is none.
  std::size_t shares_with = npos;
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
};

/// A value that is not a tensor: a number, a string, a list of them, ...
struct OtherItem {
  std::string name;
  taper::Value value;
};

/// An object of an unknown class, or a reference to a class or function.
struct OpaqueItem {
  std::string name, class_name;
};

/// A whole module pickled by Python.
struct ModuleItem {
  std::string name, class_name;
  std::string arguments;  ///< "in_features=3, out_features=4": attributes that are plain values
  bool training = false;
  std::vector<std::pair<std::string, std::size_t>> hooks{};
  std::vector<std::string> hook_names{};
};

struct Contents {
  std::string type;  ///< type of the value: "OrderedDict", "list", ...
  std::vector<TensorItem> tensors{};
  std::vector<OtherItem> others{};
  std::vector<OpaqueItem> opaques{};
  std::vector<ModuleItem> modules{};
  std::vector<std::pair<std::string, std::string>> metadata{};  ///< metadata of a safetensors file
  bool complete = true;  ///< false if the traversal stopped at its limit
};

/// Collects the contents of a value. Traverses the value without recursion.
Contents contents_of(const taper::Value& value);

/// Returns the part of a nested value at a path such as "model_state_dict" or "state.0.exp_avg".
/// Keys may contain dots. Throws taper::KeyError, which lists the existing keys.
taper::Value value_at_path(const taper::Value& value, const std::string& path);

/// Returns the paths of the state dicts in a checkpoint, by descending number of elements. Searches
/// the items of `value` and of the dicts among them; returns {""} if `value` is itself a state
/// dict. A state dict is a dict with string keys of whose values at least half, and at least one,
/// are tensors.
std::vector<std::string> find_state_dicts(const taper::Value& value);

/// Returns a short form of a value: "3", "'adam'", "[1, 2, 3, … 20 items]".
std::string brief(const taper::Value& value);

/// Sets `shares_with` of tensors whose byte ranges in the same storage overlap.
void find_shared(std::vector<TensorItem>& tensors);
/// Returns the total size in bytes of the storages of the chosen tensors. Each storage counts once
/// and completely, as in a saved file.
std::uint64_t stored_bytes(const Contents& contents, const std::vector<std::size_t>& chosen);
/// Returns the number of bytes from the first to the last element of a tensor, both included.
std::uint64_t extent_of(const taper::Tensor& t);

}  // namespace taper::cli
