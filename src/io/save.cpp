#include "taper/io/save.h"

#include "core/check.h"
#include "io/atomic_file.h"
#include "io/pickle_writer.h"
#include "io/zip_writer.h"

namespace taper {
namespace {

/// The name of the folder inside the archive: the file's name without its last extension.
std::string stem_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) name.resize(dot);
  if (name.empty()) fail<RuntimeError>("save: invalid file name: {}", path);
  return name;
}

void write_zip(const std::string& pickle, const io::SavedStorages& storages, io::Output& out,
               const std::string& folder) {
  io::ZipWriter zip(out, folder);
  const auto text = [&](const char* name, const std::string& s) {
    zip.add(name, s.data(), s.size());
  };
  text("data.pkl", pickle);
  text(".format_version", "1");
  text(".storage_alignment", "64");
  text("byteorder", "little");
  for (const io::SavedStorage& s : storages.all())
    zip.add("data/" + s.key, s.bytes().data(), s.bytes().size());
  text("version", "3\n");
  zip.finish();
}

}  // namespace

void save(const Value& value, const std::string& path, const SaveOptions&) {
  io::SavedStorages storages;
  const std::string pickle = io::PickleWriter(storages, io::StorageIds::zip).write(value);
  const std::string folder = stem_of(path);
  io::AtomicFile file(path);
  write_zip(pickle, storages, file, folder);
  file.commit();
}

void save(const Value& value, std::ostream& stream, const SaveOptions&) {
  io::SavedStorages storages;
  const std::string pickle = io::PickleWriter(storages, io::StorageIds::zip).write(value);
  io::StreamOutput out(stream);
  write_zip(pickle, storages, out, "archive");
}

std::vector<std::byte> save_to_bytes(const Value& value, const SaveOptions&) {
  io::SavedStorages storages;
  const std::string pickle = io::PickleWriter(storages, io::StorageIds::zip).write(value);
  io::MemoryOutput out;
  write_zip(pickle, storages, out, "archive");
  return out.take();
}

}  // namespace taper
