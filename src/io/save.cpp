#include "taper/io/save.h"

#include "core/tensor_impl.h"
#include "io/atomic_file.h"
#include "io/pickle_writer.h"
#include "io/zip_writer.h"

namespace taper {
namespace {

/// The name of the folder inside the archive: the file's name without its last extension.
std::string stem_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (const std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0)
    name.resize(dot);
  return name.empty() || name[0] == '.' ? "archive" : name;
}

}  // namespace

void save(const Value& value, const std::string& path) {
  io::PickleWriter pickle;
  const std::string object = pickle.write(value);
  io::AtomicFile file(path);
  io::ZipWriter zip(file, stem_of(path));
  const auto text = [&](const char* name, const std::string& s) {
    zip.add(name, s.data(), s.size());
  };
  text("data.pkl", object);
  text(".format_version", "1");
  text(".storage_alignment", "64");
  text("byteorder", "little");
  for (std::size_t i = 0; i < pickle.storages().size(); ++i) {
    Storage& s = *impl(pickle.storages()[i]).storage;
    zip.add("data/" + std::to_string(i), s.plain().data, s.bytes());
  }
  text("version", "3\n");
  zip.finish();
  file.commit();
}

}  // namespace taper
