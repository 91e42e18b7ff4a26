#include "core/library_files.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

namespace taper {
namespace {

namespace fs = std::filesystem;

/// Returns the path of the program or library that contains this function. Empty if it is a program
/// that was found by PATH, which is known by its name only.
fs::path own_file() {
  Dl_info own{};
  if (!dladdr(reinterpret_cast<const void*>(&own_file), &own) || !own.dli_fname) return {};
  const fs::path file(own.dli_fname);
  return file.has_parent_path() ? file : fs::path();
}

/// Returns the directory of the program or library that contains this function, and that of the
/// program, which may be the same.
std::vector<fs::path> own_directories() {
  std::vector<fs::path> directories;
  const auto add = [&](const fs::path& file, std::error_code error) {
    if (!error && file.has_parent_path()) directories.push_back(file.parent_path());
  };
  std::error_code error;
  if (const fs::path file = own_file(); !file.empty()) {
    const fs::path canonical = fs::canonical(file, error);
    add(canonical, error);
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  add(program, error);
  return directories;
}

/// Appends the directories in which the loader searches libraries for the program (if `file` is
/// null) or the library `file`: its run path, LD_LIBRARY_PATH and those of the system.
void append_search_path(const char* file, std::vector<fs::path>& directories) {
#ifdef __GLIBC__
  void* const handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return;
  Dl_serinfo size{};
  if (dlinfo(handle, RTLD_DI_SERINFOSIZE, &size) == 0) {
    const auto memory = std::make_unique<std::max_align_t[]>(
        (size.dls_size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
    auto* const list = reinterpret_cast<Dl_serinfo*>(memory.get());
    list->dls_size = size.dls_size, list->dls_cnt = size.dls_cnt;
    if (dlinfo(handle, RTLD_DI_SERINFO, list) == 0)
      for (unsigned i = 0; i < list->dls_cnt; ++i)
        if (*list->dls_serpath[i].dls_name) directories.emplace_back(list->dls_serpath[i].dls_name);
  }
  dlclose(handle);
#else
  static_cast<void>(file), static_cast<void>(directories);
#endif
}

}  // namespace

std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  const auto add = [&](const fs::path& folder) {
    fs::path normal = folder.lexically_normal();
    if (!normal.has_filename()) normal = normal.parent_path();  // of a path that ends with a slash
    if (std::find(folders.begin(), folders.end(), normal) == folders.end())
      folders.push_back(normal);
  };
  for (const fs::path& directory : own_directories())
    for (const char* folder : {".", "taper", "../lib", "../lib/taper", "../" TAPER_INSTALL_LIBDIR,
                               "../" TAPER_INSTALL_LIBDIR "/taper"})
      add(directory / folder);
  // A program that links the library statically may be in any directory. Its run path contains the
  // library's folder, which contains that of its modules.
  std::vector<fs::path> searched;
  append_search_path(nullptr, searched);
  if (const fs::path file = own_file(); !file.empty()) append_search_path(file.c_str(), searched);
  for (const fs::path& directory : searched) add(directory / "taper");
  add(TAPER_INSTALL_FULL_LIBDIR), add(TAPER_INSTALL_FULL_LIBDIR "/taper");
  if (const char* const more = std::getenv(kLibraryPathVariable)) {
    std::istringstream list(more);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty()) add(folder);
  }
  return folders;
}

std::vector<std::string> library_files(const std::string& name) {
  std::vector<std::string> files;
  for (const std::string& folder : library_folders()) {
    std::error_code error;
    if (fs::path file = fs::path(folder) / name; fs::is_regular_file(file, error))
      files.push_back(std::move(file));
  }
  files.push_back(name);
  return files;
}

std::string missing_library_text(const std::string& name) {
  std::string text = "'" + name + "' was not found in ";
  for (const std::string& folder : library_folders()) text += folder + ", ";
  return text + "or on the library path";
}

}  // namespace taper
