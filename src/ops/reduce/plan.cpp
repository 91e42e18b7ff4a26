#include "ops/reduce/plan.h"

#include <algorithm>

namespace taper::reduce {
namespace {

void insert_by_stride(std::array<PlanDim, Plan::kMax>& dims, int& count, const PlanDim& d) {
  int at = count++;
  for (; at > 0 && dims[static_cast<std::size_t>(at - 1)].in < d.in; --at)
    dims[static_cast<std::size_t>(at)] = dims[static_cast<std::size_t>(at - 1)];
  dims[static_cast<std::size_t>(at)] = d;
}

/// Merges adjacent dimensions that are traversed with a single stride.
void merge_adjacent_dims(std::array<PlanDim, Plan::kMax>& dims, int& count) {
  int last = -1;
  for (int i = 0; i < count; ++i) {
    const PlanDim d = dims[static_cast<std::size_t>(i)];
    if (last >= 0) {
      PlanDim& outer = dims[static_cast<std::size_t>(last)];
      if (outer.in == d.in * d.size && (d.reduced || outer.result == d.result * d.size)) {
        outer = {outer.size * d.size, d.in, d.result, d.reduced};
        continue;
      }
    }
    dims[static_cast<std::size_t>(++last)] = d;
  }
  count = last + 1;
}

/// Returns the number of results of a reduction of an empty tensor.
std::int64_t result_count(const Shape& shape, Mask mask) {
  Shape retained;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if ((mask >> d & 1) == 0) retained.push_back(shape[d]);
  return retained.numel();
}

}  // namespace

bool make_plan(const View& in, Mask mask, Plan& plan) {
  const std::size_t rank = in.shape->size();
  if (rank > Plan::kMax) return false;
  if (in.numel == 0) {  // nothing is traversed, and products with other sizes may overflow
    plan.elements_per_result = 0;
    plan.results = result_count(*in.shape, mask);
    return true;
  }
  for (std::size_t d = rank; d-- > 0;) {
    PlanDim p{(*in.shape)[d], (*in.strides)[d], plan.results, (mask >> d & 1) != 0};
    (p.reduced ? plan.elements_per_result : plan.results) *= p.size;
    if (p.size == 1) continue;
    if (p.reduced)
      insert_by_stride(plan.reduced, plan.reduced_count, p);
    else
      insert_by_stride(plan.retained, plan.retained_count, p);
  }
  merge_adjacent_dims(plan.retained, plan.retained_count);
  merge_adjacent_dims(plan.reduced, plan.reduced_count);
  const auto last = [](const std::array<PlanDim, Plan::kMax>& dims, int count) {
    return count > 0 && dims[static_cast<std::size_t>(count - 1)].in == 1;
  };
  plan.columns =
      last(plan.retained, plan.retained_count) && !last(plan.reduced, plan.reduced_count);
  return true;
}

}  // namespace taper::reduce
