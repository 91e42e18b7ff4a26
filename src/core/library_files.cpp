#include "core/library_files.h"

#include <dlfcn.h>

#include <filesystem>

namespace taper {
namespace {

namespace fs = std::filesystem;

/// Returns the directory of the program or library that contains this function, and that of the
/// program, which may be the same.
std::vector<fs::path> own_directories() {
  std::vector<fs::path> directories;
  std::error_code error;
  const auto add = [&](const fs::path& file) {
    if (!error && file.has_parent_path()) directories.push_back(file.parent_path());
  };
  Dl_info own{};
  // The path of a program is its name as called, which is not a path if it was found by PATH.
  if (dladdr(reinterpret_cast<const void*>(&own_directories), &own) && own.dli_fname &&
      fs::path(own.dli_fname).has_parent_path())
    add(fs::canonical(own.dli_fname, error));
  add(fs::read_symlink("/proc/self/exe", error));
  return directories;
}

}  // namespace

std::vector<std::string> library_files(const std::string& name) {
  std::vector<std::string> files;
  for (const fs::path& directory : own_directories())
    for (const char* folder : {".", "taper", "../lib", "../lib/taper", "../" TAPER_INSTALL_LIBDIR,
                               "../" TAPER_INSTALL_LIBDIR "/taper"}) {
      const fs::path file = (directory / folder / name).lexically_normal();
      std::error_code error;
      if (fs::is_regular_file(file, error)) files.push_back(file);
    }
  // A program that links the library statically may be in any directory.
  for (const char* folder : {TAPER_INSTALL_FULL_LIBDIR, TAPER_INSTALL_FULL_LIBDIR "/taper"}) {
    const fs::path file = fs::path(folder) / name;
    std::error_code error;
    if (fs::is_regular_file(file, error)) files.push_back(file);
  }
  files.push_back(name);
  return files;
}

}  // namespace taper
