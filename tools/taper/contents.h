// What is in a checkpoint: its nested values as flat lists with names.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "taper/core/dict.h"
#include "taper/core/value.h"

namespace taper::cli {

struct TensorItem {
  std::string name;               ///< "model_state_dict.conv1.weight"
  std::vector<std::string> path;  ///< {"model_state_dict", "conv1.weight"}
  taper::Tensor tensor;           ///< of a foreign dtype: its bytes, in one dimension more
  std::string dtype;              ///< "float32"
  taper::Shape shape;
  std::uint64_t bytes = 0;  ///< elements times their size
  bool foreign = false;     ///< of a dtype that Taper has not
  bool parameter = false;
  /// The first tensor that has memory in common with this one; npos: none.
  std::size_t shares_with = npos;
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
};

/// A number, a text, a list of such, ...
struct OtherItem {
  std::string name;
  taper::Value value;
};

/// An object of a class that is not known, or a name of one.
struct OpaqueItem {
  std::string name, class_name;
};

/// A whole module of Python.
struct ModuleItem {
  std::string name, class_name;
  std::string arguments;  ///< "in_features=3, out_features=4": attributes that are plain values
  bool training = false;
  std::vector<std::pair<std::string, std::size_t>> hooks{};
  std::vector<std::string> hook_names{};
};

struct Contents {
  std::string type;  ///< "OrderedDict", "list", ...
  std::vector<TensorItem> tensors{};
  std::vector<OtherItem> others{};
  std::vector<OpaqueItem> opaques{};
  std::vector<ModuleItem> modules{};
  std::vector<std::pair<std::string, std::string>> metadata{};  ///< of a safetensors file
  bool complete = true;  ///< false: more values than anybody would look at
};

/// Walks the value without recursion.
Contents contents_of(const taper::Value& value);

/// The part of a nested value that a path names: "model_state_dict", "state.0.exp_avg". A key may
/// itself have dots. Throws taper::KeyError that names what is there.
taper::Value part_of(const taper::Value& value, const std::string& path);

/// Where the tensors of a model are in a checkpoint: the paths of dicts of nothing but tensors
/// whose keys are names, the largest first. {""}: the value itself is one.
std::vector<std::string> state_dicts_in(const taper::Value& value);

/// A value of a few words: "3", "'adam'", "[1, 2, 3, …]  (20 items)".
std::string brief(const taper::Value& value);

/// Sets `shares_with`: views into shared memory are found by their ranges.
void find_shared(std::vector<TensorItem>& tensors);
/// The memory that those tensors look at, each storage whole and once, as a file keeps them.
std::uint64_t stored_bytes(const Contents& contents, const std::vector<std::size_t>& chosen);
/// Bytes between the first and the last element, both included.
std::uint64_t extent_of(const taper::Tensor& t);

}  // namespace taper::cli
