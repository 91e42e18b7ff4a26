// The probe backend: devices with separate memory.
#pragma once
#include "taper/backend/backend.h"
#include "taper_paths.h"

inline void load_probe() {
  static const taper::backend::LoadedBackend loaded = taper::backend::load(TAPER_PROBE_BACKEND);
}
