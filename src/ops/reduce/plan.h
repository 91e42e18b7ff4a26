// How a reduction walks its input: dimensions by falling stride, neighbours merged.
#pragma once
#include <array>
#include <cstdint>

#include "core/tensor_impl.h"
#include "ops/reduce/fold.h"

namespace taper::reduce {

struct PlanDim {
  std::int64_t size = 1;
  std::int64_t in = 0;      ///< step of the input, in elements
  std::int64_t result = 0;  ///< step of the results; meaningless if reduced
  bool reduced = false;
};

/// The kept dimensions in front, then the reduced ones, each by falling input stride; `inner` says
/// whether neighbours in memory are reduced together (rows) or kept apart (columns).
struct Plan {
  static constexpr int kMost = 16;
  std::array<PlanDim, kMost> kept, reduced;
  int kept_count = 0, reduced_count = 0;
  std::int64_t results = 1;  ///< how many
  std::int64_t each = 1;     ///< elements folded into one result
  bool columns = false;      ///< the last kept dimension has input step 1
};

/// False if the view has too many dimensions.
bool make_plan(const View& in, Mask mask, Plan& plan);

}  // namespace taper::reduce
