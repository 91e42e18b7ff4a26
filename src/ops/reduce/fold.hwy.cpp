#include <algorithm>

#include "cpu/simd/targets.h"
#include "ops/reduce/fold_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/reduce/fold.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/reduce/folds-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::reduce {
namespace HWY_NAMESPACE {

/// Number of elements per lane that are folded in T before accumulation in double.
constexpr std::int64_t kBlock = 64;

/// Folds n contiguous elements.
template <class F, class T> double FoldContiguous(const T* x, std::int64_t n, T center) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto c = hn::Set(d, center);
  double total = F::kIdentity;
  std::int64_t i = 0;
  while (n - i >= 4 * lanes) {
    auto a0 = F::Init(d), a1 = a0, a2 = a0, a3 = a0;
    const std::int64_t end = i + std::min((n - i) / (4 * lanes), kBlock) * 4 * lanes;
    for (; i < end; i += 4 * lanes) {
      a0 = F::Step(d, a0, hn::LoadU(d, x + i), c);
      a1 = F::Step(d, a1, hn::LoadU(d, x + i + lanes), c);
      a2 = F::Step(d, a2, hn::LoadU(d, x + i + 2 * lanes), c);
      a3 = F::Step(d, a3, hn::LoadU(d, x + i + 3 * lanes), c);
    }
    total = F::Merge(total, F::Lanes(d, F::Join(F::Join(a0, a1), F::Join(a2, a3))));
  }
  if (i < n) {
    auto a = F::Init(d);
    for (; n - i >= lanes; i += lanes) a = F::Step(d, a, hn::LoadU(d, x + i), c);
    if (const auto rest = static_cast<std::size_t>(n - i); rest) {
      const auto last = F::Step(d, a, cpu::HWY_NAMESPACE::load_n(d, x + i, rest), c);
      a = hn::IfThenElse(hn::FirstN(d, rest), last, a);
    }
    total = F::Merge(total, F::Lanes(d, a));
  }
  return total;
}

/// Folds n elements with stride `step`.
template <class F, class T>
double FoldStrided(const T* x, std::int64_t n, std::int64_t step, T center) {
  double total = F::kIdentity;
  for (std::int64_t i = 0; i < n; ++i)
    total = F::Merge(total, F::One(static_cast<double>(x[i * step]), static_cast<double>(center)));
  return total;
}

/// Folds into adjacent results simultaneously, in up to V vectors.
template <class F, int V, class T>
HWY_NOINLINE void Columns(const PlanRange& range, const T* x, std::int64_t n, const double* center,
                          double* results, std::int64_t result_step) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const Plan& p = *range.plan;
  const int outer = p.reduced_count - 1;
  HWY_ALIGN T cs[V * hn::MaxLanes(d)] = {}, block[V * hn::MaxLanes(d)];
  double total[V * hn::MaxLanes(d)];
  for (std::int64_t j = 0; j < n; ++j) {
    total[j] = F::kIdentity;
    if (center) cs[j] = static_cast<T>(center[j * result_step]);
  }
  const std::size_t rest = static_cast<std::size_t>(n) - (V - 1) * lanes;
  const bool full_vectors = rest == lanes;
  const std::int64_t count = outer < 0 ? 1 : range.size(true, outer);
  const std::int64_t step = outer < 0 ? 0 : p.reduced[static_cast<std::size_t>(outer)].in;
  for (PlanIterator outer_at(range, true, std::max(outer, 0), 0, 0); outer_at.valid();
       outer_at.advance()) {
    const T* row = x + outer_at.in;
    for (std::int64_t i = 0; i < count;) {
      auto a0 = F::Init(d), a1 = a0, a2 = a0, a3 = a0;
      const std::int64_t end = std::min(count, i + kBlock);
      for (; i < end; ++i, row += step) {
        const auto accumulate = [&](auto& a, int v) {
          const T* at = row + static_cast<std::size_t>(v) * lanes;
          const auto e = v + 1 < V || full_vectors ? hn::LoadU(d, at)
                                                   : cpu::HWY_NAMESPACE::load_n(d, at, rest);
          a = F::Step(d, a, e, hn::Load(d, cs + static_cast<std::size_t>(v) * lanes));
        };
        accumulate(a0, 0);
        if constexpr (V > 1) accumulate(a1, 1);
        if constexpr (V > 2) accumulate(a2, 2);
        if constexpr (V > 3) accumulate(a3, 3);
      }
      hn::Store(a0, d, block);
      if constexpr (V > 1) hn::Store(a1, d, block + lanes);
      if constexpr (V > 2) hn::Store(a2, d, block + 2 * lanes);
      if constexpr (V > 3) hn::Store(a3, d, block + 3 * lanes);
      for (std::int64_t j = 0; j < n; ++j)
        total[j] = F::Merge(total[j], static_cast<double>(block[j]));
    }
  }
  for (std::int64_t j = 0; j < n; ++j) results[j * result_step] = total[j];
}

