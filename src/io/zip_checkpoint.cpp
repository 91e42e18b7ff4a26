// A checkpoint in a zip archive: a pickle, and a record for each storage.
#include <algorithm>
#include <cstring>
#include <map>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "io/formats.h"
#include "io/pickle_reader.h"
#include "io/storage_id.h"
#include "io/text.h"
#include "io/zip_reader.h"
#include "taper/core/factory.h"

namespace taper::io {
namespace {

// Beyond the size of the file. Python never compresses a pickle.
constexpr std::uint64_t kMostInflated = 1u << 24;

std::string text_of(const ZipReader& zip, const std::string& record) {
  constexpr std::uint64_t kLongest = 64;
  if (zip.size_of(record) > kLongest)
    zip.refuse("the record '" + record + "' has " + std::to_string(zip.size_of(record)) + " bytes");
  std::vector<std::byte> room;
  const auto bytes = zip.read(record, room);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void check_versions(const ZipReader& zip) {
  if (!zip.has("version") && !zip.has(".data/version"))
    zip.refuse("the zip archive has no record 'version'");
  const std::string record = zip.has("version") ? "version" : ".data/version";
  std::string version = text_of(zip, record);
  while (!version.empty() && (version.back() == '\n' || version.back() == ' ')) version.pop_back();
  const bool digits = !version.empty() && version.size() < 3 &&
                      version.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoi(version) < 1 || std::stoi(version) > 10)
    zip.refuse("format version '" + shown(version.substr(0, 20)) +
               "' is not supported (1 to 10 are)");
}

bool is_big_endian(const ZipReader& zip) {
  if (!zip.has("byteorder")) return false;
  const std::string order = text_of(zip, "byteorder");
  if (order != "little" && order != "big")
    zip.refuse("Unknown endianness type: " + shown(order.substr(0, 20)));
  return order == "big";
}

/// The storages of an archive, each read once.
class Storages {
 public:
  Storages(const ZipReader& zip, const LoadOptions& options, Rebuilder& rebuilder)
      : zip_(zip), options_(options), rebuilder_(rebuilder), swap_(is_big_endian(zip)) {}

  Value operator()(const Value& persistent_id) {
    const StorageId id = StorageId::read(persistent_id, 5);
    if (const auto found = read_.find(id.key); found != read_.end()) {
      id.check_same(found->second);
      return found->second;
    }
    const std::string record = "data/" + id.key;
    const auto count = static_cast<std::uint64_t>(id.count);
    if (id.key.empty() || id.key.find('/') != std::string::npos || !zip_.has(record))
      fail<ValueError>("the archive has no record 'data/{}'", shown(id.key));
    const std::uint64_t there = zip_.size_of(record);
    if (count > there || count * size_of(id.dtype) != there)
      fail<ValueError>("storage '{}' of {} {} elements does not match its record of {} bytes",
                       shown(id.key), id.count, id.dtype, there);
    std::vector<std::byte> room;
    const auto bytes = zip_.read(record, room);
    const Tensor flat = new_tensor({id.count}, id.dtype, Device::cpu());
    std::byte* to = impl(flat).storage->plain().data;
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    if (swap_) swap_bytes(to, bytes.size(), size_of(id.dtype));
    const Tensor placed = id.place(flat, options_);
    read_.emplace(id.key, placed);
    rebuilder_.add_storage(placed);
    return placed;
  }

 private:
  const ZipReader& zip_;
  const LoadOptions& options_;
  Rebuilder& rebuilder_;
  bool swap_;
  std::map<std::string, Tensor> read_;
};

}  // namespace

void swap_bytes(std::byte* data, std::size_t bytes, std::size_t element) {
  for (std::size_t i = 0; i + element <= bytes; i += element)
    std::reverse(data + i, data + i + element);
}

Value read_zip(const MappedFile& file, const LoadOptions& options) {
  const ZipReader zip(file.bytes(), file.path());
  if (zip.has("constants.pkl"))
    zip.refuse(
        "this is a TorchScript archive, not a checkpoint: in Python save "
        "torch.jit.load(file).state_dict() instead");
  // What is not a checkpoint at all is better said by the missing pickle than by the version.
  if (zip.size_of("data.pkl") > file.bytes().size() + kMostInflated)
    zip.refuse("its pickle inflates to " + std::to_string(zip.size_of("data.pkl")) + " bytes");
  std::vector<std::byte> room;
  const auto pickle = zip.read("data.pkl", room);
  check_versions(zip);
  Rebuilder rebuilder;
  Storages storages(zip, options, rebuilder);
  PickleReader reader(pickle, file.path(), rebuilder,
                      [&](const Value& id) { return storages(id); });
  return reader.read();
}

}  // namespace taper::io
