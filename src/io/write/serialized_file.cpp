#include "io/write/serialized_file.h"

#include <cstring>

#include "io/pickle/writer.h"
#include "io/zip/writer.h"

namespace taper::io {

void SerializedFile::write(Output& out) const {
  if (!folder) {
    for (const Section& p : parts) out.write(p.content().data(), p.content().size());
    return;
  }
  ZipWriter zip(out, *folder);
  for (const Section& p : parts) zip.add(p.name, p.content());
  zip.finish();
}

void SerializedFile::snapshot() {
  for (Section& p : parts) {
    if (!p.storage) continue;
    auto copy = Ref<Storage>::adopt(new Storage(Device::cpu(), p.bytes.size()));
    std::byte* const to = copy->row_major_buffer().data;
    if (!p.bytes.empty()) std::memcpy(to, p.bytes.data(), p.bytes.size());
    p.bytes = {to, p.bytes.size()};
    p.storage = std::move(copy);
  }
}

std::size_t SerializedFile::size() const {
  std::size_t bytes = 0;
  for (const Section& p : parts) bytes += p.content().size();
  return bytes;
}

SerializedFile zip_file(const Value& value, const std::string& folder) {
  SavedStorages storages;
  SerializedFile d;
  d.folder = folder;
  d.parts.push_back(
      {.name = "data.pkl", .text = PickleWriter(storages, StorageIds::zip).write(value)});
  d.parts.push_back({.name = ".format_version", .text = "1"});
  d.parts.push_back({.name = ".storage_alignment", .text = std::to_string(kAlignment)});
  d.parts.push_back({.name = "byteorder", .text = "little"});
  for (const SavedStorage& s : storages.all())
    d.parts.push_back({.name = "data/" + s.key(), .storage = s.storage, .bytes = s.bytes()});
  d.parts.push_back({.name = "version", .text = "3\n"});
  return d;
}

}  // namespace taper::io