/// Loops of fold F over elements of type T; see FoldLoops.
template <class F, class T> struct Loops {
  static double FoldRow(const void* x, std::int64_t n, std::int64_t step, double center) {
    const T* const first = static_cast<const T*>(x);
    const T c = static_cast<T>(center);
    return step == 1 ? FoldContiguous<F>(first, n, c) : FoldStrided<F>(first, n, step, c);
  }
  static void FoldColumns(const PlanRange& range, const void* x, std::int64_t n,
                          const double* center, double* results, std::int64_t result_step) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
    const T* const first = static_cast<const T*>(x);
    switch ((n + lanes - 1) / lanes) {
      case 1: return Columns<F, 1>(range, first, n, center, results, result_step);
      case 2: return Columns<F, 2>(range, first, n, center, results, result_step);
      case 3: return Columns<F, 3>(range, first, n, center, results, result_step);
      default: return Columns<F, 4>(range, first, n, center, results, result_step);
    }
  }
  static const FoldLoops<double>& Get() {
    static const FoldLoops<double> loops{
        F::kIdentity, F::Merge, FoldRow, FoldColumns,
        4 * static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()))};
    return loops;
  }
};

template <class T> const FoldLoops<double>& LoopsOf(Fold fold) {
  switch (fold) {
    case Fold::sum: return Loops<Sum, T>::Get();
    case Fold::sum_abs: return Loops<SumAbs, T>::Get();
    case Fold::sum_non_nan: return Loops<SumNonNan, T>::Get();
    case Fold::count: return Loops<Count, T>::Get();
    case Fold::product: return Loops<Product, T>::Get();
    case Fold::sum_centered: return Loops<SumCentered, T>::Get();
    case Fold::sum_squares: return Loops<SumSquares, T>::Get();
    case Fold::sum_exp: return Loops<SumExp, T>::Get();
    case Fold::max: return Loops<Max, T>::Get();
    case Fold::min: return Loops<Min, T>::Get();
    case Fold::max_abs: return Loops<MaxAbs, T>::Get();
  }
  HWY_ABORT("unknown fold");
}

const FoldLoops<double>& LoopsF32(Fold fold) { return LoopsOf<float>(fold); }
const FoldLoops<double>& LoopsF64(Fold fold) { return LoopsOf<double>(fold); }

}  // namespace HWY_NAMESPACE
}  // namespace taper::reduce
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::reduce {

HWY_EXPORT(LoopsF32);
HWY_EXPORT(LoopsF64);

const FoldLoops<double>& fold_loops_f32(Fold fold) { return HWY_DYNAMIC_DISPATCH(LoopsF32)(fold); }
const FoldLoops<double>& fold_loops_f64(Fold fold) { return HWY_DYNAMIC_DISPATCH(LoopsF64)(fold); }

}  // namespace taper::reduce
#endif
