#include "taper/version.h"

#define TAPER_TEXT_(x) #x
#define TAPER_TEXT(x) TAPER_TEXT_(x)

namespace taper {

const char* version() noexcept {
  return TAPER_TEXT(TAPER_VERSION_MAJOR) "." TAPER_TEXT(TAPER_VERSION_MINOR) "." TAPER_TEXT(
      TAPER_VERSION_PATCH);
}

}  // namespace taper
