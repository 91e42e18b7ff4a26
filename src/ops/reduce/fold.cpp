// The driver of strided reductions: splits the work between threads and walks the outer dimensions.
#include "ops/reduce/fold.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "cpu/scratch.h"
#include "cpu/threads.h"
#include "ops/copy/rows.h"
#include "ops/kernel/dense.h"
#include "ops/kernel/staging.h"
#include "ops/reduce/fold_loops.h"
#include "ops/reduce/plan.h"

namespace taper::reduce {

void PlanIterator::advance() { next(); }

namespace {

/// Minimum number of elements per thread.
constexpr std::int64_t kGrain = 1 << 15;
/// Maximum length of rows that are transposed.
constexpr std::int64_t kShortRow = 8;

/// Magnitudes of the results of a fold in float from which none of its blocks has left the range of
/// float. A block that overflows makes the result infinite or NaN. Squares that underflow do not
/// matter in a result of at least the smallest normal number per element.
struct SafeRange {
  double low = 0, high = std::numeric_limits<double>::max();

  SafeRange() = default;
  SafeRange(Fold kind, std::int64_t elements_per_result) {
    constexpr double kSmallest = std::numeric_limits<float>::min();
    if (kind == Fold::sum_squares) low = static_cast<double>(elements_per_result) * kSmallest;
    if (kind == Fold::product) low = kSmallest;
  }
  template <class A> bool contains(A total) const {
    const double size = std::abs(static_cast<double>(total));
    return size >= low && size <= high;
  }
};

/// A is the type of the results.
template <class A> struct Driver {
  const Plan& plan;
  const FoldLoops<A>& loops;
  const std::byte* x;
  DType dtype;
  const A* center;    ///< one center per result, or null
  DType loops_dtype;  ///< dtype that the loops read, to which rows of another dtype are converted
  SafeRange safe{};
  std::atomic<bool>* is_unsafe = nullptr;  ///< is set if a result is not in the safe range
  bool repeats_unsafe = false;             ///< computes only the results not in the safe range

  bool reads_dtype() const { return loops_dtype == dtype; }

  const std::byte* at(std::int64_t offset) const {
    return x + offset * static_cast<std::int64_t>(size_of(dtype));
  }

  A fold_row(std::int64_t offset, std::int64_t n, std::int64_t step, A c) const {
    if (reads_dtype()) return loops.row(at(offset), n, step, c);
    constexpr std::int64_t kBlock = 1024;
    alignas(64) double block[kBlock];
    A total = loops.identity;
    for (std::int64_t i = 0; i < n; i += kBlock) {
      const std::int64_t size = std::min(kBlock, n - i);
      kernel::load_block(block, loops_dtype, at(offset + i * step), dtype, {1, size, 0, step});
      total = loops.merge(total, loops.row(block, size, 1, c));
    }
    return total;
  }

  void fold_rows(const PlanRange& range, A* results, std::int64_t in, std::int64_t out) const {
    const int outer = std::max(0, plan.reduced_count - 1);
    const bool any = plan.reduced_count > 0;
    const std::int64_t n = any ? range.size(true, outer) : 1;
    const std::int64_t step = any ? plan.reduced[static_cast<std::size_t>(outer)].in : 1;
    if (has_short_rows(n, step) && !range.of_reduced)
      return fold_short_rows(range, n, results, in, out);
    for (PlanIterator retained(range, false, plan.retained_count, in, out); retained.valid();
         retained.next()) {
      if (repeats_unsafe && safe.contains(results[retained.out])) continue;
      const A c = center ? center[retained.out] : A{};
      A total = loops.identity;
      for (PlanIterator row(range, true, outer, retained.in, 0); row.valid(); row.next())
        total = loops.merge(total, fold_row(row.in, n, step, c));
      results[retained.out] = total;
      check(&results[retained.out], 1, 1);
    }
  }

  /// Records whether `count` results are in the safe range.
  void check(const A* results, std::int64_t count, std::int64_t step) const {
    if (is_unsafe == nullptr) return;
    bool all = true;
    for (std::int64_t i = 0; i < count; ++i) all &= safe.contains(results[i * step]);
    if (!all) is_unsafe->store(true, std::memory_order_relaxed);
  }

  /// Returns true for adjacent rows of few contiguous elements, whose transpose is folded by
  /// columns.
  bool has_short_rows(std::int64_t n, std::int64_t step) const {
    return n > 1 && n <= kShortRow && step == 1 && plan.reduced_count == 1 && reads_dtype() &&
           plan.retained_count > 0 &&
           plan.retained[static_cast<std::size_t>(plan.retained_count - 1)].in == n;
  }

  void fold_short_rows(const PlanRange& range, std::int64_t n, A* results, std::int64_t in,
                       std::int64_t out) const {
    constexpr std::int64_t kRows = 256;
    const int last = plan.retained_count - 1;
    const std::int64_t count = range.size(false, last);
    const std::int64_t step = plan.retained[static_cast<std::size_t>(last)].result;
    alignas(64) std::byte transposed[kRows * kShortRow * 8];
    Plan columns;
    columns.reduced_count = 1;
    for (PlanIterator retained(range, false, last, in, out); retained.valid(); retained.next())
      for (std::int64_t j = 0; j < count; j += kRows) {
        const std::int64_t rows = std::min(kRows, count - j);
        const std::int64_t first = retained.out + j * step;
        kernel::transpose(size_of(dtype), n, rows, transposed, rows, at(retained.in + j * n), n);
        columns.reduced[0] = {.size = n, .in = rows, .result = 0, .reduced = true};
        for (std::int64_t i = 0; i < rows; i += loops.width)
          loops.columns(
              PlanRange{&columns}, transposed + i * static_cast<std::int64_t>(size_of(dtype)),
              std::min(rows - i, loops.width), center ? center + first + i * step : nullptr,
              results + first + i * step, step);
        check(results + first, rows, step);
      }
  }

  void fold_columns(const PlanRange& range, A* results, std::int64_t in, std::int64_t out) const {
    const int last = plan.retained_count - 1;
    const std::int64_t n = range.size(false, last);
    const std::int64_t step = plan.retained[static_cast<std::size_t>(last)].result;
    for (PlanIterator retained(range, false, last, in, out); retained.valid(); retained.next())
      for (std::int64_t j = 0; j < n; j += loops.width) {
        const std::int64_t first = retained.out + j * step;
        loops.columns(range, at(retained.in + j), std::min(n - j, loops.width),
                      center ? center + first : nullptr, results + first, step);
        check(results + first, std::min(n - j, loops.width), step);
      }
  }

  void run_range(const PlanRange& range, A* results) const {
    std::int64_t in = 0, out = 0;
    if (range.dim >= 0) {
      const PlanDim& d =
          (range.of_reduced ? plan.reduced : plan.retained)[static_cast<std::size_t>(range.dim)];
      in = range.begin * d.in;
      if (!range.of_reduced) out = range.begin * d.result;
    }
    if (plan.columns && reads_dtype())
      fold_columns(range, results, in, out);
    else
      fold_rows(range, results, in, out);
  }

  void run(A* results) const;
};

int find_largest_dim(const std::array<PlanDim, Plan::kMax>& dims, int count) {
  const auto* const end = dims.data() + count;
  const auto* const best = std::max_element(
      dims.data(), end, [](const PlanDim& a, const PlanDim& b) { return a.size < b.size; });
  return best == end ? -1 : static_cast<int>(best - dims.data());
}

template <class A> void Driver<A>::run(A* results) const {
  if (plan.results == 0) return;
  if (plan.elements_per_result == 0) {
    std::fill_n(results, plan.results, loops.identity);
    return;
  }
  const std::int64_t work = plan.results * plan.elements_per_result;
  if (work <= kGrain) return run_range(PlanRange{&plan}, results);
  const int k = find_largest_dim(plan.retained, plan.retained_count),
            r = find_largest_dim(plan.reduced, plan.reduced_count);
  const std::int64_t retained_size = k < 0 ? 1 : plan.retained[static_cast<std::size_t>(k)].size;
  const std::int64_t reduced_size = r < 0 ? 1 : plan.reduced[static_cast<std::size_t>(r)].size;
  if (retained_size >= 16 * 4 || retained_size >= reduced_size || plan.results > kGrain) {
    cpu::parallel_for(0, retained_size, std::max<std::int64_t>(1, kGrain / (work / retained_size)),
                      [&](std::int64_t b, std::int64_t e) {
                        run_range(PlanRange{&plan, false, k, b, e}, results);
                      });
    return;
  }
  // Few results: chunks of the longest reduced dimension, of a size that does not depend on the
  // number of threads.
  const std::int64_t chunk = std::max<std::int64_t>(1, kGrain / (work / reduced_size));
  const std::int64_t chunks = (reduced_size + chunk - 1) / chunk;
  const cpu::Scratch scratch(static_cast<std::size_t>(chunks * plan.results) * sizeof(A));
  A* const partial_results = scratch.as<A>();
  Driver part = *this;
  part.is_unsafe = nullptr, part.repeats_unsafe = false;
  cpu::parallel_for(0, chunks, 1, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t i = b; i < e; ++i)
      part.run_range(PlanRange{&plan, true, r, i * chunk, std::min(reduced_size, (i + 1) * chunk)},
                     partial_results + i * plan.results);
  });
  for (std::int64_t o = 0; o < plan.results; ++o) {
    A total = partial_results[o];
    for (std::int64_t i = 1; i < chunks; ++i)
      total = loops.merge(total, partial_results[i * plan.results + o]);
    results[o] = total;
  }
  check(results, plan.results, 1);
}

