// The loops of a reduction that are compiled for each instruction set, and the walk over the other
// dimensions.
#pragma once
#include <cstdint>

#include "ops/reduce/fold.h"
#include "ops/reduce/plan.h"

namespace taper::reduce {

/// Subset of a plan: the range [begin, end) of one of its dimensions, and all of the others.
struct PlanRange {
  const Plan* plan;
  bool of_reduced = false;
  int dim = -1;  ///< the restricted dimension; -1 for the whole plan
  std::int64_t begin = 0, end = 0;

  std::int64_t size(bool reduced, int d) const {
    if (reduced == of_reduced && d == dim) return end - begin;
    return (reduced ? plan->reduced : plan->retained)[static_cast<std::size_t>(d)].size;
  }
};

/// Iterates over the first `count` retained or reduced dimensions of a range:
/// `for (PlanIterator at(...); at.valid(); at.next())`.
class PlanIterator {
 public:
  PlanIterator(const PlanRange& range, bool reduced, int count, std::int64_t first_in,
               std::int64_t first_out)
      : in(first_in), out(first_out), range_(range), count_(count), reduced_(reduced) {
    for (int d = 0; d < count; ++d) {
      index_[d] = 0;
      valid_ = valid_ && range.size(reduced, d) > 0;
    }
  }
  bool valid() const { return valid_; }
  void next() {
    const PlanDim* const dims = (reduced_ ? range_.plan->reduced : range_.plan->retained).data();
    for (int d = count_; d-- > 0;) {
      in += dims[d].in, out += dims[d].result;
      if (++index_[d] < range_.size(reduced_, d)) return;
      in -= dims[d].in * index_[d], out -= dims[d].result * index_[d];
      index_[d] = 0;
    }
    valid_ = false;
  }
  /// As next(), but not inlined, for loops that are instantiated often and rarely reach the call.
  void advance();
  std::int64_t in, out;  ///< offsets of the input and of the results, in elements

 private:
  const PlanRange& range_;
  int count_;
  bool reduced_, valid_ = true;
  std::int64_t index_[Plan::kMax];  // only the first `count_` elements are set
};

/// The loops of one fold over one dtype, with results of type A; `x` points to elements of that
/// dtype.
template <class A> struct FoldLoops {
  A identity;  ///< result of an empty input
  A (*merge)(A a, A b);
  /// Folds `n` elements that are `step` apart.
  A (*row)(const void* x, std::int64_t n, std::int64_t step, A center);
  /// Folds the reduced dimensions of `range` for `n` adjacent results, at most `width`. `center`
  /// may be null.
  void (*columns)(const PlanRange& range, const void* x, std::int64_t n, const A* center,
                  A* results, std::int64_t result_step);
  std::int64_t width;
};

const FoldLoops<double>& fold_loops_f32(Fold fold);
const FoldLoops<double>& fold_loops_f64(Fold fold);
/// Loops of sum, max and min; null for other folds.
const FoldLoops<double>* fold_loops_bf16(Fold fold);
/// Loops of sum, count, max and min; null for other folds and dtypes.
const FoldLoops<std::int64_t>* integer_fold_loops(Fold fold, DType dtype);

}  // namespace taper::reduce
