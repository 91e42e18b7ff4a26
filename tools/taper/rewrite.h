// A checkpoint with other names, dtypes or parts, to be written again.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "glob.h"
#include "json.h"
#include "source.h"
#include "taper/io/save.h"

namespace taper::cli {

struct Rewrite {
  bool flatten = false;  ///< all tensors of a nested value, under the names of taper show
  std::optional<taper::DType> dtype{};  ///< of floating tensors
  std::string prefix{};                 ///< before every name
  Renames renames{};                    ///< of names, before the prefix
  std::vector<std::string> keys{};      ///< patterns: only names that match one
  std::string scratch_folder = ".";     ///< for large tensors in another dtype
  bool of_names() const { return !prefix.empty() || !renames.empty() || !keys.empty(); }
};

/// What was done.
struct Rewritten {
  taper::Value value;
  std::size_t kept = 0, left_out = 0, renamed = 0, converted = 0;
  std::int64_t overflowed = 0;  ///< elements that another dtype made infinite
};

/// Tensors that stay as they are are the same ones, over the file's own memory. Names are those of
/// a dict of tensors; a nested checkpoint has none until a part is chosen, or it is flattened.
/// Throws taper::Error for names that fall together, and for names to be changed where there are
/// none.
Rewritten rewrite(const Source& source, const Rewrite& how);

struct Destination {
  std::string path;
  bool legacy = false, unshare = false;
  std::vector<std::string> metadata{};  ///< "K=V"
  std::string max_shard_size{};
};

/// Writes in the format that the name says: .safetensors, or .pt, .pth, .bin, .ckpt. What
/// safetensors cannot hold is an error that says what to do. Throws UsageError for other names.
void write_to(const taper::Value& value, const Source& source, const Destination& to);
/// Throws UsageError what `write_to` would, before anything is read.
void check_destination(const Destination& to);

/// "float16", "bf16", "half": throws UsageError.
taper::DType dtype_of_name(const std::string& name);
/// The files that `write_to` wrote: the path itself, or the index and then its shards.
std::vector<std::string> written_files(const std::string& path);

}  // namespace taper::cli
