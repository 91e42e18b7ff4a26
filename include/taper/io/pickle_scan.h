// scan_pickles: reports the classes and functions that a pickle would use, without executing it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Risk of a name that Python, without weights_only, would import and use.
enum class PickleRisk : std::uint8_t {
  allowed,      ///< permitted by torch.load(weights_only=True)
  data,         ///< class or function known to hold only data: NumPy arrays, dates, paths
  torch_class,  ///< layer, loss, container or optimizer of PyTorch, or another of its names that is
                ///< not called
  code,         ///< name of an unknown module, which may execute arbitrary code
  dangerous  ///< runs commands or code, opens files or connections, or resolves names at run time
};
/// Returns the name of a risk: "allowed", "data", "torch_class", "code" or "dangerous".
std::string_view name_of(PickleRisk risk);
/// Classifies a name such as "os.system". `called` specifies whether it is called or only
/// referenced.
PickleRisk classify_global(std::string_view name, bool called);

/// Class or function that a pickle references.
struct PickledGlobal {
  /// Qualified name, such as "torch._utils._rebuild_tensor_v2"; "(result of os.getenv)" for a
  /// callable that another call returned.
  std::string name;
  std::string record{};                   ///< record of a zip file: "archive/data.pkl"
  std::uint64_t at = 0;                   ///< offset in the pickle of the first reference
  std::uint64_t mentions = 0, calls = 0;  ///< numbers of references and of calls
  bool modified = false;                  ///< attributes of the class or module itself would be set
  PickleRisk risk = PickleRisk::allowed;
};

/// Result of scan_pickles.
struct PickleScan {
  std::vector<PickledGlobal> globals;  ///< in the order of their first reference
  std::size_t pickles = 0;             ///< number of pickles in the file
  /// Positions at which a pickle could not be parsed further: "archive/data.pkl: byte 17: ...".
  /// Python would have executed the part before the position.
  std::vector<std::string> stopped;
};

/// Scans all pickles of a file: those of a zip archive, located by its directory or, if that is
/// damaged, by local headers; those of the legacy format and of NumPy object arrays; or a plain
/// pickle. Supports files that `load` rejects. The result is empty for a file without pickles.
/// Memory use is bounded by the size of the file. Throws IoError if the file cannot be read.
[[nodiscard]] PickleScan scan_pickles(const std::string& path);
/// Scans all pickles in a memory buffer.
[[nodiscard]] PickleScan scan_pickles(std::span<const std::byte> bytes);

}  // namespace taper
