// The file formats that load() tells apart.
#pragma once
#include <string>

#include "io/load_context.h"
#include "io/zip/reader.h"
#include "taper/io/file_kind.h"

namespace taper::io {

/// Looks at the first bytes, and at the names in a zip archive.
FileKind detect_file_kind(std::span<const std::byte> bytes);
/// What a file of an unreadable kind is, and what to do about it.
std::string unsupported_hint(FileKind kind);

/// What torch.save has written since PyTorch 1.6: a zip archive.
Value read_zip(const ZipReader& zip);
/// What it wrote before: pickles one after the other, then the storages.
Value read_legacy(LoadContext& context);
Value read_safetensors(LoadContext& context);
/// `model.safetensors.index.json`: which of the files beside it holds which tensor.
Value read_safetensors_index(LoadContext& context);
/// One array of NumPy.
Value read_npy(LoadContext& context);
/// A zip archive of arrays: a dict.
Value read_npz(const ZipReader& zip);

}  // namespace taper::io
