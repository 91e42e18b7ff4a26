#include "folder.h"

#include <filesystem>

namespace taper::bench {

const std::string& workplace() {
  struct Folder {
    std::string path;
    Folder() {
      std::string name = std::filesystem::temp_directory_path() / "taper_bench_XXXXXX";
      path = mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
  };
  static const Folder folder;
  return folder.path;
}

}  // namespace taper::bench
