#include "ops/linalg/unsafe_view.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(unsafe_view) {
  return {contiguous_only(sample<UnsafeView>({{2, 6}}, {.size = Shape{3, 4}}))};
}

}  // namespace taper
