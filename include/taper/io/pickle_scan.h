// What a pickle would have Python do, found without doing any of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// What it means that Python, not weights_only, would import and use a name of a pickle.
enum class PickleRisk : std::uint8_t {
  allowed,  ///< torch.load(weights_only=True) allows it
  data,     ///< a class or function that is known to only hold data: NumPy's arrays, dates, paths
  torch_class,  ///< a layer, loss, container or optimizer of PyTorch, or a name of it that is not
                ///< called
  code,  ///< of a module that is not known: whatever that module does when it is imported or called
  dangerous  ///< runs commands or code, opens files or connections, or looks names up at run time
};
/// "allowed", "data", "torch_class", "code", "dangerous".
std::string_view name_of(PickleRisk risk);
/// Judges a name such as "os.system"; `called`: whether it is called, or only named.
PickleRisk judge_global(std::string_view name, bool called);

/// A class or function that a pickle names.
struct PickledGlobal {
  std::string
      name;  ///< "torch._utils._rebuild_tensor_v2"; of what a call gives: "(result of os.getenv)"
  std::string record{};  ///< the record of a zip file: "archive/data.pkl"
  std::uint64_t at = 0;  ///< byte of the pickle where it is named first
  std::uint64_t mentions = 0, calls = 0;
  bool modified = false;  ///< attributes of the class or module itself would be set
  PickleRisk risk = PickleRisk::allowed;
};

struct PickleScan {
  std::vector<PickledGlobal> globals{};  ///< in the order in which they are named
  std::size_t pickles = 0;               ///< how many were found
  /// Where a pickle could not be followed to its end: "archive/data.pkl: byte 17: ...". Python
  /// would have run what stands before that place.
  std::vector<std::string> stopped{};
};

/// Follows every pickle in a file: those of a zip archive, found by its directory or, if that is
/// damaged, by their own headers; those of the older format; those of NumPy's arrays of objects; or
/// a pickle by itself. Works on files that `load` refuses. A file without pickles gives an empty
/// result. Memory is bounded by the file's size. Throws IoError for what cannot be read at all.
[[nodiscard]] PickleScan scan_pickles(const std::string& path);
/// The same in memory.
[[nodiscard]] PickleScan scan_pickles(std::span<const std::byte> bytes);

}  // namespace taper
