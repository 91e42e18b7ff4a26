#include "ops/reduce/fold.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/scratch.h"
#include "backend/simd/targets.h"
#include "backend/threads.h"
#include "ops/reduce/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/reduce/fold.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/reduce/folds-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::reduce {
namespace HWY_NAMESPACE {

/// Elements of one lane that are folded in T before they go on in double.
constexpr std::int64_t kBlock = 64;

/// Folds n neighbours.
template <class F, class T> double Row(const T* x, std::int64_t n, T centre) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto c = hn::Set(d, centre);
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
      const auto last = F::Step(d, a, backend::HWY_NAMESPACE::load_n(d, x + i, rest), c);
      a = hn::IfThenElse(hn::FirstN(d, rest), last, a);
    }
    total = F::Merge(total, F::Lanes(d, a));
  }
  return total;
}

/// The same for elements that are no neighbours.
template <class F, class T> double Spread(const T* x, std::int64_t n, std::int64_t step, T centre) {
  double total = F::kIdentity;
  for (std::int64_t i = 0; i < n; ++i)
    total = F::Merge(total, F::One(static_cast<double>(x[i * step]), static_cast<double>(centre)));
  return total;
}

/// A part of a plan: `begin` to `end` of one of its dimensions, all of the others.
struct Part {
  const Plan* plan;
  bool of_reduced = false;
  int dim = -1;  ///< none: the whole plan
  std::int64_t begin = 0, end = 0;

  std::int64_t size(bool reduced, int d) const {
    if (reduced == of_reduced && d == dim) return end - begin;
    return (reduced ? plan->reduced : plan->kept)[static_cast<std::size_t>(d)].size;
  }
};

/// Visits the first `count` dimensions: f(offset of the input, offset of the results).
template <class G>
void ForEach(const Part& part, bool reduced, int count, std::int64_t in, std::int64_t out, G&& f) {
  std::array<std::int64_t, Plan::kMost> at{};
  const auto& dims = reduced ? part.plan->reduced : part.plan->kept;
  for (int d = 0; d < count; ++d)
    if (part.size(reduced, d) == 0) return;
  for (;;) {
    f(in, out);
    int d = count;
    while (d-- > 0) {
      const auto i = static_cast<std::size_t>(d);
      in += dims[i].in, out += dims[i].result;
      if (++at[i] < part.size(reduced, d)) break;
      in -= dims[i].in * at[i], out -= dims[i].result * at[i];
      at[i] = 0;
    }
    if (d < 0) return;
  }
}

template <class F, class T> void Rows(const Part& part, const T* x, const double* centre,
                                      double* results, std::int64_t from, std::int64_t to) {
  const Plan& p = *part.plan;
  const int outer = std::max(0, p.reduced_count - 1);
  const bool any = p.reduced_count > 0;
  const std::int64_t n = any ? part.size(true, outer) : 1;
  const std::int64_t step = any ? p.reduced[static_cast<std::size_t>(outer)].in : 1;
  ForEach(part, false, p.kept_count, from, to, [&](std::int64_t in, std::int64_t out) {
    const T c = centre ? static_cast<T>(centre[out]) : T{};
    double total = F::kIdentity;
    ForEach(part, true, outer, in, 0, [&](std::int64_t row, std::int64_t) {
      total =
          F::Merge(total, step == 1 ? Row<F, T>(x + row, n, c) : Spread<F>(x + row, n, step, c));
    });
    results[out] = total;
  });
}

