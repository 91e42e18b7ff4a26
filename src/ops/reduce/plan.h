// Plan: traversal order of a reduction, with dimensions in descending order of stride and adjacent
// dimensions merged.
#pragma once
#include <array>
#include <cstdint>

#include "core/view.h"
#include "ops/reduce/fold.h"

namespace taper::reduce {

struct PlanDim {
  std::int64_t size = 1;
  std::int64_t in = 0;      ///< stride in the input, in elements
  std::int64_t result = 0;  ///< stride in the results; unused if reduced
  bool reduced = false;
};

/// Retained and reduced dimensions, each in descending order of input stride.
struct Plan {
  static constexpr int kMax = 16;
  std::array<PlanDim, kMax> retained, reduced;
  int retained_count = 0, reduced_count = 0;
  std::int64_t results = 1;              ///< number of results
  std::int64_t elements_per_result = 1;  ///< number of elements per result
  bool columns = false;                  ///< the last retained dimension has input stride 1
};

/// Computes the plan. Returns false if the view has too many dimensions.
bool make_plan(const View& in, Mask mask, Plan& plan);

}  // namespace taper::reduce
