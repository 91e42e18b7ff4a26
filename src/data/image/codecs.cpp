// Loading of the image codecs.
#include <dlfcn.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <vector>

#include "data/image/encoded.h"

namespace taper::data {
namespace {

namespace fs = std::filesystem;

constexpr char kFileName[] = "libtaper_image_codecs.so";

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

/// Returns the files that may contain the codecs: beside the library or the program, in the library
/// folder beside that of the program, or on the library path.
std::vector<std::string> candidates() {
  std::vector<std::string> files;
  for (const fs::path& directory : own_directories())
    for (const char* folder : {".", "../lib", "../" TAPER_INSTALL_LIBDIR}) {
      const fs::path file = (directory / folder / kFileName).lexically_normal();
      std::error_code error;
      if (fs::is_regular_file(file, error)) files.push_back(file);
    }
  files.emplace_back(kFileName);
  return files;
}

/// Returns the codecs in a shared library. Otherwise returns null and appends the reason to
/// `problems`.
const ImageCodecs* load_codecs(const std::string& file, std::string& problems) {
  const auto add_problem = [&](const char* why) {
    problems += (problems.empty() ? "" : "; ") + std::string(why);
  };
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const why = dlerror();
    add_problem(why ? why : "unknown reason");
    return nullptr;
  }
  using Entry = const ImageCodecs* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, kImageCodecsSymbol));
  const ImageCodecs* const codecs = entry ? entry() : nullptr;
  if (codecs && codecs->version == kImageCodecsVersion) return codecs;
  add_problem((file + ": not the image codecs of this version of Taper").c_str());
  dlclose(library);
  return nullptr;
}

}  // namespace

const ImageCodecs& image_codecs(const std::string& name) {
  static std::atomic<const ImageCodecs*> loaded = nullptr;
  static std::mutex mutex;
  if (const ImageCodecs* codecs = loaded.load(std::memory_order_acquire)) return *codecs;
  const std::lock_guard lock(mutex);
  std::string problems;
  for (const std::string& file : candidates())
    if (const ImageCodecs* codecs = load_codecs(file, problems)) {
      loaded.store(codecs, std::memory_order_release);
      return *codecs;
    }
  fail<RuntimeError>(
      "{}: cannot load the image codecs {}, which JPEG and PNG images require: {}. Install the "
      "library beside Taper's; it is built if the headers of libjpeg and libpng are found.",
      name, kFileName, problems);
}

}  // namespace taper::data
