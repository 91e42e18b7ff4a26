#include "taper/ops/call_arguments.h"

namespace taper::detail {

OptionalBracedSizes::operator Shape() const {
  Shape sizes;
  for (const BracedSize* size : {&taper_first, &taper_second, &taper_third})
    if (size->given) sizes.push_back(size->value);
  return sizes;
}

}  // namespace taper::detail
