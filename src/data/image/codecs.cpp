// Loading of the image codecs.
#include <dlfcn.h>

#include <atomic>
#include <mutex>

#include "core/library_files.h"
#include "data/image/encoded.h"

namespace taper::data {
namespace {

constexpr char kFileName[] = "libtaper_image_codecs.so";

/// Returns the codecs in a shared library. Otherwise returns null and appends the reason to
/// `problems`.
const ImageCodecs* load_codecs(const std::string& file, std::string& problems) {
  const auto add_problem = [&](const std::string& why) {
    problems += (problems.empty() ? "" : "; ") + why;
  };
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const error = dlerror();
    const std::string why = error ? error : "unknown reason";
    // The text begins with the file that is absent, which may be a library that the codecs need.
    if (!why.starts_with(file + ": cannot open shared object file"))
      add_problem(why);
    else if (problems.empty())
      add_problem(missing_library_text(file));
    return nullptr;
  }
  using Entry = const ImageCodecs* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, kImageCodecsSymbol));
  const ImageCodecs* const codecs = entry ? entry() : nullptr;
  if (codecs && codecs->version == kImageCodecsVersion) return codecs;
  add_problem(file + ": not the image codecs of this version of Taper");
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
  for (const std::string& file : library_files(kFileName))
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
