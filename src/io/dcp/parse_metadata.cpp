// Parser of the metadata of distributed checkpoints.
#include <unordered_map>

#include "core/check.h"
#include "io/dcp/metadata.h"
#include "io/path.h"
#include "io/pickle/globals/resolver.h"
#include "io/pickle/globals/storage_class.h"
#include "io/pickle/reader.h"
#include "io/text.h"
#include "taper/core/dict.h"
#include "taper/io/load_error.h"

namespace taper::io {
namespace {

/// Returns true if `v` is an object of a class of PyTorch's metadata module.
bool is_object_of(const Value& v, std::string_view cls) {
  return v.kind() == Value::Kind::opaque && v.as_opaque().callable.kind() == Value::Kind::global &&
         v.as_opaque().callable.as_global().second == cls;
}

/// Converts the unpickled object. Its functions throw ValueError.
class MetadataParser {
 public:
  Metadata parse(const Value& root) {
    const Value& entries = dict_of(attribute(root, "Metadata", "state_dict_metadata"), "entries");
    read_storage(attribute(root, "Metadata", "storage_data"));
    const Value* const planner_data = find_attribute(root, "Metadata", "planner_data");
    Metadata metadata;
    for (const auto& [name, value] : entries.as_dict()) {
      if (!name.is_string()) fail<ValueError>("the name of an entry is not a string");
      EntryMetadata entry{.name = name.as_string(), .path = {name}};
      if (planner_data && planner_data->is_dict())
        if (const Value* const path = planner_data->find(name)) entry.path = read_path(*path, name);
      if (is_object_of(value, "TensorStorageMetadata"))
        read_tensor(value, entry);
      else if (is_object_of(value, "BytesStorageMetadata"))
        entry.storage.push_back(take_storage(entry.name, nullptr));
      else
        fail<ValueError>("entry '{}' is {}, expected a tensor or bytes", shown(entry.name),
                         value.type_name());
      metadata.entries.push_back(std::move(entry));
    }
    return metadata;
  }

 private:
  static std::string shown(const std::string& name) { return escape_for_message(name); }

  static const Value* find_attribute(const Value& object, std::string_view cls, const char* name) {
    if (!is_object_of(object, cls))
      fail<ValueError>("expected an object of {}, got {}", cls, object.type_name());
    const Value& state = object.as_opaque().state;
    return state.is_dict() ? state.as_dict().find(name) : nullptr;
  }
  static const Value& attribute(const Value& object, std::string_view cls, const char* name) {
    if (const Value* const found = find_attribute(object, cls, name)) return *found;
    fail<ValueError>("an object of {} has no attribute '{}'", cls, name);
  }
  static const Value& dict_of(const Value& v, const char* what) {
    if (!v.is_dict()) fail<ValueError>("the {} are {}, expected a dict", what, v.type_name());
    return v;
  }
  static Shape shape_of(const Value& v, const char* what) {
    Shape shape;
    try {
      shape = v.as_size();
    } catch (const Error&) {
      fail<ValueError>("the {} of a tensor are {}, expected a torch.Size", what, v.type_name());
    }
    for (const std::int64_t n : shape)
      if (n < 0) fail<ValueError>("the {} of a tensor are negative: {}", what, shape);
    return shape;
  }
  static std::uint64_t count_of(const Value& v, const char* what) {
    if (!v.is_int() || v.as_int() < 0)
      fail<ValueError>("the {} of a piece is not a number of bytes", what);
    return static_cast<std::uint64_t>(v.as_int());
  }

  static Values read_path(const Value& path, const Value& name) {
    const bool is_path = (path.is_tuple() || path.is_list()) && path.size() > 0;
    if (!is_path || !path.as_sequence().front().is_string())
      fail<ValueError>("entry '{}' has an invalid path", shown(name.as_string()));
    for (const Value& part : path.as_sequence())
      if (!part.is_string() && !(part.is_int() && part.as_int() >= 0))
        fail<ValueError>("entry '{}' has an invalid path: keys are strings or list indices",
                         shown(name.as_string()));
    return path.as_sequence();
  }

  /// Returns the key under which the location of a piece is stored.
  static std::string piece_key(const std::string& name, const Shape* offsets) {
    return name + '\0' + (offsets ? offsets->str() : "");
  }

