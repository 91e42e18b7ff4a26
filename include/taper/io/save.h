// Writing checkpoints that Python reads.
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

enum class FileFormat {
  zip,         ///< what torch.save writes since PyTorch 1.6
  legacy,      ///< what it wrote before, and with _use_new_zipfile_serialization=False
  safetensors  ///< a dict of tensors, and strings about it
};

/// What safetensors files, which know of no sharing, do with tensors that share memory.
enum class SharedTensors {
  refuse,  ///< RuntimeError
  split    ///< each is written by itself
};

/// A number of bytes.
class ByteCount {
 public:
  template <std::integral I> ByteCount(I bytes) : bytes_(static_cast<std::uint64_t>(bytes)) {}
  /// "5GB" (10^9), "512MiB" (2^20), "100". Throws ValueError for any other text.
  ByteCount(std::string_view text);
  ByteCount(const char* text) : ByteCount(std::string_view(text)) {}
  ByteCount(const std::string& text) : ByteCount(std::string_view(text)) {}
  std::uint64_t value() const { return bytes_; }

 private:
  std::uint64_t bytes_;
};

/// All but the format is of safetensors files.
struct SaveOptions {
  FileFormat format = FileFormat::zip;
  /// What the file says of itself. Default: the attribute `__metadata__` of the dict, as `load`
  /// gives it.
  std::optional<std::map<std::string, std::string>> metadata{};
  SharedTensors shared = SharedTensors::refuse;
  /// Tensors go into several files of at most so many bytes of them, `model-00001-of-00003` and so
  /// on for the path `model.safetensors`, and an index, `model.safetensors.index.json`, that `load`
  /// and Hugging Face's libraries open. A larger tensor has a file of its own; if one file is
  /// enough, it is the path itself. Files of these names that an earlier save wrote and this one
  /// does not are removed at the end. Default: one file.
  std::optional<ByteCount> max_shard_size{};
};

/// Writes a nested value (state dict, checkpoint, list of tensors, ...) as `.pt`, so that
/// torch.load(path, weights_only=True) reads it. Tensors that share memory are written once and
/// share it again when read; storages are written whole. Opaque values are written as the calls
/// that they stand for, so that torch.load(path, weights_only=False) makes the objects again.
/// Equal contents give equal bytes. PyTorch: torch.save, safetensors.torch.save_file.
///
/// The file appears whole or not at all: a temporary file beside it is written, flushed to disk and
/// renamed; what a killed process left of one is removed by the next save of the path. The mode of
/// a file that is replaced stays; a symbolic link stays, too, and the file that it points to is
/// replaced. Of several files all are on disk before the first gets its name, and the index gets it
/// last.
///
/// Throws IoError, and an old file is as it was. What cannot be written is an error that names its
/// place in the value: TypeError for values that no checkpoint holds, RuntimeError for tensors of
/// different dtypes over one storage; for safetensors ValueError for what is no dict of contiguous
/// tensors, RuntimeError for tensors that share memory.
void save(const Value& value, const std::string& path, const SaveOptions& options = {});
/// The same to a stream. Throws IoError if it fails.
void save(const Value& value, std::ostream& stream, const SaveOptions& options = {});
/// The bytes of the file. PyTorch: safetensors.torch.save.
[[nodiscard]] std::vector<std::byte> save_to_bytes(const Value& value,
                                                   const SaveOptions& options = {});

/// A save that goes on in the background. It can be moved, not copied.
class SaveHandle {
 public:
  /// Of nothing: it is done.
  SaveHandle();
  SaveHandle(SaveHandle&&) noexcept;
  /// Waits for the old one.
  SaveHandle& operator=(SaveHandle&&) noexcept;
  /// Waits; an error that nobody asked for becomes a warning.
  ~SaveHandle();
  /// Returns when the file is in place. Throws what `save` would have thrown, every time.
  void wait();
  /// Whether wait() would return, or throw, at once.
  bool done() const;

 private:
  friend SaveHandle save_async(const Value&, const std::string&, const SaveOptions&);
  struct Job;
  explicit SaveHandle(std::shared_ptr<Job> job);
  std::shared_ptr<Job> job_;
};
/// `save`, but the file is written by a thread in the background. What is saved is the value as it
/// is now: everything is copied before the function returns, and a training program may write on to
/// its tensors. Saves of one path come in order, also `save` after save_async.
SaveHandle save_async(const Value& value, const std::string& path, const SaveOptions& options = {});

}  // namespace taper
