// Readers of the file formats that load() supports.
#pragma once
#include <string>

#include "io/load_context.h"
#include "io/zip/reader.h"
#include "taper/io/file_kind.h"

namespace taper::io {

/// Returns the format of a file, determined from its first bytes and, for a zip archive, from the
/// record names.
FileKind detect_file_kind(std::span<const std::byte> bytes);
/// Returns the error message for a file of an unsupported kind: the detected format and the remedy,
/// which depends on a scan of the pickles in the file.
std::string unsupported_hint(FileKind kind, std::span<const std::byte> bytes);

/// As taper::load, from `source`.
Value load_source(const Ref<Source>& source, const LoadOptions& options);

/// Reads the zip archive that torch.save writes since PyTorch 1.6.
Value read_zip(const ZipReader& zip);
/// Reads the format of torch.save before PyTorch 1.6: a sequence of pickles, followed by the
/// storages.
Value read_legacy(LoadContext& context);
Value read_safetensors(LoadContext& context);
/// Reads the shards listed in an index (`model.safetensors.index.json`), which maps each tensor to
/// a file in the same directory.
Value read_safetensors_index(LoadContext& context);
/// Reads a NumPy array file.
Value read_npy(LoadContext& context);
/// Reads a zip archive of NumPy arrays into a dict.
Value read_npz(const ZipReader& zip);

}  // namespace taper::io
