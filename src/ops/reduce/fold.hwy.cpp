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
/// Maximum number of results that are folded simultaneously; a multiple of all vector sizes.
constexpr std::int64_t kWide = 512;

/// Elements of type E, which are folded as numbers of type T.
template <class E> struct Elements {
  using T = E;
  template <class D> static HWY_INLINE hn::Vec<D> Load(D d, const E* p) { return hn::LoadU(d, p); }
  template <class D> static HWY_INLINE hn::Vec<D> LoadN(D d, const E* p, std::size_t n) {
    return cpu::HWY_NAMESPACE::load_n(d, p, n);
  }
  static double One(E x) { return static_cast<double>(x); }
};
template <> struct Elements<hwy::bfloat16_t> {
  using E = hwy::bfloat16_t;
  using T = float;
  template <class D> static HWY_INLINE hn::Vec<D> Load(D d, const E* p) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<E, D>(), p));
  }
  template <class D> static HWY_INLINE hn::Vec<D> LoadN(D d, const E* p, std::size_t n) {
    HWY_ALIGN float lanes[hn::MaxLanes(D())] = {};
    for (std::size_t i = 0; i < n; ++i) lanes[i] = hwy::F32FromBF16(p[i]);
    return hn::Load(d, lanes);
  }
  static double One(E x) { return static_cast<double>(hwy::F32FromBF16(x)); }
};

/// Extremum of n elements, a multiple of four vectors, that contain no NaN. Returns false if their
/// sum is NaN, which it also is for infinities of both signs.
template <class F, class E, class T>
HWY_INLINE bool FoldNumbers(const E* x, std::int64_t n, double& result) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto a0 = F::Init(d), a1 = a0, a2 = a0, a3 = a0;
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  const auto step = [&](auto& a, auto& s, std::int64_t i) {
    const auto e = Elements<E>::Load(d, x + i);
    a = F::StepNumber(a, e);
    s = hn::Add(s, e);
  };
  for (std::int64_t i = 0; i < n; i += 4 * lanes) {
    step(a0, s0, i);
    step(a1, s1, i + lanes);
    step(a2, s2, i + 2 * lanes);
    step(a3, s3, i + 3 * lanes);
  }
  const auto sum = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
  if (!hn::AllFalse(d, hn::IsNaN(sum))) return false;
  result = F::Lanes(d, F::Join(F::Join(a0, a1), F::Join(a2, a3)));
  return true;
}

/// Folds n contiguous elements.
template <class F, class E, class T> double FoldContiguous(const E* x, std::int64_t n, T center) {
  using Source = Elements<E>;
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto c = hn::Set(d, center);
  double total = F::kIdentity;
  std::int64_t i = 0;
  while (n - i >= 4 * lanes) {
    const std::int64_t end = i + std::min((n - i) / (4 * lanes), kBlock) * 4 * lanes;
    if constexpr (requires { F::kIsExtremum; }) {
      double extremum = 0;
      if (HWY_LIKELY((FoldNumbers<F, E, T>(x + i, end - i, extremum)))) {
        total = F::Merge(total, extremum);
        i = end;
        continue;
      }
    }
    auto a0 = F::Init(d), a1 = a0, a2 = a0, a3 = a0;
    for (; i < end; i += 4 * lanes) {
      a0 = F::Step(d, a0, Source::Load(d, x + i), c);
      a1 = F::Step(d, a1, Source::Load(d, x + i + lanes), c);
      a2 = F::Step(d, a2, Source::Load(d, x + i + 2 * lanes), c);
      a3 = F::Step(d, a3, Source::Load(d, x + i + 3 * lanes), c);
    }
    total = F::Merge(total, F::Lanes(d, F::Join(F::Join(a0, a1), F::Join(a2, a3))));
  }
  if (i < n) {
    auto a = F::Init(d);
    for (; n - i >= lanes; i += lanes) a = F::Step(d, a, Source::Load(d, x + i), c);
    if (const auto rest = static_cast<std::size_t>(n - i); rest) {
      const auto last = F::Step(d, a, Source::LoadN(d, x + i, rest), c);
      a = hn::IfThenElse(hn::FirstN(d, rest), last, a);
    }
    total = F::Merge(total, F::Lanes(d, a));
  }
  return total;
}

/// Folds n elements with stride `step`.
template <class F, class E, class T>
double FoldStrided(const E* x, std::int64_t n, std::int64_t step, T center) {
  double total = F::kIdentity;
  for (std::int64_t i = 0; i < n; ++i)
    total = F::Merge(total, F::One(Elements<E>::One(x[i * step]), static_cast<double>(center)));
  return total;
}

/// Reduced dimensions of a range, of which the last one is traversed by a loop.
struct ReducedRows {
  int outer;
  std::int64_t count, step;

  explicit ReducedRows(const PlanRange& range) : outer(range.plan->reduced_count - 1) {
    count = outer < 0 ? 1 : range.size(true, outer);
    step = outer < 0 ? 0 : range.plan->reduced[static_cast<std::size_t>(outer)].in;
  }
  PlanIterator begin(const PlanRange& range) const {
    return PlanIterator(range, true, std::max(outer, 0), 0, 0);
  }
};

