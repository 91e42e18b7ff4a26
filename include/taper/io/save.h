// save and save_async: write checkpoints that Python can read.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/value.h"

namespace TAPER_API taper {

/// File format of save.
enum class FileFormat {
  zip,         ///< format of torch.save since PyTorch 1.6
  legacy,      ///< older format, as with _use_new_zipfile_serialization=False
  safetensors  ///< dict of tensors and metadata strings
};

/// Treatment of tensors that share memory in safetensors files, which do not support sharing.
enum class SharedTensors {
  reject,  ///< throws RuntimeError
  split    ///< writes each tensor separately
};

/// Number of bytes.
class ByteCount {
 public:
  template <std::integral I> ByteCount(I bytes) : bytes_(static_cast<std::uint64_t>(bytes)) {}
  /// Parses "5GB" (10^9), "512MiB" (2^20) or "100". Throws ValueError for any other string.
  ByteCount(std::string_view text);
  ByteCount(const char* text) : ByteCount(std::string_view(text)) {}
  ByteCount(const std::string& text) : ByteCount(std::string_view(text)) {}
  std::uint64_t value() const { return bytes_; }

 private:
  std::uint64_t bytes_;
};

/// Options of save and save_async. All except `format` apply to safetensors files.
struct SaveOptions {
  FileFormat format = FileFormat::zip;
  /// Metadata of the file. Default: the attribute `__metadata__` of the dict, which `load` sets.
  std::optional<std::map<std::string, std::string>> metadata{};
  SharedTensors shared = SharedTensors::reject;
  /// Maximum size of the tensor data in one file. Larger checkpoints are split into files
  /// `model-00001-of-00003` and so on for the path `model.safetensors`, with an index
  /// `model.safetensors.index.json` that `load` and the libraries of Hugging Face support. A tensor
  /// that exceeds the size has a separate file. If one file is sufficient, it is written to the
  /// path itself. Shards of a previous save that are not overwritten are removed at the end.
  /// Default: one file.
  std::optional<ByteCount> max_shard_size{};
};

namespace detail {

/// Object whose state, not itself, is saved: a module, an optimizer, a scheduler.
template <class T>
concept HasStateDict = requires(T& object) {
  object.state_dict();
};

}  // namespace detail

/// Writes a nested value (state dict, checkpoint, list of tensors, ...) to a `.pt` file that
/// torch.load(path, weights_only=True) reads. Tensors that share memory are written once and share
/// it again when they are loaded; storages are written in full. Opaque values are written as the
/// calls that they represent, so that torch.load(path, weights_only=False) restores the objects.
/// Equal contents result in equal bytes. PyTorch: torch.save, safetensors.torch.save_file.
///
/// Writing is atomic: the data is written to a temporary file in the same folder, flushed to disk
/// and renamed. Temporary files of a terminated process are removed by the next save to the same
/// path. The mode of a replaced file is preserved; if the path is a symbolic link, its target is
/// replaced. Of several files, all are flushed before the first is renamed, and the index is
/// renamed last.
///
/// Throws IoError if writing fails; an existing file is then unchanged. Errors of a value report
/// its path: TypeError for a value that a checkpoint cannot contain, RuntimeError for tensors of
/// different dtypes that share a storage; ValueError for a path that ends in `.safetensors` with
/// another format; for safetensors, ValueError for a value that is not a
/// dict of contiguous tensors, RuntimeError for tensors that share memory.
void save(const Value& value, const std::string& path, const SaveOptions& options = {});
/// Writes a value to a stream. Throws IoError if writing fails, and the errors of a value as above.
void save(const Value& value, std::ostream& stream, const SaveOptions& options = {});
template <detail::HasStateDict T, class To>
void save(const T&, To&&, const SaveOptions& = {}) = delete;  // save(object.state_dict(), path)
/// Returns the bytes of the file that `save` would write. PyTorch: safetensors.torch.save.
[[nodiscard]] std::vector<std::byte> save_to_bytes(const Value& value,
                                                   const SaveOptions& options = {});
template <detail::HasStateDict T>
void save_to_bytes(const T&,
                   const SaveOptions& = {}) = delete;  // save_to_bytes(object.state_dict())

/// Handle of a background save. Movable, not copyable.
class SaveHandle {
 public:
  /// Creates a handle without a save, for which `done` returns true.
  SaveHandle();
  SaveHandle(SaveHandle&&) noexcept;
  /// Waits for the previous save of this handle, then takes over the save of the other handle.
  SaveHandle& operator=(SaveHandle&&) noexcept;
  /// Waits for the save. An error that was not received by `wait` causes a warning.
  ~SaveHandle();
  /// Waits until the file is written. Throws the errors of `save`, on every call.
  void wait();
  /// Returns true if `wait` would not block.
  bool done() const;

 private:
  friend SaveHandle save_async(const Value&, const std::string&, const SaveOptions&);
  struct Job;
  explicit SaveHandle(std::shared_ptr<Job> job);
  std::shared_ptr<Job> job_;
};
/// Writes a file as `save`, on a background thread. The value is copied before the function
/// returns, so that its tensors may be modified afterward. Saves to the same path are executed in
/// order, including a call of `save` after save_async.
SaveHandle save_async(const Value& value, const std::string& path, const SaveOptions& options = {});
template <detail::HasStateDict T>
void save_async(const T&, const std::string&,  // save_async(object.state_dict(), path)
                const SaveOptions& = {}) = delete;

}  // namespace taper