/// Neighbouring results side by side: up to four vectors of them.
template <class F, int V, class T>
HWY_NOINLINE void Columns(const Part& part, const T* x, std::int64_t n, const double* centre,
                          double* results, std::int64_t result_step) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const Plan& p = *part.plan;
  const int outer = p.reduced_count - 1;
  HWY_ALIGN T cs[V * hn::MaxLanes(d)] = {}, block[V * hn::MaxLanes(d)];
  double total[V * hn::MaxLanes(d)];
  for (std::int64_t j = 0; j < n; ++j) {
    total[j] = F::kIdentity;
    if (centre) cs[j] = static_cast<T>(centre[j * result_step]);
  }
  const std::size_t rest = static_cast<std::size_t>(n) - (V - 1) * lanes;
  const bool whole = rest == lanes;
  const std::int64_t count = outer < 0 ? 1 : part.size(true, outer);
  const std::int64_t step = outer < 0 ? 0 : p.reduced[static_cast<std::size_t>(outer)].in;
  ForEach(part, true, std::max(outer, 0), 0, 0, [&](std::int64_t in, std::int64_t) {
    const T* row = x + in;
    for (std::int64_t i = 0; i < count;) {
      auto a0 = F::Init(d), a1 = a0, a2 = a0, a3 = a0;
      const std::int64_t end = std::min(count, i + kBlock);
      for (; i < end; ++i, row += step) {
        const auto take = [&](auto& a, int v) {
          const T* at = row + static_cast<std::size_t>(v) * lanes;
          const auto e =
              v + 1 < V || whole ? hn::LoadU(d, at) : backend::HWY_NAMESPACE::load_n(d, at, rest);
          a = F::Step(d, a, e, hn::Load(d, cs + static_cast<std::size_t>(v) * lanes));
        };
        take(a0, 0);
        if constexpr (V > 1) take(a1, 1);
        if constexpr (V > 2) take(a2, 2);
        if constexpr (V > 3) take(a3, 3);
      }
      hn::Store(a0, d, block);
      if constexpr (V > 1) hn::Store(a1, d, block + lanes);
      if constexpr (V > 2) hn::Store(a2, d, block + 2 * lanes);
      if constexpr (V > 3) hn::Store(a3, d, block + 3 * lanes);
      for (std::int64_t j = 0; j < n; ++j)
        total[j] = F::Merge(total[j], static_cast<double>(block[j]));
    }
  });
  for (std::int64_t j = 0; j < n; ++j) results[j * result_step] = total[j];
}

template <class F, class T> void AllColumns(const Part& part, const T* x, const double* centre,
                                            double* results, std::int64_t from, std::int64_t to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const Plan& p = *part.plan;
  const int last = p.kept_count - 1;
  const std::int64_t n = part.size(false, last);
  const std::int64_t step = p.kept[static_cast<std::size_t>(last)].result;
  ForEach(part, false, last, from, to, [&](std::int64_t in, std::int64_t out) {
    for (std::int64_t j = 0; j < n; j += 4 * lanes) {
      const std::int64_t m = std::min(n - j, 4 * lanes), at = out + j * step;
      const auto go = [&](auto v) {
        Columns<F, decltype(v)::value, T>(part, x + in + j, m, centre ? centre + at : nullptr,
                                          results + at, step);
      };
      switch ((m + lanes - 1) / lanes) {
        case 1: go(std::integral_constant<int, 1>()); break;
        case 2: go(std::integral_constant<int, 2>()); break;
        case 3: go(std::integral_constant<int, 3>()); break;
        default: go(std::integral_constant<int, 4>()); break;
      }
    }
  });
}

template <class F, class T>
void RunPart(const Part& part, const T* x, const double* centre, double* results) {
  std::int64_t in = 0, out = 0;
  if (part.dim >= 0) {
    const PlanDim& d = (part.of_reduced ? part.plan->reduced
                                        : part.plan->kept)[static_cast<std::size_t>(part.dim)];
    in = part.begin * d.in;
    if (!part.of_reduced) out = part.begin * d.result;
  }
  if (part.plan->columns)
    AllColumns<F, T>(part, x, centre, results, in, out);
  else
    Rows<F, T>(part, x, centre, results, in, out);
}

/// Elements worth a thread of their own.
constexpr std::int64_t kGrain = 1 << 15;

int Largest(const std::array<PlanDim, Plan::kMost>& dims, int count) {
  int best = -1;
  for (int d = 0; d < count; ++d)
    if (best < 0 ||
        dims[static_cast<std::size_t>(d)].size > dims[static_cast<std::size_t>(best)].size)
      best = d;
  return best;
}