/// Folds into adjacent results simultaneously, at most as many as a vector has lanes.
template <class F, class E> HWY_NOINLINE void Columns(const PlanRange& range, const E* x,
                                                      std::int64_t n, const double* center,
                                                      double* results, std::int64_t result_step) {
  using Source = Elements<E>;
  using T = typename Source::T;
  const hn::ScalableTag<T> d;
  const auto count = static_cast<std::size_t>(n);
  const bool is_full = count == hn::Lanes(d);
  HWY_ALIGN T cs[hn::MaxLanes(d)] = {}, block[hn::MaxLanes(d)];
  double total[hn::MaxLanes(d)];
  for (std::int64_t j = 0; j < n; ++j) {
    total[j] = F::kIdentity;
    if (center) cs[j] = static_cast<T>(center[j * result_step]);
  }
  const auto c = hn::Load(d, cs);
  const ReducedRows rows(range);
  for (PlanIterator at = rows.begin(range); at.valid(); at.advance()) {
    const E* row = x + at.in;
    for (std::int64_t i = 0; i < rows.count;) {
      auto a = F::Init(d);
      for (const std::int64_t end = std::min(rows.count, i + kBlock); i < end;
           ++i, row += rows.step)
        a = F::Step(d, a, is_full ? Source::Load(d, row) : Source::LoadN(d, row, count), c);
      hn::Store(a, d, block);
      for (std::int64_t j = 0; j < n; ++j)
        total[j] = F::Merge(total[j], static_cast<double>(block[j]));
    }
  }
  for (std::int64_t j = 0; j < n; ++j) results[j * result_step] = total[j];
}

/// As Columns, for up to kWide adjacent results: eight rows at a time are added to states in the
/// cache, so that memory is read in long runs. The order of additions is that of Columns. States in
/// two to four registers would be faster by up to a quarter, and take three times as long to
/// compile.
template <class F, class E>
HWY_NOINLINE void WideColumns(const PlanRange& range, const E* x, std::int64_t n,
                              const double* center, double* results, std::int64_t result_step) {
  using Source = Elements<E>;
  using T = typename Source::T;
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  HWY_ALIGN T cs[kWide] = {}, block[kWide];
  double total[kWide];
  for (std::int64_t j = 0; j < n; ++j) {
    total[j] = F::kIdentity;
    if (center) cs[j] = static_cast<T>(center[j * result_step]);
  }
  const std::int64_t full = n / lanes * lanes;
  const auto rest = static_cast<std::size_t>(n - full);
  const ReducedRows rows(range);
  const auto add_rows = [&](const E* row, std::int64_t j, std::int64_t count, auto&& load) {
    auto a = hn::Load(d, block + j);
    const auto c = hn::Load(d, cs + j);
    for (std::int64_t r = 0; r < count; ++r) a = F::Step(d, a, load(row + r * rows.step + j), c);
    hn::Store(a, d, block + j);
  };
  const auto load = [&](const E* p) { return Source::Load(d, p); };
  for (PlanIterator at = rows.begin(range); at.valid(); at.advance()) {
    const E* row = x + at.in;
    for (std::int64_t i = 0; i < rows.count;) {
      const std::int64_t end = std::min(rows.count, i + kBlock);
      for (std::int64_t j = 0; j < n; j += lanes) hn::Store(F::Init(d), d, block + j);
      while (i < end) {
        const std::int64_t count = end - i >= 8 ? 8 : end - i >= 4 ? 4 : 1;
        if (count == 8)
          for (std::int64_t j = 0; j < full; j += lanes) add_rows(row, j, 8, load);
        else if (count == 4)
          for (std::int64_t j = 0; j < full; j += lanes) add_rows(row, j, 4, load);
        else
          for (std::int64_t j = 0; j < full; j += lanes) add_rows(row, j, 1, load);
        if (rest > 0)
          add_rows(row, full, count, [&](const E* p) { return Source::LoadN(d, p, rest); });
        i += count, row += count * rows.step;
      }
      for (std::int64_t j = 0; j < n; ++j)
        total[j] = F::Merge(total[j], static_cast<double>(block[j]));
    }
  }
  for (std::int64_t j = 0; j < n; ++j) results[j * result_step] = total[j];
}

/// Loops of fold F over elements of type E; see FoldLoops.
template <class F, class E> struct Loops {
  using T = typename Elements<E>::T;
  static double FoldRow(const void* x, std::int64_t n, std::int64_t step, double center) {
    const E* const first = static_cast<const E*>(x);
    const T c = static_cast<T>(center);
    return step == 1 ? FoldContiguous<F>(first, n, c) : FoldStrided<F>(first, n, step, c);
  }
  static void FoldColumns(const PlanRange& range, const void* x, std::int64_t n,
                          const double* center, double* results, std::int64_t result_step) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
    const E* const first = static_cast<const E*>(x);
    if (n <= lanes)
      Columns<F>(range, first, n, center, results, result_step);
    else
      WideColumns<F>(range, first, n, center, results, result_step);
  }
  static const FoldLoops<double>& Get() {
    static const FoldLoops<double> loops{F::kIdentity, F::Merge, FoldRow, FoldColumns, kWide};
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
const FoldLoops<double>* LoopsBF16(Fold fold) {
  switch (fold) {
    case Fold::sum: return &Loops<Sum, hwy::bfloat16_t>::Get();
    case Fold::max: return &Loops<Max, hwy::bfloat16_t>::Get();
    case Fold::min: return &Loops<Min, hwy::bfloat16_t>::Get();
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::reduce
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::reduce {

HWY_EXPORT(LoopsF32);
HWY_EXPORT(LoopsF64);
HWY_EXPORT(LoopsBF16);

const FoldLoops<double>& fold_loops_f32(Fold fold) { return HWY_DYNAMIC_DISPATCH(LoopsF32)(fold); }
const FoldLoops<double>& fold_loops_f64(Fold fold) { return HWY_DYNAMIC_DISPATCH(LoopsF64)(fold); }
const FoldLoops<double>* fold_loops_bf16(Fold fold) {
  return HWY_DYNAMIC_DISPATCH(LoopsBF16)(fold);
}

}  // namespace taper::reduce
#endif
