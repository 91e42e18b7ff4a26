// Reader of the format of torch.save before PyTorch 1.6: pickles of a magic number, a version, the
// system information, the object and the storage keys, followed by an element count and the
// elements for each key.
#include <cstring>
#include <map>

#include "core/check.h"
#include "io/flat_tensor.h"
#include "io/formats.h"
#include "io/pickle/globals/storage_id.h"
#include "io/pickle/python_advice.h"
#include "io/pickle/reader.h"
#include "io/text.h"
#include "taper/core/factory.h"

namespace taper::io {
namespace {

constexpr std::string_view kMagic = "119547037146038801333356";  // 0x1950a86a20f9469cfc6c
constexpr std::int64_t kVersion = 1001;

class LegacyReader {
 public:
  explicit LegacyReader(LoadContext& context) : context_(context), resolver_(context.strict()) {}

  Value read() {
    const Value magic = read_magic();
    if (magic.kind() != Value::Kind::big_integer || magic.as_string() != kMagic)
      reject_foreign_pickle("Invalid magic number; corrupt file?");
    if (context_.options().mmap.value_or(false))
      fail<RuntimeError>(
          "load: {}: mmap requires a zip checkpoint of PyTorch 1.6 or later, got an older format",
          context_.name());
    const Value version = read_header_pickle();
    if (!version.is_int() || version.as_int() != kVersion)
      context_.reject("Invalid protocol version: {}",
                      version.is_int() ? std::to_string(version.as_int()) : version.type_name());
    if (!read_header_pickle().is_dict())
      context_.reject("invalid system information: expected a dict");
    const std::size_t object = offset_;
    const Value result = next([this](const Value& id) { return load(id); });
    // The elements follow the object in the file, so the tensors are created first and filled here.
    read_keys();
    if (!has_non_cpu_storage_) return result;
    offset_ = object;
    return next([this](const Value& id) { return load(id); });
  }

 private:
  [[noreturn]] void reject_foreign_pickle(const std::string& why) {
    context_.reject("the pickle was not written by torch.save: {}{}", why,
                    python_advice(context_.bytes(), "load it and save it with torch.save"));
  }

  /// Reads the first pickle. If that fails and the file does not begin with the magic number, the
  /// error reports that torch.save did not write the file: the output of pickle.dump is a more
  /// likely cause than a damaged checkpoint.
  Value read_magic() {
    try {
      return read_header_pickle();
    } catch (const IoError& e) {
      if (detect_file_kind(context_.bytes()) != FileKind::pickle) throw;
      std::string why = e.message();
      const std::size_t position = why.find("pickle byte ");
      reject_foreign_pickle("(" + why.substr(position == why.npos ? 0 : position) + ")");
    }
  }

  struct StorageRecord {
    Tensor flat;
    const ForeignDType* foreign;
    std::int64_t count;  // number of elements of the saved dtype, which is `foreign` if not null
    std::string location;
    bool filled = false;
  };

  Value next(PersistentLoad persistent) {
    PickleReader reader(context_.bytes(), context_.name(), resolver_, std::move(persistent),
                        offset_);
    Value v = reader.read();
    offset_ = reader.used();
    return v;
  }
  Value read_header_pickle() {
    return next(
        [](const Value&) -> Value { fail<ValueError>("unexpected storage in the file header"); });
  }

  Value load(const Value& id) {
    // torch.save stored a class together with its source: ('module', class, file, source).
    if (id.is_tuple() && id.size() == 4 && id.as_tuple()[0] == Value("module") &&
        id.as_tuple()[1].kind() == Value::Kind::global)
      return id.as_tuple()[1];
    const StorageId storage = StorageId::read(id, 6);
    auto found = storages_.find(storage.key);
    if (found == storages_.end())
      found = storages_.emplace(storage.key, allocate_storage(storage, id.as_tuple()[4].as_int()))
                  .first;
    else
      storage.check_matches(found->second.flat.numel(), found->second.flat.dtype());
    const Value& view = id.as_tuple()[5];
    return view.is_none() ? Value(found->second.flat) : part(found->second, view);
  }

