// The driver of strided reductions: splits the work between threads and walks the outer dimensions.
#include "ops/reduce/fold.h"

#include <algorithm>

#include "cpu/scratch.h"
#include "cpu/threads.h"
#include "ops/reduce/fold_loops.h"
#include "ops/reduce/plan.h"

namespace taper::reduce {

void Walk::advance() { next(); }

namespace {

/// Minimum number of elements per thread.
constexpr std::int64_t kGrain = 1 << 15;

struct Driver {
  const Plan& plan;
  const FoldLoops& loops;
  const std::byte* x;
  std::int64_t element;  ///< size of an element in bytes
  const double* center;  ///< one center per result, or null

  const void* at(std::int64_t offset) const { return x + offset * element; }

  void rows(const Part& part, double* results, std::int64_t in, std::int64_t out) const {
    const int outer = std::max(0, plan.reduced_count - 1);
    const bool any = plan.reduced_count > 0;
    const std::int64_t n = any ? part.size(true, outer) : 1;
    const std::int64_t step = any ? plan.reduced[static_cast<std::size_t>(outer)].in : 1;
    for (Walk kept(part, false, plan.kept_count, in, out); kept.valid(); kept.next()) {
      const double c = center ? center[kept.out] : 0;
      double total = loops.identity;
      for (Walk row(part, true, outer, kept.in, 0); row.valid(); row.next())
        total = loops.merge(total, loops.row(at(row.in), n, step, c));
      results[kept.out] = total;
    }
  }

  void columns(const Part& part, double* results, std::int64_t in, std::int64_t out) const {
    const int last = plan.kept_count - 1;
    const std::int64_t n = part.size(false, last);
    const std::int64_t step = plan.kept[static_cast<std::size_t>(last)].result;
    for (Walk kept(part, false, last, in, out); kept.valid(); kept.next())
      for (std::int64_t j = 0; j < n; j += loops.width) {
        const std::int64_t first = kept.out + j * step;
        loops.columns(part, at(kept.in + j), std::min(n - j, loops.width),
                      center ? center + first : nullptr, results + first, step);
      }
  }

  void run_part(const Part& part, double* results) const {
    std::int64_t in = 0, out = 0;
    if (part.dim >= 0) {
      const PlanDim& d =
          (part.of_reduced ? plan.reduced : plan.kept)[static_cast<std::size_t>(part.dim)];
      in = part.begin * d.in;
      if (!part.of_reduced) out = part.begin * d.result;
    }
    if (plan.columns)
      columns(part, results, in, out);
    else
      rows(part, results, in, out);
  }

  void run(double* results) const;
};

int largest(const std::array<PlanDim, Plan::kMax>& dims, int count) {
  const auto* const end = dims.data() + count;
  const auto* const best = std::max_element(
      dims.data(), end, [](const PlanDim& a, const PlanDim& b) { return a.size < b.size; });
  return best == end ? -1 : static_cast<int>(best - dims.data());
}

void Driver::run(double* results) const {
  if (plan.results == 0) return;
  if (plan.each == 0) {
    std::fill_n(results, plan.results, loops.identity);
    return;
  }
  const std::int64_t work = plan.results * plan.each;
  if (work <= kGrain) return run_part(Part{&plan}, results);
  const int k = largest(plan.kept, plan.kept_count), r = largest(plan.reduced, plan.reduced_count);
  const std::int64_t kept = k < 0 ? 1 : plan.kept[static_cast<std::size_t>(k)].size;
  const std::int64_t along = r < 0 ? 1 : plan.reduced[static_cast<std::size_t>(r)].size;
  if (kept >= 16 * 4 || kept >= along || plan.results > kGrain) {
    cpu::parallel_for(0, kept, std::max<std::int64_t>(1, kGrain / (work / kept)),
                      [&](std::int64_t b, std::int64_t e) {
                        run_part(Part{&plan, false, k, b, e}, results);
                      });
    return;
  }
  // Few results: chunks of the longest reduced dimension, of a size that does not depend on the
  // number of threads.
  const std::int64_t chunk = std::max<std::int64_t>(1, kGrain / (work / along));
  const std::int64_t chunks = (along + chunk - 1) / chunk;
  const cpu::Scratch scratch(static_cast<std::size_t>(chunks * plan.results) * sizeof(double));
  double* const parts = scratch.as<double>();
  cpu::parallel_for(0, chunks, 1, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t i = b; i < e; ++i)
      run_part(Part{&plan, true, r, i * chunk, std::min(along, (i + 1) * chunk)},
               parts + i * plan.results);
  });
  for (std::int64_t o = 0; o < plan.results; ++o) {
    double total = parts[o];
    for (std::int64_t i = 1; i < chunks; ++i)
      total = loops.merge(total, parts[i * plan.results + o]);
    results[o] = total;
  }
}

}  // namespace

bool fold(Fold what, const View& in, Mask mask, const double* center, double* results) {
  Plan plan;
  if ((in.dtype != DType::f32 && in.dtype != DType::f64) || !make_plan(in, mask, plan))
    return false;
  const FoldLoops& loops = in.dtype == DType::f32 ? fold_loops_f32(what) : fold_loops_f64(what);
  Driver{plan, loops, in.data, static_cast<std::int64_t>(size_of(in.dtype)), center}.run(results);
  return true;
}

}  // namespace taper::reduce
