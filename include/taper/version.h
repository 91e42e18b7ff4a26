// Version of the headers and of the linked library.
#pragma once

#include "taper/core/api.h"

#define TAPER_VERSION_MAJOR 0
#define TAPER_VERSION_MINOR 1
#define TAPER_VERSION_PATCH 0

namespace TAPER_API taper {

/// Returns the version of the linked library, "major.minor.patch". PyTorch: torch.__version__.
const char* version() noexcept;

}  // namespace taper
