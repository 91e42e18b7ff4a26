#include "taper/io/load.h"

#include "core/check.h"
#include "io/checkpoint_files.h"
#include "io/dcp/reader.h"
#include "io/formats.h"

namespace taper {
namespace {

Value read(io::LoadContext& context) {
  switch (const FileKind kind = io::detect_file_kind(context.bytes())) {
    case FileKind::torch_zip: return io::read_zip(io::ZipReader(context));
    case FileKind::npz: return io::read_npz(io::ZipReader(context));
    case FileKind::torch_legacy:
    case FileKind::pickle:
      return io::read_legacy(context);  // rejects a pickle that torch.save did not write
    case FileKind::safetensors: return io::read_safetensors(context);
    case FileKind::safetensors_index:
      if (context.is_file()) return io::read_safetensors_index(context);
      context.reject(
          "an index of sharded tensors refers to files in its directory: expected a path");
    case FileKind::distributed:
      if (context.is_file())
        return io::read_distributed_checkpoint(context.name(), context.options());
      context.reject(
          "the metadata of a distributed checkpoint refer to files in its directory: expected a "
          "path");
    case FileKind::npy: return io::read_npy(context);
    default: context.reject("{}", io::unsupported_hint(kind, context.bytes()));
  }
}

}  // namespace

Value io::load_source(const Ref<Source>& source, const LoadOptions& options) {
  LoadContext context(source, options);
  return read(context);
}

Value load(const std::string& path, const LoadOptions& options) {
  return io::load_source(io::Source::open(io::checkpoint_file(path)), options);
}

Value load(std::span<const std::byte> bytes, const LoadOptions& options) {
  io::LoadContext context(io::Source::from_memory(bytes), options);
  return read(context);
}

Value load(std::istream& stream, const LoadOptions& options) {
  if (options.mmap.value_or(false))
    fail<ValueError>("load: mmap requires a file path, got a stream");
  io::LoadContext context(io::Source::from_stream(stream), options);
  return read(context);
}

Value load_safetensors(const std::string& path, const LoadOptions& options) {
  io::LoadContext context(io::Source::open(path), options);
  return io::read_safetensors(context);
}

}  // namespace taper
