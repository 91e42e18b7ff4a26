#include "folder.h"

#include <filesystem>

namespace taper::bench {

namespace {

struct Folder {
  explicit Folder(const std::filesystem::path& parent) {
    std::string name = parent / "taper_bench_XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

}  // namespace

const std::string& temp_folder() {
  static const Folder folder(std::filesystem::temp_directory_path());
  return folder.path;
}

const std::string& memory_folder() {
  static const Folder folder("/dev/shm");
  return folder.path;
}

}  // namespace taper::bench
