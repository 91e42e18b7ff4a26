// DataLoaderStatistics: where a data loader spends its time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "taper/core/api.h"

namespace TAPER_API taper {
namespace data {

/// A stage of a loader.
struct StageStatistics {
  std::string name{};        ///< "fetch", "decode" or "collate"
  int threads = 1;           ///< threads that execute it
  std::int64_t batches = 0;  ///< completed batches
  double seconds = 0;        ///< time of all threads
};

/// Times and numbers of batches of a data loader since its construction or the last call of
/// reset_statistics. PyTorch has no equivalent.
struct DataLoaderStatistics {
  std::vector<StageStatistics> stages{};
  std::int64_t batches = 0;  ///< batches that the loop received
  double wait_seconds = 0;   ///< time that the loop waited for batches
  double loop_seconds = 0;   ///< time between batches, in which the loop used them

  /// Returns the name of the slowest part: "loop" if the loop waited for less than a twentieth of
  /// its time, otherwise the stage that takes the most time per thread. Empty before the first
  /// batch.
  std::string slowest() const;
  /// Returns one line per stage and one about the loop.
  std::string str() const;
};

}  // namespace data
}  // namespace taper