/// Returns true if a block of the fold may leave the range of float although the result does not.
bool may_leave_range(Fold kind) {
  switch (kind) {
    case Fold::sum:
    case Fold::sum_abs:
    case Fold::sum_non_nan:
    case Fold::product:
    case Fold::sum_centered:
    case Fold::sum_squares: return true;
    case Fold::count:
    case Fold::sum_exp:
    case Fold::max:
    case Fold::min:
    case Fold::max_abs: return false;
  }
  return false;
}

/// Folds floating-point numbers by loops over `loops_dtype`, f32 or the dtype of the view.
void fold_floats(Fold kind, const View& in, const Plan& plan, const FoldLoops<double>& loops,
                 DType loops_dtype, const double* center, double* results) {
  Driver<double> driver{plan, loops, in.data, in.dtype, center, loops_dtype};
  if (in.dtype == DType::f64 || !may_leave_range(kind)) return driver.run(results);
  std::atomic<bool> is_unsafe = false;
  driver.safe = SafeRange(kind, plan.elements_per_result);
  driver.is_unsafe = &is_unsafe;
  driver.run(results);
  if (!is_unsafe) return;
  Driver<double> wide{plan, fold_loops_f64(kind), in.data, in.dtype, center, DType::f64};
  wide.safe = driver.safe, wide.repeats_unsafe = true;
  wide.run(results);
}

}  // namespace