template <class F, class T>
void Run(const Plan& plan, const T* x, const double* centre, double* results) {
  if (plan.results == 0) return;
  if (plan.each == 0) {
    std::fill_n(results, plan.results, F::kIdentity);
    return;
  }
  const std::int64_t work = plan.results * plan.each;
  if (work <= kGrain) return RunPart<F>(Part{&plan}, x, centre, results);
  const int k = Largest(plan.kept, plan.kept_count), r = Largest(plan.reduced, plan.reduced_count);
  const std::int64_t kept = k < 0 ? 1 : plan.kept[static_cast<std::size_t>(k)].size;
  const std::int64_t along = r < 0 ? 1 : plan.reduced[static_cast<std::size_t>(r)].size;
  if (kept >= 16 * 4 || kept >= along || plan.results > kGrain) {
    backend::parallel_for(0, kept, std::max<std::int64_t>(1, kGrain / (work / kept)),
                          [&](std::int64_t b, std::int64_t e) {
                            RunPart<F>(Part{&plan, false, k, b, e}, x, centre, results);
                          });
    return;
  }
  // Few results: chunks of the longest reduced dimension, of a size that threads do not change.
  const std::int64_t chunk = std::max<std::int64_t>(1, kGrain / (work / along));
  const std::int64_t chunks = (along + chunk - 1) / chunk;
  const backend::Scratch scratch(static_cast<std::size_t>(chunks * plan.results) * sizeof(double));
  double* const parts = scratch.as<double>();
  backend::parallel_for(0, chunks, 1, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t i = b; i < e; ++i)
      RunPart<F>(Part{&plan, true, r, i * chunk, std::min(along, (i + 1) * chunk)}, x, centre,
                 parts + i * plan.results);
  });
  for (std::int64_t o = 0; o < plan.results; ++o) {
    double total = parts[o];
    for (std::int64_t i = 1; i < chunks; ++i) total = F::Merge(total, parts[i * plan.results + o]);
    results[o] = total;
  }
}

template <class T>
void RunFold(Fold what, const Plan& plan, const T* x, const double* centre, double* results) {
  switch (what) {
    case Fold::sum: return Run<Sum>(plan, x, centre, results);
    case Fold::sum_abs: return Run<SumAbs>(plan, x, centre, results);
    case Fold::sum_numbers: return Run<SumNumbers>(plan, x, centre, results);
    case Fold::count: return Run<Count>(plan, x, centre, results);
    case Fold::product: return Run<Product>(plan, x, centre, results);
    case Fold::sum_off: return Run<SumOff>(plan, x, centre, results);
    case Fold::sum_squares: return Run<SumSquares>(plan, x, centre, results);
    case Fold::sum_exp: return Run<SumExp>(plan, x, centre, results);
    case Fold::max: return Run<Max>(plan, x, centre, results);
    case Fold::min: return Run<Min>(plan, x, centre, results);
    case Fold::max_abs: return Run<MaxAbs>(plan, x, centre, results);
  }
}

void FoldF32(Fold what, const Plan& p, const float* x, const double* c, double* r) {
  RunFold(what, p, x, c, r);
}
void FoldF64(Fold what, const Plan& p, const double* x, const double* c, double* r) {
  RunFold(what, p, x, c, r);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::reduce
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::reduce {

HWY_EXPORT(FoldF32);
HWY_EXPORT(FoldF64);

bool fold(Fold what, const View& in, Mask mask, const double* centre, double* results) {
  Plan plan;
  if ((in.dtype != DType::f32 && in.dtype != DType::f64) || !make_plan(in, mask, plan))
    return false;
  if (in.dtype == DType::f32) HWY_DYNAMIC_DISPATCH(FoldF32)
  (what, plan, reinterpret_cast<const float*>(in.data), centre, results);
  else HWY_DYNAMIC_DISPATCH(FoldF64)(what, plan, reinterpret_cast<const double*>(in.data), centre,
                                     results);
  return true;
}

}  // namespace taper::reduce
#endif
