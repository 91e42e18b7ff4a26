// The probe backend, loaded once: two devices with separate memory.
#pragma once
#include "taper/backend/backend.h"
#include "taper_paths.h"

namespace taper {

inline const backend::LoadedBackend& probe() {
  static const backend::LoadedBackend loaded = backend::load(TAPER_PROBE_BACKEND);
  return loaded;
}

}  // namespace taper
