// The format from before PyTorch 1.6: pickles of a magic number, a version, the machine, the object
// and the keys of the storages, then for each key a count and the elements.
#include <cstring>
#include <map>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "io/formats.h"
#include "io/pickle_reader.h"
#include "io/storage_id.h"
#include "io/text.h"
#include "taper/core/factory.h"

namespace taper::io {
namespace {

constexpr std::string_view kMagic = "119547037146038801333356";  // 0x1950a86a20f9469cfc6c
constexpr std::int64_t kVersion = 1001;

class LegacyReader {
 public:
  LegacyReader(const MappedFile& file, const LoadOptions& options)
      : file_(file), options_(options) {}

  Value read() {
    const Value magic = next_plain();
    if (magic.kind() != Value::Kind::big_integer || magic.as_string() != kMagic)
      refuse("it is a pickle, but not one of torch.save: Invalid magic number; corrupt file?");
    const Value version = next_plain();
    if (!version.is_int() || version.as_int() != kVersion)
      refuse("Invalid protocol version: " + shown(version.repr()));
    if (!next_plain().is_dict()) refuse("the description of the machine is no dict");
    // The elements come after the object, so it is read twice: first to find them.
    const std::size_t object = at_;
    next([this](const Value& id) { return promised(id); });
    read_keys();
    at_ = object;
    storages_.clear(), rebuilder_ = {};
    return next([this](const Value& id) { return filled(id); });
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    fail<IoError>("load: {}: {}", file_.path(), what);
  }
  Value next(PersistentLoad persistent) {
    PickleReader reader(file_.bytes(), file_.path(), rebuilder_, std::move(persistent), at_);
    Value v = reader.read();
    at_ = reader.used();
    return v;
  }
  Value next_plain() {
    return next([](const Value&) -> Value { fail<ValueError>("a storage is out of place"); });
  }

  /// A storage whose elements were not seen yet. All of them together must fit into the file.
  Value promised(const Value& persistent_id) {
    return load(persistent_id, [this](const StorageId& id) {
      const auto count = static_cast<std::uint64_t>(id.count);
      const std::uint64_t left = file_.bytes().size() - promised_;
      if (count > left || count * size_of(id.dtype) > left)
        fail<ValueError>("storage '{}' of {} {} elements is larger than the file", shown(id.key),
                         id.count, id.dtype);
      promised_ += count * size_of(id.dtype);
      return new_tensor({id.count}, id.dtype, Device::cpu());
    });
  }
  Value filled(const Value& persistent_id) {
    return load(persistent_id, [this](const StorageId& id) {
      const Tensor flat = new_tensor({id.count}, id.dtype, Device::cpu());
      const std::size_t bytes = static_cast<std::size_t>(id.count) * size_of(id.dtype);
      if (bytes)
        std::memcpy(impl(flat).storage->plain().data, file_.bytes().data() + places_.at(id.key),
                    bytes);
      return id.place(flat, options_);
    });
  }
  template <class Make> Value load(const Value& id, const Make& make) {
    // ('module', class, file, source) stands for the class.
    if (id.is_tuple() && id.size() == 4 && id.as_tuple()[0] == Value("module") &&
        id.as_tuple()[1].kind() == Value::Kind::global)
      return id.as_tuple()[1];
    const StorageId storage = StorageId::read(id, 6);
    auto found = storages_.find(storage.key);
    if (found == storages_.end()) {
      found = storages_.emplace(storage.key, make(storage)).first;
      rebuilder_.add_storage(found->second);
    } else {
      storage.check_same(found->second);
    }
    const Value& view = id.as_tuple()[5];
    return view.is_none() ? Value(found->second) : part(found->second, view);
  }
  /// (key, offset, elements): a part of a storage that counts as a storage.
  Value part(const Tensor& whole, const Value& view) {
    const bool fits = view.is_tuple() && view.size() == 3 && view.as_tuple()[0].is_string() &&
                      view.as_tuple()[1].is_int() && view.as_tuple()[2].is_int();
    if (!fits) fail<ValueError>("a view of a storage is not (key, offset, elements)");
    const std::int64_t offset = view.as_tuple()[1].as_int(), count = view.as_tuple()[2].as_int();
    if (offset < 0 || count < 0 || offset > whole.numel() || count > whole.numel() - offset)
      fail<ValueError>("a view of {} elements from element {} does not fit a storage of {}", count,
                       offset, whole.numel());
    const TensorImpl& all = impl(whole);
    const Tensor piece(
        Ref<TensorImpl>::adopt(new TensorImpl(all.storage, {count}, {1}, offset, all.dtype)));
    rebuilder_.add_storage(piece);
    parts_.push_back(piece);
    return piece;
  }

  void read_keys() {
    const Value keys = next_plain();
    if (!keys.is_list()) refuse("the keys of the storages are no list");
    for (const Value& key : keys.as_list()) {
      if (!key.is_string()) refuse("a storage's key is " + key.type_name() + ", expected text");
      const auto found = storages_.find(key.as_string());
      if (found == storages_.end())
        refuse("there are elements for a storage '" + shown(key.as_string()) +
               "' that nothing uses");
      const std::string what = "storage '" + shown(key.as_string()) + "'";
      const std::size_t left = file_.bytes().size() - at_;
      std::int64_t count = 0;
      if (left < sizeof count) refuse("the file is cut short before " + what);
      std::memcpy(&count, file_.bytes().data() + at_, sizeof count);
      at_ += sizeof count;
      if (count != found->second.numel())
        refuse(what + " has " + std::to_string(count) + " elements, where the pickle says " +
               std::to_string(found->second.numel()));
      const std::size_t bytes = static_cast<std::size_t>(count) * size_of(found->second.dtype());
      if (bytes > file_.bytes().size() - at_) refuse("the file is cut short in " + what);
      if (!places_.emplace(key.as_string(), at_).second) refuse(what + " is there twice");
      at_ += bytes;
    }
    for (const auto& [key, storage] : storages_)
      if (!places_.contains(key)) refuse("storage '" + shown(key) + "' has no elements");
  }

  const MappedFile& file_;
  const LoadOptions& options_;
  Rebuilder rebuilder_;
  std::size_t at_ = 0;
  std::uint64_t promised_ = 0;
  std::map<std::string, Tensor> storages_;
  std::map<std::string, std::size_t> places_;  // where the elements of a key begin
  std::vector<Tensor> parts_;
};

}  // namespace

Value read_legacy(const MappedFile& file, const LoadOptions& options) {
  return LegacyReader(file, options).read();
}

}  // namespace taper::io
