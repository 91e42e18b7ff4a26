// ThreadGenerator: default generator of one thread.
#pragma once
#include "taper/core/api.h"
#include "taper/core/generator.h"

namespace TAPER_API taper {
namespace random {

/// Makes a generator the default generator of the calling thread within a scope. Worker threads of
/// data loaders have one each, so that what they draw does not depend on timing.
class ThreadGenerator {
 public:
  /// `generator` must outlive the object.
  explicit ThreadGenerator(const Generator& generator) noexcept;
  ~ThreadGenerator();
  ThreadGenerator(const ThreadGenerator&) = delete;
  ThreadGenerator& operator=(const ThreadGenerator&) = delete;

 private:
  const Generator* previous_;
};

}  // namespace random
}  // namespace taper
