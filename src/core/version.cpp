#include "taper/version.h"

#define TAPER_TEXT_(x) #x
#define TAPER_STRING(x) TAPER_TEXT_(x)

namespace taper {

const char* version() noexcept {
  return TAPER_STRING(TAPER_VERSION_MAJOR) "." TAPER_STRING(TAPER_VERSION_MINOR) "." TAPER_STRING(
      TAPER_VERSION_PATCH);
}

}  // namespace taper
