// load: reads checkpoints.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/core/value.h"
#include "taper/io/map_location.h"

namespace TAPER_API taper {

/// Options of load.
struct LoadOptions {
  /// Devices of the loaded tensors: a device, a map from saved to new locations, or a function.
  /// Default: the saved location, which is the cpu for formats that do not record it.
  MapLocation map_location{};
  /// Selects whether tensors are mapped pages of the file, which are read on first access. Writes
  /// to such tensors are copy-on-write and do not reach the file. While it is mapped, the file must
  /// not be truncated or overwritten in place; replacing it, as `save` does, is safe. Default: map
  /// what can be mapped and read the rest (compressed, big-endian and misaligned storages, legacy
  /// files). true: require mapping, as mmap=True of PyTorch. false: read the file into memory; it
  /// is not accessed after the call.
  std::optional<bool> mmap{};
  /// Rejects what torch.load(weights_only=True) rejects, and everything else that would become
  /// opaque: objects of other classes, names of other functions, tensors of unsupported dtypes. The
  /// environment variable TORCH_FORCE_WEIGHTS_ONLY_LOAD=1 enables it for all loads.
  bool strict = false;
  /// Verifies the checksums of zip records, which requires reading the entire file. PyTorch does
  /// not verify them.
  bool verify = false;
  /// Progress callback, called as `progress(bytes_read, total_bytes)` while tensors are read. An
  /// exception that it throws aborts the load.
  SharedFunction<void(std::uint64_t done, std::uint64_t total)> progress{};
};

/// Loads a checkpoint. The format is detected from the contents, never from the name:
/// - files of torch.save: the zip format of PyTorch 1.6 and later, and the older format;
/// - `.safetensors`; the `.index.json` of a sharded checkpoint, whose shards must be in the same
///   directory; or a directory that contains a checkpoint (see `resolve_checkpoint`);
/// - folders that torch.distributed.checkpoint wrote, as the nested state dict with whole tensors;
/// - NumPy's `.npy` (a tensor) and `.npz` (a dict of tensors).
///
/// PyTorch: torch.load, safetensors.torch.load_file, numpy.load.
///
/// The contents of a file are never executed: a pickle is treated as data. It may contain the calls
/// that torch.load(weights_only=True) allows. Objects of other classes, including whole modules
/// (`pickled_module`), become opaque values that store the name, the arguments and the state; so do
/// NumPy objects, dates, paths, and tensors of unsupported layouts and dtypes (`foreign_tensor`).
/// Calls of other classes become opaque as well, and reference cycles are broken by placeholders;
/// see docs/files.md. Calls of any other function are rejected. A storage that was saved directly
/// is returned as a 1-dimensional tensor.
///
/// The metadata strings of a safetensors file are the attribute `__metadata__` of the dict, which
/// is absent if the file does not have any. Its tensors are in the order of the data.
///
/// Throws LoadError, whose message contains the file, the position in it and the reason, if the
/// file cannot be read or is not a valid checkpoint, and RuntimeError if `mmap` is true and the
/// file cannot be mapped.
Value load(const std::string& path, const LoadOptions& options = {});
/// Loads from a memory buffer, which is not referenced after the call returns. Throws ValueError if
/// `mmap` is true.
Value load(std::span<const std::byte> bytes, const LoadOptions& options = {});
/// Loads from the remaining bytes of a stream. Throws ValueError if `mmap` is true.
Value load(std::istream& stream, const LoadOptions& options = {});

/// Loads a `.safetensors` file. Throws IoError for any other format.
/// PyTorch: safetensors.torch.load_file.
Value load_safetensors(const std::string& path, const LoadOptions& options = {});

}  // namespace taper
