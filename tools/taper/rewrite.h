// Rewrites a checkpoint with other names, dtypes or parts.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "glob.h"
#include "json.h"
#include "source.h"
#include "taper/io/save.h"

namespace taper::cli {

/// Changes to apply to a checkpoint.
struct Rewrite {
  bool flatten = false;                 ///< collect all tensors of a nested value in one dict
  std::optional<taper::DType> dtype{};  ///< new dtype of floating-point tensors
  std::string prefix{};                 ///< text prepended to every name
  Renames renames{};                    ///< rules applied before the prefix
  std::vector<std::string> keys{};      ///< patterns of the names to keep; empty: all
  std::string scratch_folder = ".";     ///< directory for the elements of converted tensors
  bool changes_names() const { return !prefix.empty() || !renames.empty() || !keys.empty(); }
};

/// Result of `rewrite`: the new value and numbers of tensors.
struct RewriteResult {
  taper::Value value;
  std::size_t kept = 0, left_out = 0, renamed = 0, converted = 0;
  std::int64_t overflowed = 0;  ///< number of elements that became infinite
};

/// Applies `how` to a checkpoint. Unchanged tensors still reference the memory of the file. Throws
/// taper::Error if two tensors would have the same name, if `how.keys` matches no tensor, and if
/// names are to be changed in a value that is not a dict of tensors.
RewriteResult rewrite(const Source& source, const Rewrite& how);

/// Output file and its options.
struct Destination {
  std::string path;
  bool legacy = false, unshare = false;
  std::vector<std::string> metadata{};  ///< entries "K=V"
  std::string max_shard_size{};
};

/// Writes the value in the format that the suffix of the path selects: .safetensors, or .pt, .pth,
/// .bin, .ckpt. Throws UsageError for other suffixes, and taper::Error with a remedy for a value
/// that safetensors cannot represent.
void write_to(const taper::Value& value, const Source& source, const Destination& to);
/// Throws UsageError if `write_to` would throw it. Allows a caller to report an invalid destination
/// before it reads a file.
void check_destination(const Destination& to);

/// Parses a floating-point dtype such as "float16", "bf16" or "half". Throws UsageError.
taper::DType parse_dtype(const std::string& name);
/// Returns the files that `write_to` wrote: the path itself, or the index followed by its shards.
std::vector<std::string> list_output_files(const std::string& path);

}  // namespace taper::cli
