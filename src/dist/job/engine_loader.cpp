#include "dist/job/engine_loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

#include "core/check.h"
#include "core/library_files.h"
#include "core/never_destroyed.h"

namespace taper::distributed {
namespace {

using Candidates = std::vector<std::string>;

/// Returns the directory of the engines if it is set, otherwise null.
const char* engine_folder() {
  const char* const folder = std::getenv("TAPER_DIST_ENGINES");
  return folder && *folder ? folder : nullptr;
}

Candidates mpi_candidates(const Launch& launch) {
  switch (launch.launcher) {
    case Launcher::open_mpi: return {"openmpi"};
    case Launcher::pmi: return {"mpich"};
    case Launcher::slurm: return {launch.has_mpi ? "openmpi" : "mpich"};
    default: return {"openmpi", "mpich"};
  }
}

/// Returns the table of a library; null and the reason otherwise, unless there is no such file.
const taper_dist_engine* open_engine(const std::string& file, std::string& problem) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const error = dlerror();
    const std::string why = error ? error : "unknown reason";
    // The text begins with the file that is absent, which may be a library that the engine needs.
    const bool is_absent = why.starts_with(file + ": cannot open shared object file");
    // The last file is the name alone: why a file that exists cannot be loaded is more specific.
    if (problem.empty() && !is_absent) problem = why;
    return nullptr;
  }
  const auto entry = reinterpret_cast<taper_dist_entry>(dlsym(library, TAPER_DIST_ENTRY));
  const taper_dist_engine* const engine = entry ? entry() : nullptr;
  if (engine && engine->version == TAPER_DIST_ABI_VERSION) return engine;
  problem = engine ? format_message("{}: engine ABI version mismatch: got {}, expected {}", file,
                                    engine->version, TAPER_DIST_ABI_VERSION)
                   : format_message("{}: symbol '{}' not found", file, TAPER_DIST_ENTRY);
  return nullptr;
}

/// Returns where an engine was looked for, and how to get it.
std::string missing_engine_text(const std::string& name, const std::string& file_name) {
  struct Provider {
    std::string_view engine, library, package;
  };
  constexpr std::array kProviders = {Provider{"gloo", "Gloo", "libgloo-dev"},
                                     Provider{"openmpi", "Open MPI", "libopenmpi-dev"},
                                     Provider{"mpich", "MPICH", "libmpich-dev"}};
  const auto* const provider =
      std::find_if(kProviders.begin(), kProviders.end(),
                   [&](const Provider& candidate) { return candidate.engine == name; });
  const char* const folder = engine_folder();
  const std::string place =
      folder ? format_message("{}/{}: cannot open the file in the directory of TAPER_DIST_ENGINES",
                              folder, file_name)
             : missing_library_text(file_name);
  return format_message(
      "{}. Install {} ({} on Debian) and build Taper again, or set TAPER_DIST_ENGINES to the "
      "directory of the engine",
      place, provider->library, provider->package);
}

}  // namespace

std::vector<std::string> engine_candidates(const std::string& backend, const Launch& launch,
                                           bool has_communicator) {
  if (backend == "mpi" || (backend.empty() && has_communicator)) return mpi_candidates(launch);
  if (backend == "gloo" || backend == "openmpi" || backend == "mpich") return {backend};
  if (!backend.empty())
    fail<ValueError>(
        "init_process_group: unknown backend '{}', expected 'threads', 'gloo' or 'mpi'", backend);
  if (launch.launcher == Launcher::open_mpi) return {"openmpi", "gloo"};
  if (launch.launcher == Launcher::pmi) return {"mpich", "gloo"};
  return {"gloo"};
}

const taper_dist_engine* load_engine(const std::string& name, std::string& problem) {
  static std::mutex mutex;
  static NeverDestroyed<std::map<std::string, const taper_dist_engine*>> engines;
  const std::lock_guard lock(mutex);
  if (const auto found = engines->find(name); found != engines->end()) return found->second;
  const std::string file_name = "libtaper_dist_" + name + ".so";
  std::vector<std::string> files;
  if (const char* const folder = engine_folder())
    files = {std::string(folder) + "/" + file_name};
  else
    files = library_files(file_name);
  for (const std::string& file : files)
    if (const taper_dist_engine* const engine = open_engine(file, problem))
      return (*engines)[name] = engine;
  if (problem.empty()) problem = missing_engine_text(name, file_name);
  return nullptr;
}

}  // namespace taper::distributed
