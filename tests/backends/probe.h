// probe: loads the probe backend, which has two devices with separate memory, once.
#pragma once
#include "taper/backend/backend.h"
#include "taper_paths.h"

namespace taper {

inline const backend::LoadedBackend& probe() {
  static const backend::LoadedBackend loaded = backend::load(TAPER_PROBE_BACKEND);
  return loaded;
}

}  // namespace taper
