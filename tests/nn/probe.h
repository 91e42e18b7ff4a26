// load_probe: loads the probe backend, whose devices have separate memory.
#pragma once
#include "taper/backend/backend.h"
#include "taper_paths.h"

inline void load_probe() {
  static const taper::backend::LoadedBackend loaded = taper::backend::load(TAPER_PROBE_BACKEND);
}
