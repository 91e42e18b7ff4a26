// Resource limits for reading one file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace taper::oracle {

/// Returns the processor time in seconds that reading one file may take.
unsigned seconds_allowed();

/// Memory and open resources of this process from the time of construction. Memory is not checked
/// under sanitizers, which allocate memory themselves.
class Bounds {
 public:
  Bounds(std::string path, std::uint64_t file_bytes);

  /// Returns the processor time in seconds since the last call or the construction.
  double lap();
  /// Records the peak memory use. Must be called when the file has been read or rejected.
  void record_peak();
  /// Adds a failure if the peak exceeds the limit. `tensor_bytes` is the size of the storages that
  /// were read.
  void check_memory(std::uint64_t tensor_bytes, std::vector<std::string>& failures) const;
  /// Adds a failure for open files, mappings and storages that have not been released.
  void check_leftovers(std::vector<std::string>& failures) const;

 private:
  std::string path_;
  std::uint64_t file_bytes_, resident_, reserved_, allocated_;
  std::uint64_t peak_resident_ = 0, peak_reserved_ = 0;
  std::size_t open_files_;
  double lap_;
};

}  // namespace taper::oracle
