// Writer of the metadata of distributed checkpoints.
#include "io/dcp/metadata.h"
#include "io/pickle/writer.h"
#include "taper/core/dict.h"

namespace taper::io {
namespace {

/// Returns an object whose class is in PyTorch's metadata module, with the given attributes.
Value object_of(std::string_view cls, Value state, std::string_view module = kDcpMetadataModule) {
  Opaque object;
  object.callable = Value::global(module, cls);
  object.arguments = Value::tuple();
  object.is_new = true;
  object.state = std::move(state);
  return Value::opaque(std::move(object));
}

Value call_of(std::string_view module, std::string_view name, Value argument) {
  Opaque call;
  call.callable = Value::global(module, name);
  call.arguments = Value::tuple({std::move(argument)});
  return Value::opaque(std::move(call));
}

Value tensor_object(const TensorStorageMetadata& tensor) {
  // The state of all versions of the class: dtype, layout, requires_grad, memory format,
  // pin_memory.
  const Value properties = object_of(
      "TensorProperties",
      Value::tuple({*tensor.dtype, call_of("torch.serialization", "_get_layout", "torch.strided"),
                    false, call_of(kDcpMetadataModule, "_MEM_FORMAT_ENCODING", 0), false}));
  Value chunks = Value::list();
  for (const auto& chunk : tensor.chunks)
    chunks.append(object_of("ChunkStorageMetadata",
                            Value::dict({{"offsets", chunk.offsets}, {"sizes", chunk.sizes}})));
  return object_of(
      "TensorStorageMetadata",
      Value::dict({{"properties", properties}, {"size", tensor.size}, {"chunks", chunks}}));
}

Value index_object(const EntryMetadata& entry, std::size_t i) {
  Value state = Value::dict({{"fqn", entry.name}, {"index", Value()}});
  if (entry.tensor) {
    state["index"] = i;
    state["offset"] = entry.tensor->chunks[i].offsets;
  }
  return object_of("MetadataIndex", state);
}

Value location_object(const StorageInfo& piece) {
  return object_of("_StorageInfo",
                   Value::dict({{"relative_path", piece.relative_path},
                                {"offset", piece.offset},
                                {"length", piece.length},
                                {"transform_descriptors", Value()}}),
                   "torch.distributed.checkpoint.filesystem");
}

}  // namespace

std::string serialize_dcp_metadata(const Metadata& metadata) {
  const Value entries = Value::dict(), paths = Value::dict(), storage = Value::dict();
  for (const EntryMetadata& entry : metadata.entries) {
    entries.as_dict().set(entry.name, entry.tensor ? tensor_object(*entry.tensor)
                                                   : object_of("BytesStorageMetadata", Value()));
    paths.as_dict().set(entry.name, Value::tuple(entry.path));
    for (std::size_t i = 0; i < entry.storage.size(); ++i)
      storage.as_dict().set(index_object(entry, i), location_object(entry.storage[i]));
  }
  const Value root = object_of("Metadata", Value::dict({{"state_dict_metadata", entries},
                                                        {"planner_data", paths},
                                                        {"storage_data", storage},
                                                        {"storage_meta", Value()},
                                                        {"version", "1.0.0"}}));
  SavedStorages none;
  return PickleWriter(none, StorageIds::zip).write(root);
}

}  // namespace taper::io