  /// Allocates a storage whose elements are read later. Throws ValueError if the total size of all
  /// storages exceeds the size of the file.
  StorageRecord allocate_storage(const StorageId& id, std::int64_t count) {
    const std::uint64_t left = context_.bytes().size() - allocated_bytes_;
    if (static_cast<std::uint64_t>(id.count) > left || id.bytes() > left)
      fail<ValueError>("storage '{}' of {} {} elements is larger than the file",
                       escape_for_message(id.key), id.count, id.dtype);
    allocated_bytes_ += id.bytes();
    // Checks that the location is available here, where an error can name the key in the value.
    const Tensor probe = new_tensor({0}, id.dtype, Device::cpu());
    has_non_cpu_storage_ |= !id.move_to_location(probe, context_.options()).device().is_cpu();
    StorageRecord known{new_tensor({id.count}, id.dtype, Device::cpu()), id.foreign, count,
                        id.location};
    resolver_.add_storage(known.flat, id.foreign);
    return known;
  }

  /// Returns the part of a storage that `view`, a tuple (key, offset, elements), describes.
  Value part(const StorageRecord& whole, const Value& view) {
    const bool fits = view.is_tuple() && view.size() == 3 && view.as_tuple()[0].is_string() &&
                      view.as_tuple()[1].is_int() && view.as_tuple()[2].is_int();
    if (!fits)
      fail<ValueError>("invalid view of a storage: expected a tuple (key, offset, elements)");
    std::int64_t offset = view.as_tuple()[1].as_int(), count = view.as_tuple()[2].as_int();
    if (offset < 0 || count < 0 || offset > whole.count || count > whole.count - offset)
      fail<ValueError>(
          "view out of range: got {} elements at offset {} of a storage of {} elements", count,
          offset, whole.count);
    if (whole.foreign) offset *= whole.foreign->bits / 8, count *= whole.foreign->bits / 8;
    Tensor& piece = views_[view.as_tuple()[0].as_string()];
    const TensorImpl& all = impl(whole.flat);
    if (piece.defined() && (impl(piece).storage != all.storage || impl(piece).offset != offset ||
                            piece.numel() != count))
      fail<ValueError>(
          "conflicting definitions of storage view '{}': got {} elements and {} elements",
          escape_for_message(view.as_tuple()[0].as_string()), piece.numel(), count);
    if (piece.defined()) return piece;
    piece = flat_tensor(all.storage, count, all.dtype, offset);
    resolver_.add_storage(piece, whole.foreign);
    return piece;
  }

  void read_keys() {
    const Value keys = read_header_pickle();
    if (!keys.is_list()) context_.reject("invalid storage keys: expected a list");
    for (const Value& key : keys.as_list()) {
      if (!key.is_string())
        context_.reject("invalid storage key: got {}, expected a string", key.type_name());
      const auto found = storages_.find(key.as_string());
      if (found == storages_.end())
        context_.reject("unused storage '{}' (byte {})", escape_for_message(key.as_string()),
                        offset_);
      fill(found->second, "storage '" + escape_for_message(key.as_string()) + "'");
    }
    for (const auto& [key, piece] : views_) resolver_.remove_storage(piece);
    views_.clear();  // they are views of the CPU storages, which the loop below may replace
    for (auto& [key, known] : storages_) {
      if (!known.filled) context_.reject("storage '{}' has no data", escape_for_message(key));
      if (has_non_cpu_storage_) {
        const StorageId id{known.flat.dtype(), known.foreign, key, known.location, 0};
        resolver_.remove_storage(known.flat);
        known.flat = id.move_to_location(known.flat, context_.options());
        resolver_.add_storage(known.flat, known.foreign);
      }
    }
  }

  void fill(StorageRecord& known, const std::string& what) {
    const std::size_t begin = offset_;
    std::int64_t count = 0;
    if (context_.bytes().size() - offset_ < sizeof count)
      context_.reject("the file is truncated before {} (byte {})", what, begin);
    std::memcpy(&count, context_.bytes().data() + offset_, sizeof count);
    offset_ += sizeof count;
    if (count != known.count)
      context_.reject("{}: got {} elements, expected {} (byte {})", what, count, known.count,
                      begin);
    const std::size_t bytes = impl(known.flat).storage->bytes();
    if (bytes > context_.bytes().size() - offset_)
      context_.reject("the file is truncated in {} (byte {})", what, begin);
    if (known.filled) context_.reject("{} is duplicated (byte {})", what, begin);
    known.filled = true;
    context_.fill(known.flat, offset_);
    offset_ += bytes;
  }

  LoadContext& context_;
  GlobalResolver resolver_;
  std::size_t offset_ = 0;
  std::uint64_t allocated_bytes_ = 0;
  bool has_non_cpu_storage_ = false;  // true if a storage is loaded to a device other than the CPU
  std::map<std::string, StorageRecord> storages_;
  std::map<std::string, Tensor> views_;  // indexed by the key of the view
};

}  // namespace

Value read_legacy(LoadContext& context) { return LegacyReader(context).read(); }

}  // namespace taper::io
