// What reading one file may cost, and what it has to give back.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace taper::oracle {

/// Seconds that one file may take.
unsigned seconds_allowed();

/// Memory and open things of this process from now on. Sanitizers take memory of their own, so it
/// is not compared under them.
class Bounds {
 public:
  Bounds(std::string path, std::uint64_t file_bytes);

  /// Seconds of processor time since the last call, or the construction.
  double lap();
  /// Notes the most memory that was in use so far: to be called when the file was read or refused.
  void note_peak();
  /// Judges it; `tensor_bytes` is what the storages that were read take.
  void check_memory(std::uint64_t tensor_bytes, std::vector<std::string>& failures) const;
  /// After all was given back: no open file, mapping or storage may be left over.
  void check_leftovers(std::vector<std::string>& failures) const;

 private:
  std::string path_;
  std::uint64_t file_bytes_, resident_, reserved_, storages_;
  std::uint64_t peak_resident_ = 0, peak_reserved_ = 0;
  std::size_t files_;
  double lap_;
};

}  // namespace taper::oracle
