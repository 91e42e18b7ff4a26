#include "io/dcp/reader.h"

#include <algorithm>

#include "core/check.h"
#include "io/dcp/metadata.h"
#include "io/dcp/nested_state.h"
#include "io/formats.h"
#include "io/path.h"
#include "io/text.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/io/load_error.h"

namespace taper {
namespace io {
namespace {

std::string metadata_path(const std::string& folder) {
  return folder + std::string(kDcpMetadataFile);
}

/// Common part of a chunk and the requested elements: its position in both, and its sizes.
struct Intersection {
  Shape in_chunk, in_result, sizes;
  bool is_empty = false;
};

Intersection intersect(const ChunkStorageMetadata& chunk, const Shape& offsets,
                       const Shape& sizes) {
  Intersection common;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t begin = std::max(chunk.offsets[d], offsets[d]),
                       end = std::min(chunk.offsets[d] + chunk.sizes[d], offsets[d] + sizes[d]);
    if (end <= begin) common.is_empty = true;
    common.in_chunk.push_back(begin - chunk.offsets[d]);
    common.in_result.push_back(begin - offsets[d]);
    common.sizes.push_back(end - begin);
  }
  return common;
}

Tensor narrow_all(Tensor t, const Shape& begin, const Shape& sizes) {
  for (std::size_t d = 0; d < sizes.size(); ++d)
    t = t.narrow(static_cast<std::int64_t>(d), begin[d], sizes[d]);
  return t;
}

}  // namespace

DcpReader::DcpReader(std::string folder, const LoadOptions& options)
    : folder_(std::move(folder)), options_(options) {
  if (!folder_.empty() && !folder_.ends_with('/')) folder_ += '/';
  const std::string path = metadata_path(folder_);
  const Ref<Source> source = Source::open(path);
  metadata_ = parse_dcp_metadata(source->bytes(), path);
  for (const EntryMetadata& entry : metadata_.entries)
    if (!by_name_.emplace(entry.name, &entry).second)
      reject("entry '" + entry.name + "' occurs twice");
}

DcpReader::~DcpReader() {
  for (const auto& [name, file] : files_) file->close();
}

const distributed::checkpoint::EntryMetadata* DcpReader::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

void DcpReader::reject(const std::string& reason) const {
  throw LoadError(metadata_path(folder_), escape_for_message(reason, kMaxReasonLength));
}

Value DcpReader::read_piece(const StorageInfo& piece) {
  auto file = files_.find(piece.relative_path);
  if (file == files_.end())
    file = files_.emplace(piece.relative_path, Source::open(folder_ + piece.relative_path)).first;
  const std::uint64_t size = file->second->bytes().size();
  if (piece.offset > size || piece.length > size - piece.offset)
    throw LoadError(file->second->name(),
                    format_message("the file has {} bytes, but a piece of {} bytes begins at {}",
                                   size, piece.length, piece.offset));
  LoadContext context(Source::slice(file->second, piece.offset, piece.length), options_);
  if (detect_file_kind(context.bytes()) != FileKind::torch_zip)
    context.reject("a piece of a distributed checkpoint must be an archive of torch.save");
  return read_zip(ZipReader(context));
}

Tensor DcpReader::read_chunk(const EntryMetadata& entry, std::size_t i) {
  const TensorStorageMetadata& tensor = *entry.tensor;
  const Value value = read_piece(entry.storage[i]);
  const auto mismatch = [&](const std::string& got) {
    reject(format_message("the piece of '{}' at {} is {}, expected {} {}",
                          escape_for_message(entry.name), tensor.chunks[i].offsets, got,
                          tensor.dtype_name, tensor.chunks[i].sizes));
  };
  if (!value.is_tensor()) mismatch(value.type_name());
  const Tensor& piece = value.as_tensor();
  if (piece.dtype() != *tensor.dtype || piece.shape() != tensor.chunks[i].sizes)
    mismatch(format_message("{} {}", piece.dtype(), piece.shape()));
  return piece.detach();
}

Tensor DcpReader::read_tensor(const EntryMetadata& entry, const Shape& offsets,
                              const Shape& sizes) {
  const NoGrad no_grad;
  const TensorStorageMetadata& tensor = *entry.tensor;
  if (!tensor.dtype)
    reject(format_message("'{}' has elements of {}, which are not supported",
                          escape_for_message(entry.name), escape_for_message(tensor.dtype_name)));
  Tensor result;
  for (std::size_t i = 0; i < tensor.chunks.size(); ++i) {
    const ChunkStorageMetadata& chunk = tensor.chunks[i];
    const Intersection common = intersect(chunk, offsets, sizes);
    if (common.is_empty) continue;
    const Tensor piece = narrow_all(read_chunk(entry, i), common.in_chunk, common.sizes);
    if (common.sizes == sizes) return piece;
    if (!result.defined())
      result = empty(sizes, {.dtype = *tensor.dtype, .device = piece.device()});
    narrow_all(result, common.in_result, common.sizes).copy_(piece);
  }
  // All chunks of a tensor without elements are empty.
  return result.defined() ? result : empty(sizes, {.dtype = *tensor.dtype});
}

Value DcpReader::read(const EntryMetadata& entry) {
  if (!entry.tensor) return read_piece(entry.storage.front());
  return read_tensor(entry, Shape::filled(entry.tensor->size.size(), 0), entry.tensor->size);
}

Value read_distributed_checkpoint(const std::string& path, const LoadOptions& options) {
  DcpReader reader(folder_of(path), options);
  NestedState state;
  for (const auto& entry : reader.metadata().entries)
    if (!state.set(entry.path, reader.read(entry)))
      reader.reject("the path of '" + entry.name + "' contradicts those of other entries");
  return state.value();
}

}  // namespace io

distributed::checkpoint::Metadata distributed::checkpoint::read_metadata(
    const std::string& checkpoint_id) {
  return io::DcpReader(checkpoint_id, {}).metadata();
}

}  // namespace taper
