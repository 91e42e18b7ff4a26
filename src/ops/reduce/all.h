#pragma once
#include "ops/op.h"

namespace taper {

/// Tests whether all elements (with `Any`, any element) over `dim` are nonzero. If `dim` is absent,
/// reduces all dimensions.
template <bool Any> struct AllOrAny {
  std::optional<Shape> dim{};
  bool keepdim = false;
  TAPER_ATTRIBUTES(dim, keepdim)
  static constexpr OpInfo op{.name = Any ? "any" : "all",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
};

/// Counts the nonzero elements over `dim`, or over all dimensions if absent.
struct CountNonzero {
  std::optional<Shape> dim{};
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{
      .name = "count_nonzero", .inputs = "input", .dtypes = DTypeSet::all, .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
};

}  // namespace taper