  void read_storage(const Value& storage_data) {
    for (const auto& [index, info] : dict_of(storage_data, "locations").as_dict()) {
      const Value& name = attribute(index, "MetadataIndex", "fqn");
      if (!name.is_string()) fail<ValueError>("the name of a piece is not a string");
      const Value* const offset = find_attribute(index, "MetadataIndex", "offset");
      const bool has_offset = offset && !offset->is_none();
      const Shape offsets = has_offset ? shape_of(*offset, "offsets") : Shape();
      const Value& file = attribute(info, "_StorageInfo", "relative_path");
      if (!file.is_string() || !is_file_name(file.as_string()))
        fail<ValueError>("file name '{}' of '{}' must be a file name without a directory",
                         file.is_string() ? shown(file.as_string()) : file.type_name(),
                         shown(name.as_string()));
      const Value* const transforms = find_attribute(info, "_StorageInfo", "transform_descriptors");
      if (transforms && !transforms->is_none() && transforms->size() > 0)
        fail<ValueError>("'{}' is stored with transformations {}, which are not supported",
                         shown(name.as_string()), escape_for_message(transforms->repr()));
      StorageInfo piece{.relative_path = file.as_string(),
                        .offset = count_of(attribute(info, "_StorageInfo", "offset"), "offset"),
                        .length = count_of(attribute(info, "_StorageInfo", "length"), "length")};
      const auto [it, is_new] = storage_.try_emplace(
          piece_key(name.as_string(), has_offset ? &offsets : nullptr), std::move(piece));
      if (!is_new) fail<ValueError>("'{}' has two locations of one piece", shown(name.as_string()));
    }
  }

  StorageInfo take_storage(const std::string& name, const Shape* offsets) const {
    const auto found = storage_.find(piece_key(name, offsets));
    if (found == storage_.end())
      fail<ValueError>("'{}' has no location of the piece{}", shown(name),
                       offsets ? " at " + offsets->str() : "");
    return found->second;
  }

  void read_tensor(const Value& value, EntryMetadata& entry) const {
    TensorStorageMetadata tensor;
    const Value& properties = attribute(value, "TensorStorageMetadata", "properties");
    if (!is_object_of(properties, "TensorProperties"))
      fail<ValueError>("'{}' has no element type", shown(entry.name));
    const Value& state = properties.as_opaque().state;
    const Value* const dtype = state.is_tuple() && state.size() > 0 ? &state.as_tuple()[0]
                               : state.is_dict()                    ? state.find("dtype")
                                                                    : nullptr;
    if (dtype && dtype->kind() == Value::Kind::dtype) {
      tensor.dtype = dtype->as_dtype();
      tensor.dtype_name = name_of(*tensor.dtype);
    } else if (dtype && dtype->kind() == Value::Kind::global) {
      tensor.dtype_name = dtype->as_global().second;
    } else {
      fail<ValueError>("'{}' has no element type", shown(entry.name));
    }
    tensor.size = shape_of(attribute(value, "TensorStorageMetadata", "size"), "sizes");
    const Value& chunks = attribute(value, "TensorStorageMetadata", "chunks");
    if (!chunks.is_list()) fail<ValueError>("the chunks of '{}' are not a list", shown(entry.name));
    for (const Value& chunk : chunks.as_list()) {
      ChunkStorageMetadata part{
          shape_of(attribute(chunk, "ChunkStorageMetadata", "offsets"), "offsets"),
          shape_of(attribute(chunk, "ChunkStorageMetadata", "sizes"), "sizes")};
      entry.storage.push_back(take_storage(entry.name, &part.offsets));
      tensor.chunks.push_back(std::move(part));
    }
    entry.tensor = std::move(tensor);
  }

  std::unordered_map<std::string, StorageInfo> storage_;
};

}  // namespace

Metadata parse_dcp_metadata(std::span<const std::byte> bytes, const std::string& path) {
  // The objects of the pickle are opaque values, from which only the expected ones are read.
  const GlobalResolver resolver(false);
  PickleReader reader(bytes, path, resolver, [](const Value&) -> Value {
    fail<ValueError>("unexpected storage in the metadata");
  });
  const Value root = reader.read();
  std::string why;
  try {
    Metadata metadata = MetadataParser().parse(root);
    why = find_dcp_error(metadata);
    if (why.empty()) return metadata;
  } catch (const ValueError& e) { why = e.message(); }
  throw LoadError(
      path, escape_for_message("metadata of a distributed checkpoint: " + why, kMaxReasonLength));
}

}  // namespace taper::io
