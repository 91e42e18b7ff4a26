// Loops of reductions of integers, which the compiler vectorizes for each instruction set.
#include <algorithm>
#include <limits>

#include "cpu/simd/targets.h"
#include "ops/reduce/fold_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/reduce/fold_integers.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taper::reduce {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t kWidth = 64;  ///< number of columns that are folded simultaneously

struct IntegerSum {
  static constexpr std::int64_t kIdentity = 0;
  // Unsigned arithmetic wraps around.
  static HWY_INLINE std::int64_t step(std::int64_t a, std::int64_t x) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(x));
  }
  static std::int64_t merge(std::int64_t a, std::int64_t b) { return step(a, b); }
};
struct IntegerCount : IntegerSum {
  static HWY_INLINE std::int64_t step(std::int64_t a, std::int64_t x) {
    return a + static_cast<std::int64_t>(x != 0);
  }
};
struct IntegerMax {
  static constexpr std::int64_t kIdentity = std::numeric_limits<std::int64_t>::min();
  static HWY_INLINE std::int64_t step(std::int64_t a, std::int64_t x) { return std::max(a, x); }
  static std::int64_t merge(std::int64_t a, std::int64_t b) { return std::max(a, b); }
};
struct IntegerMin {
  static constexpr std::int64_t kIdentity = std::numeric_limits<std::int64_t>::max();
  static HWY_INLINE std::int64_t step(std::int64_t a, std::int64_t x) { return std::min(a, x); }
  static std::int64_t merge(std::int64_t a, std::int64_t b) { return std::min(a, b); }
};

/// Type in which elements are stored, and the value of one. A byte of a bool may contain values
/// other than 0 and 1.
template <class T> struct Stored {
  using Type = T;
  static HWY_INLINE std::int64_t value(T x) { return static_cast<std::int64_t>(x); }
};
template <> struct Stored<bool> {
  using Type = std::uint8_t;
  static HWY_INLINE std::int64_t value(std::uint8_t x) { return x != 0; }
};

/// Number of nonzero bytes, counted in bytes: 255 of them do not overflow.
std::int64_t count_bytes(const std::uint8_t* x, std::int64_t n) {
  constexpr std::int64_t kLanes = 64, kSteps = 255;
  std::int64_t total = 0, i = 0;
  while (n - i >= kLanes) {
    std::uint8_t counts[kLanes] = {};
    for (std::int64_t s = 0; s < kSteps && n - i >= kLanes; ++s, i += kLanes)
      for (std::int64_t l = 0; l < kLanes; ++l)
        counts[l] = static_cast<std::uint8_t>(counts[l] + (x[i + l] != 0));
    std::uint32_t sum = 0;
    for (const std::uint8_t c : counts) sum += c;
    total += sum;
  }
  for (; i < n; ++i) total += x[i] != 0;
  return total;
}

template <class F, class T>
std::int64_t fold_row(const void* x, std::int64_t n, std::int64_t step, std::int64_t) {
  const auto* const from = static_cast<const typename Stored<T>::Type*>(x);
  constexpr bool kCounts =
      std::is_same_v<F, IntegerCount> || (std::is_same_v<F, IntegerSum> && std::is_same_v<T, bool>);
  if constexpr (sizeof(T) == 1 && kCounts)
    if (step == 1) return count_bytes(static_cast<const std::uint8_t*>(x), n);
  std::int64_t total = F::kIdentity;
  if (step == 1)
    for (std::int64_t i = 0; i < n; ++i) total = F::step(total, Stored<T>::value(from[i]));
  else
    for (std::int64_t i = 0; i < n; ++i) total = F::step(total, Stored<T>::value(from[i * step]));
  return total;
}

template <class F, class T> void fold_columns(const PlanRange& range, const void* x, std::int64_t n,
                                              const std::int64_t*, std::int64_t* results,
                                              std::int64_t result_step) {
  const auto* const from = static_cast<const typename Stored<T>::Type*>(x);
  const Plan& p = *range.plan;
  const int outer = p.reduced_count - 1;
  const std::int64_t count = outer < 0 ? 1 : range.size(true, outer);
  const std::int64_t step = outer < 0 ? 0 : p.reduced[static_cast<std::size_t>(outer)].in;
  std::int64_t totals[kWidth];
  std::fill_n(totals, kWidth, F::kIdentity);
  for (PlanIterator at(range, true, std::max(outer, 0), 0, 0); at.valid(); at.advance())
    for (std::int64_t i = 0; i < count; ++i) {
      const auto* const row = from + at.in + i * step;
      if (n == kWidth)
        for (std::int64_t j = 0; j < kWidth; ++j)
          totals[j] = F::step(totals[j], Stored<T>::value(row[j]));
      else
        for (std::int64_t j = 0; j < n; ++j)
          totals[j] = F::step(totals[j], Stored<T>::value(row[j]));
    }
  for (std::int64_t j = 0; j < n; ++j) results[j * result_step] = totals[j];
}

template <class F, class T> const FoldLoops<std::int64_t>* loops_of() {
  static constexpr FoldLoops<std::int64_t> loops{F::kIdentity, F::merge, fold_row<F, T>,
                                                 fold_columns<F, T>, kWidth};
  return &loops;
}
template <class T> const FoldLoops<std::int64_t>* find_loops(Fold fold) {
  switch (fold) {
    case Fold::sum: return loops_of<IntegerSum, T>();
    case Fold::count: return loops_of<IntegerCount, T>();
    case Fold::max: return loops_of<IntegerMax, T>();
    case Fold::min: return loops_of<IntegerMin, T>();
    default: return nullptr;
  }
}

const FoldLoops<std::int64_t>* IntegerLoops(Fold fold, DType dtype) {
  switch (dtype) {
    case DType::i64: return find_loops<std::int64_t>(fold);
    case DType::i32: return find_loops<std::int32_t>(fold);
    case DType::i16: return find_loops<std::int16_t>(fold);
    case DType::i8: return find_loops<std::int8_t>(fold);
    case DType::u8: return find_loops<std::uint8_t>(fold);
    case DType::bool_: return find_loops<bool>(fold);
    default: return nullptr;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace taper::reduce
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::reduce {

HWY_EXPORT(IntegerLoops);

const FoldLoops<std::int64_t>* integer_fold_loops(Fold fold, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(IntegerLoops)(fold, dtype);
}

}  // namespace taper::reduce
#endif
