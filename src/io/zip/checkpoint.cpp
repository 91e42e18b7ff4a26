// Reader of zip checkpoints: a pickle and one record per storage.
#include <charconv>

#include "core/check.h"
#include "io/flat_tensor.h"
#include "io/formats.h"
#include "io/pickle/globals/storage_id.h"
#include "io/pickle/reader.h"
#include "io/text.h"
#include "io/zip/reader.h"

namespace taper::io {
namespace {

// Limit for an inflated pickle, in addition to the file size. torch.save never compresses it.
constexpr std::uint64_t kMaxInflated = 1u << 24;

/// Lookup of records by their names within the top-level folder of an archive.
class Archive {
 public:
  explicit Archive(const ZipReader& zip) : zip(zip) {
    const std::string_view first = zip.entries().front().name;
    const std::size_t slash = first.find('/');
    if (slash == std::string_view::npos)
      zip.reject("the zip record '{}' is not in a folder", escape_for_message(first));
    name_ = folder_ = first.substr(0, slash + 1);
    for (const ZipReader::Entry& e : zip.entries())
      if (!e.name.starts_with(folder_))
        zip.reject("the zip archive has records in two folders: '{}' and '{}'",
                   escape_for_message(folder_.substr(0, slash)),
                   escape_for_message(e.name.substr(0, e.name.find('/'))));
  }
  /// Returns the entry of a record; null if the record is absent.
  const ZipReader::Entry* find(std::string_view record) {
    name_.resize(folder_.size());
    name_ += record;
    return zip.find(name_);
  }
  const ZipReader::Entry& get(std::string_view record) {
    if (const ZipReader::Entry* e = find(record)) return *e;
    zip.reject("the zip archive has no record '{}'", record);
  }
  /// Returns the contents of a text record. Rejects a record of more than 64 bytes.
  std::string text(std::string_view record) {
    constexpr std::uint64_t kMaxLength = 64;
    const ZipReader::Entry& e = get(record);
    if (e.bytes > kMaxLength) zip.reject("the record '{}' has {} bytes", record, e.bytes);
    std::vector<std::byte> buffer;
    const auto bytes = zip.bytes(e, buffer);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  const ZipReader& zip;

 private:
  std::string_view folder_;  // including the slash
  std::string name_;
};

void check_version(Archive& archive) {
  std::string version = archive.text(
      archive.find(".data/version") && !archive.find("version") ? ".data/version" : "version");
  while (!version.empty() && (version.back() == '\n' || version.back() == ' ')) version.pop_back();
  int number = 0;
  const auto [end, error] =
      std::from_chars(version.data(), version.data() + version.size(), number);
  const bool whole = error == std::errc{} && end == version.data() + version.size();
  if (!whole || number < 1 || number > 10)
    archive.zip.reject("format version '{}' is not supported, expected 1 to 10",
                       escape_for_message(version.substr(0, 20)));
}

bool is_big_endian(Archive& archive) {
  if (!archive.find("byteorder")) return false;
  const std::string order = archive.text("byteorder");
  if (order != "little" && order != "big")
    archive.zip.reject("Unknown endianness type: {}", escape_for_message(order.substr(0, 20)));
  return order == "big";
}

/// Loads the storages of an archive, each of them once.
class StorageLoader {
 public:
  StorageLoader(Archive& archive, GlobalResolver& resolver)
      : archive_(archive),
        resolver_(resolver),
        swap_(is_big_endian(archive)),
        records_(archive.zip.entries().size()) {}

  Value operator()(const Value& persistent_id) {
    release_last_storage();
    const StorageId id = StorageId::read(persistent_id, 5);
    name_.resize(5);
    name_ += id.key;
    const ZipReader::Entry* const e = archive_.find(name_);
    if (id.key.empty() || id.key.find('/') != std::string::npos || !e)
      fail<ValueError>("the archive has no record 'data/{}'", escape_for_message(id.key));
    Record& record = records_[static_cast<std::size_t>(e - archive_.zip.entries().data())];
    last_ = &record;
    if (record.storage) {
      id.check_matches(record.count, record.dtype);
      if (!record.flat.defined()) {
        record.flat = flat_tensor(record.storage, record.count, record.dtype);
        resolver_.add_storage(record.flat);
      }
      return record.flat;
    }
    if (static_cast<std::uint64_t>(id.count) > e->bytes || id.bytes() != e->bytes)
      fail<ValueError>("storage '{}' of {} {} elements does not match its record of {} bytes",
                       escape_for_message(id.key), id.count, id.dtype, e->bytes);
    if (swap_ && id.foreign && id.foreign->bits > 8)
      fail<ValueError>(
          "storage '{}' has elements of {} in big-endian order, which is not "
          "supported",
          escape_for_message(id.key), id.foreign->name);
    record.flat = id.move_to_location(archive_.zip.elements(*e, id.count, id.dtype, swap_),
                                      archive_.zip.context().options());
    record.storage = impl(record.flat).storage;
    record.count = id.count, record.dtype = id.dtype;
    resolver_.add_storage(record.flat, id.foreign);
    return record.flat;
  }

 private:
  struct Record {
    Ref<Storage> storage;
    Tensor flat;  // represents the storage in the pickle; undefined once released
    std::int64_t count = 0;
    DType dtype{};
  };

  /// Releases the tensor that represents the last storage if nothing else refers to it, which is
  /// the common case. Retaining these tensors would double the number of tensor objects.
  void release_last_storage() {
    if (!last_ || !last_->flat.defined() || last_->flat.impl()->use_count() != 1) return;
    resolver_.remove_storage(last_->flat);
    last_->flat = Tensor();
  }

  Archive& archive_;
  GlobalResolver& resolver_;
  bool swap_;
  std::vector<Record> records_;  // indexed by entry
  Record* last_ = nullptr;
  std::string name_ = "data/";
};

}  // namespace

Value read_zip(const ZipReader& zip) {
  Archive archive(zip);
  if (zip.context().options().verify) zip.verify();
  // Searched first, because a missing pickle is the clearest error for an archive that is not a
  // checkpoint.
  const ZipReader::Entry& object = archive.get("data.pkl");
  if (object.bytes > zip.context().bytes().size() + kMaxInflated)
    zip.reject("the pickle inflates to {} bytes", object.bytes);
  check_version(archive);
  std::vector<std::byte> buffer;
  const auto pickle = zip.bytes(object, buffer);
  GlobalResolver resolver(zip.context().strict());
  StorageLoader storages(archive, resolver);
  PickleReader reader(pickle, zip.context().name(), resolver,
                      [&](const Value& id) { return storages(id); });
  return reader.read();
}

}  // namespace taper::io
