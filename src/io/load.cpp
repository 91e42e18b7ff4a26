#include "taper/io/load.h"

#include <filesystem>

#include "core/check.h"
#include "io/formats.h"

namespace taper {
namespace {

Value read(io::LoadContext& context) {
  switch (const FileKind kind = io::detect_file_kind(context.bytes())) {
    case FileKind::torch_zip: return io::read_zip(io::ZipReader(context));
    case FileKind::npz: return io::read_npz(io::ZipReader(context));
    case FileKind::torch_legacy:
    case FileKind::pickle: return io::read_legacy(context);  // says what is in the pickle
    case FileKind::safetensors: return io::read_safetensors(context);
    case FileKind::safetensors_index:
      if (context.is_file()) return io::read_safetensors_index(context);
      context.reject("the index of sharded tensors needs the files beside it: give its path");
    case FileKind::npy: return io::read_npy(context);
    default: context.reject(io::unsupported_hint(kind));
  }
}

/// What to read of a folder: the index of its shards, or its only file of tensors by the names that
/// Hugging Face's libraries give.
std::string file_in(const std::string& folder) {
  std::vector<std::string> indices, whole;
  std::string old;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    if (path.ends_with(".index.json")) indices.push_back(path);
    if (path.ends_with(".safetensors")) whole.push_back(path);
    if (entry.path().filename() == "pytorch_model.bin") old = path;
  }
  if (indices.size() == 1) return indices[0];
  if (indices.empty() && whole.size() == 1) return whole[0];
  if (indices.empty() && whole.empty() && !old.empty()) return old;
  fail<IoError>(
      "load: {}: it is a folder with {} files named *.index.json and {} named *.safetensors, "
      "expected one: give the path of a file",
      folder, indices.size(), whole.size());
}

}  // namespace

Value load(const std::string& path, const LoadOptions& options) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return load(file_in(path), options);
  io::LoadContext context(io::Source::open(path), options);
  return read(context);
}

Value load(std::span<const std::byte> bytes, const LoadOptions& options) {
  io::LoadContext context(io::Source::from_memory(bytes), options);
  return read(context);
}

Value load(std::istream& stream, const LoadOptions& options) {
  if (options.mmap.value_or(false))
    fail<ValueError>("load: mmap needs a file given by its path, got a stream");
  io::LoadContext context(io::Source::from_stream(stream), options);
  return read(context);
}

Value load_safetensors(const std::string& path, const LoadOptions& options) {
  io::LoadContext context(io::Source::open(path), options);
  return io::read_safetensors(context);
}

}  // namespace taper
