// Conversion of exceptions of an engine to status codes of the C ABI, with a message per thread.
#pragma once
#include <exception>
#include <string>

#include "core/per_thread.h"
#include "taper/dist/c_api.h"

namespace taper::dist_engines {

/// Text of the last failure, or of the last description, on this thread.
struct EngineText {
  std::string text;
};
inline std::string& engine_text() { return PerThread<EngineText>::get().text; }

/// Returns the status of `f`, which returns one; FAILED, with the text, if it throws.
template <class F> taper_dist_status report_status(F&& f) {
  try {
    return f();
  } catch (const std::exception& error) {
    engine_text() = error.what();
    return TAPER_DIST_FAILED;
  }
}

}  // namespace taper::dist_engines
