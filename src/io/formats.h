// The file formats that load() tells apart.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "io/mapped_file.h"
#include "taper/io/load.h"

namespace taper::io {

/// What torch.save has written since PyTorch 1.6: a zip archive.
Value read_zip(const MappedFile& file, const LoadOptions& options);
/// What it wrote before: pickles one after the other, then the storages.
Value read_legacy(const MappedFile& file, const LoadOptions& options);
Value read_safetensors(const MappedFile& file, const LoadOptions& options);
/// `model.safetensors.index.json`: which of the files beside it holds which tensor.
Value read_safetensors_index(const MappedFile& file, const LoadOptions& options);

/// Turns the bytes of each element around.
void swap_bytes(std::byte* data, std::size_t bytes, std::size_t element);

}  // namespace taper::io
