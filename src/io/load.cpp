#include "taper/io/load.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "io/mapped_file.h"
#include "io/pickle_reader.h"
#include "io/storage_class.h"
#include "io/zip_reader.h"
#include "taper/core/factory.h"

namespace taper {
namespace io {

Value read_safetensors(const MappedFile& file, const LoadOptions& options);

namespace {

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

std::string text_of(const ZipReader& zip, const std::string& record) {
  std::vector<std::byte> room;
  const auto bytes = zip.read(record, room);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void check_versions(const ZipReader& zip) {
  const std::string record = zip.has("version") ? "version" : ".data/version";
  std::string version = text_of(zip, record);
  while (!version.empty() && (version.back() == '\n' || version.back() == ' ')) version.pop_back();
  const bool digits = !version.empty() && version.size() < 3 &&
                      version.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoi(version) < 1 || std::stoi(version) > 10)
    zip.refuse("format version '" + version.substr(0, 20) + "' is not supported (1 to 10 are)");
}

bool is_big_endian(const ZipReader& zip) {
  if (!zip.has("byteorder")) return false;
  const std::string order = text_of(zip, "byteorder");
  if (order != "little" && order != "big")
    zip.refuse("Unknown endianness type: " + order.substr(0, 20));
  return order == "big";
}

void swap_bytes(std::byte* data, std::size_t bytes, std::size_t element) {
  for (std::size_t i = 0; i + element <= bytes; i += element)
    std::reverse(data + i, data + i + element);
}

/// The storages of an archive, each read once.
class Storages {
 public:
  Storages(const ZipReader& zip, const LoadOptions& options)
      : zip_(zip), options_(options), swap_(is_big_endian(zip)) {}

  Value operator()(const Value& id) {
    const bool fits = id.is_tuple() && id.size() == 5 && id.as_tuple()[0].is_string() &&
                      id.as_tuple()[0].as_string() == "storage" && id.as_tuple()[2].is_string() &&
                      id.as_tuple()[3].is_string() && id.as_tuple()[4].is_int();
    if (!fits) zip_.refuse("a persistent id is not that of a storage");
    const Values& parts = id.as_tuple();
    const DType dtype = dtype_of(parts[1]);
    const std::string key = parts[2].as_string();
    if (const auto found = read_.find(key); found != read_.end()) {
      if (found->second.dtype() != dtype)
        zip_.refuse("storage '" + key + "' is named with two dtypes");
      return found->second;
    }
    const std::string record = "data/" + key;
    const std::int64_t count = parts[4].as_int();
    if (count < 0 || key.empty() || key.find('/') != std::string::npos || !zip_.has(record) ||
        static_cast<std::uint64_t>(count) > zip_.size_of(record) ||
        static_cast<std::uint64_t>(count) * size_of(dtype) != zip_.size_of(record))
      zip_.refuse(taper::text("storage '{}' of {} {} elements does not match its record", key,
                              count, dtype));
    std::vector<std::byte> room;
    const auto bytes = zip_.read(record, room);
    const Tensor flat = new_tensor({count}, dtype, Device::cpu());
    std::byte* to = impl(flat).storage->plain().data;
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    if (swap_) swap_bytes(to, bytes.size(), size_of(dtype));
    const Tensor placed = flat.to(place(parts[3].as_string()));
    read_.emplace(key, placed);
    return placed;
  }

 private:
  DType dtype_of(const Value& cls) const {
    if (cls.kind() == Value::Kind::global) {
      const auto [module, name] = cls.as_global();
      if (module == "torch")
        if (const auto t = dtype_of_storage(name)) return *t;
      if (module == "torch.storage" && name == "UntypedStorage") return DType::u8;
      zip_.refuse("storages of class " + std::string(module) + "." + std::string(name) +
                  " are not supported");
    }
    zip_.refuse("a storage's class is no name");
  }
  Device place(const std::string& location) const {
    if (options_.map_location) return *options_.map_location;
    try {
      return Device(location);
    } catch (const DeviceError&) {
      zip_.refuse("storage location '" + location.substr(0, 40) +
                  "' is unknown; give map_location");
    }
  }

  const ZipReader& zip_;
  const LoadOptions& options_;
  bool swap_;
  std::map<std::string, Tensor> read_;
};

Value read_zip(const MappedFile& file, const LoadOptions& options) {
  const ZipReader zip(file.bytes(), file.path());
  if (zip.has("constants.pkl"))
    zip.refuse(
        "this is a TorchScript archive, not a checkpoint: in Python save "
        "torch.jit.load(file).state_dict() instead");
  check_versions(zip);
  Storages storages(zip, options);
  std::vector<std::byte> room;
  const auto pickle = zip.read("data.pkl", room);
  PickleReader reader(pickle, file.path(), [&](const Value& id) { return storages(id); });
  return reader.read();
}

}  // namespace
}  // namespace io

Value load(const std::string& path, const LoadOptions& options) {
  const io::MappedFile file(path);
  if (io::starts_with(file.bytes(), "PK\3\4")) return io::read_zip(file, options);
  if (io::starts_with(file.bytes(), "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"))
    fail<IoError>(
        "load: {}: this is the format from before PyTorch 1.6, which is not supported yet; in a "
        "recent "
        "Python, torch.save(torch.load(file), file) brings it up to date",
        path);
  if (file.bytes().size() >= 8) return io::read_safetensors(file, options);
  fail<IoError>("load: {}: it is neither a PyTorch zip file nor safetensors ({} bytes)", path,
                file.bytes().size());
}

Value load_safetensors(const std::string& path, const LoadOptions& options) {
  const io::MappedFile file(path);
  return io::read_safetensors(file, options);
}

}  // namespace taper
