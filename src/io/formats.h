// The file formats that load() tells apart.
#pragma once
#include <string>

#include "io/reading.h"
#include "io/zip/reader.h"
#include "taper/io/file_kind.h"

namespace taper::io {

/// Looks at the first bytes, and at the names in a zip archive.
FileKind kind_of(std::span<const std::byte> bytes);
/// What a file of an unreadable kind is, and what to do about it.
std::string advice(FileKind kind);

/// What torch.save has written since PyTorch 1.6: a zip archive.
Value read_zip(const ZipReader& zip);
/// What it wrote before: pickles one after the other, then the storages.
Value read_legacy(Reading& reading);
Value read_safetensors(Reading& reading);
/// `model.safetensors.index.json`: which of the files beside it holds which tensor.
Value read_safetensors_index(Reading& reading);
/// One array of NumPy.
Value read_npy(Reading& reading);
/// A zip archive of arrays: a dict.
Value read_npz(const ZipReader& zip);

}  // namespace taper::io
