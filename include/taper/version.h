// The version of Taper: of these headers, and of the library that is linked.
#pragma once

#define TAPER_VERSION_MAJOR 0
#define TAPER_VERSION_MINOR 1
#define TAPER_VERSION_PATCH 0

namespace taper {

/// Version of the linked library as "major.minor.patch" (PyTorch: `torch.__version__`).
const char* version() noexcept;

}  // namespace taper
