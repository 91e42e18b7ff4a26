// RecordFunction: a named region of code in profiles.
#pragma once
#include <memory>
#include <string_view>

#include "taper/core/api.h"

namespace TAPER_API taper {
namespace profiler {

/// Names a region of code in the profile that records the current thread, for the duration of a
/// scope. Without a profile, the cost is a test.
///
///     {
///       profiler::RecordFunction region("augmentation");
///       images = augment(images);
///     }
///
/// PyTorch: torch.profiler.record_function.
class RecordFunction {
 public:
  [[nodiscard]] explicit RecordFunction(std::string_view name);
  ~RecordFunction();
  RecordFunction(const RecordFunction&) = delete;
  RecordFunction& operator=(const RecordFunction&) = delete;

 private:
  struct Scope;
  std::unique_ptr<Scope> scope_;  ///< null without a profile
};

}  // namespace profiler
}  // namespace taper
