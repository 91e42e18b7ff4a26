// Ops declared in unary.inc.
#pragma once
#include "ops/pointwise/rows.h"

namespace taper {

struct NegDtypes : NoBool {
  static void dtype_error(const ShapeInference& i);
};
struct ReluDtypes : NoBool {
  static void dtype_error(const ShapeInference& i);
};

#define UNARY TAPER_DECLARE_UNARY
#define PREDICATE TAPER_DECLARE_PREDICATE
#include "ops/pointwise/unary.inc"

}  // namespace taper
