// Reading checkpoints.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>

#include "taper/core/api.h"
#include "taper/core/function.h"
#include "taper/core/value.h"
#include "taper/io/map_location.h"

namespace TAPER_API taper {

struct LoadOptions {
  /// Where tensors go: a device, a list of places and devices, or a function; nothing: where they
  /// were saved from. Formats that record no place were saved from the CPU.
  MapLocation map_location{};
  /// Whether tensors are pages of the file, which are read when they are touched. What is written
  /// to them stays in this process, copy-on-write. Nobody may shorten or overwrite the file in
  /// place meanwhile: replacing it, as `save` does, is harmless. none: map what can be mapped, read
  /// the rest (compressed, big-endian and misaligned storages, legacy files). true: insist, as
  /// PyTorch's mmap=True does. false: read into memory of our own, and leave the file alone
  /// afterwards.
  std::optional<bool> mmap{};
  /// Refuse what torch.load(weights_only=True) refuses, and whatever else would become opaque:
  /// objects of other classes, names of other functions, tensors of dtypes that are not known here.
  /// The environment variable TORCH_FORCE_WEIGHTS_ONLY_LOAD=1 asks for it everywhere.
  bool strict = false;
  /// Compare the checksums of zip records, where the file has them; this reads all of it. PyTorch
  /// does not.
  bool verify = false;
  /// Told while bytes of tensors are read: how many, of how many in the file. An exception that it
  /// throws ends the load.
  Function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

/// Reads a checkpoint. Which kind it is, is told from the contents, never from the name:
/// - what torch.save wrote: the zip file of PyTorch 1.6 and later, or the older format;
/// - `.safetensors`; the `.index.json` of several files, whose names must be those of files beside
///   it; or a folder with one such index, or without one and with one file of safetensors or
///   `pytorch_model.bin`;
/// - NumPy's `.npy` (a tensor) and `.npz` (a dict of tensors).
/// PyTorch: torch.load, safetensors.torch.load_file, numpy.load.
///
/// Nothing in a file is executed: a pickle is data. It may call what
/// torch.load(weights_only=True) allows. Objects of other classes, whole modules among them
/// (`pickled_module`), become opaque values that keep the name, arguments and state; so do NumPy
/// objects, dates, paths and tensors of layouts and dtypes that are not known here
/// (`foreign_tensor`). What is called by the name of a class is such an object too, and an object
/// that holds itself is opened: see docs/files.md. A call of any other function is refused. A
/// storage that was saved by itself comes back as a tensor of one dimension.
///
/// The strings that a safetensors file says of itself are the dict's attribute `__metadata__`, a
/// dict; there is none if the file has none. Its tensors come in the order of the data.
///
/// Throws IoError, naming the file, where in it and what is wrong with it; RuntimeError for
/// `mmap = true` and a file that cannot be mapped.
Value load(const std::string& path, const LoadOptions& options = {});
/// The same from memory, of which nothing is kept. ValueError for `mmap = true`.
Value load(std::span<const std::byte> bytes, const LoadOptions& options = {});
/// The same from the rest of a stream. ValueError for `mmap = true`.
Value load(std::istream& stream, const LoadOptions& options = {});

/// Reads a `.safetensors` file, and no other. PyTorch: safetensors.torch.load_file.
Value load_safetensors(const std::string& path, const LoadOptions& options = {});

}  // namespace taper