bool fold(Fold kind, const View& in, Mask mask, const double* center, double* results) {
  Plan plan;
  if (!is_floating_point(in.dtype) || !make_plan(in, mask, plan)) return false;
  if (const FoldLoops<double>* const loops =
          in.dtype == DType::bf16 ? fold_loops_bf16(kind) : nullptr) {
    fold_floats(kind, in, plan, *loops, in.dtype, center, results);
    return true;
  }
  const FoldLoops<double>& loops =
      in.dtype == DType::f64 ? fold_loops_f64(kind) : fold_loops_f32(kind);
  const bool reads_dtype = size_of(in.dtype) != 2;
  if (plan.columns && !reads_dtype) {
    const kernel::DenseInput<float> wide(in);
    const Shape strides = contiguous_strides(*in.shape);
    return fold(kind, kernel::view_of(wide, in, strides), mask, center, results);
  }
  fold_floats(kind, in, plan, loops, reads_dtype ? in.dtype : DType::f32, center, results);
  return true;
}

bool fold(Fold kind, const View& in, Mask mask, std::int64_t* results) {
  Plan plan;
  const FoldLoops<std::int64_t>* const loops = integer_fold_loops(kind, in.dtype);
  if (!loops || !make_plan(in, mask, plan)) return false;
  Driver<std::int64_t>{plan, *loops, in.data, in.dtype, nullptr, in.dtype}.run(results);
  return true;
}

}  // namespace taper::reduce
