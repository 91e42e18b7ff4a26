#include "dist/reduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "core/dtype_table.h"

namespace taper::distributed {
namespace {

// Elements that are combined at a time, so that the partial results remain in the cache.
constexpr std::int64_t kReductionBlock = 1024;

template <class T> constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// Returns true if both operands are numbers and `a` is to be kept, or if `a` is NaN.
template <class T> bool precedes(T a, T b, bool less) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a);
  return less ? a < b : b < a;
}

template <class T> T combine_numbers(T a, T b, taper_dist_op op) {
  switch (op) {
    case TAPER_DIST_MIN: return precedes(b, a, true) ? b : a;
    case TAPER_DIST_MAX: return precedes(b, a, false) ? b : a;
    default: break;
  }
  if constexpr (std::is_same_v<T, bool>) {
    const bool is_or = op == TAPER_DIST_SUM || op == TAPER_DIST_BOR;
    return op == TAPER_DIST_BXOR ? a != b : is_or ? a || b : a && b;
  } else if constexpr (std::is_integral_v<T>) {
    // Sums and products wrap. Unsigned arithmetic of 64 bits has the same low bits as that of T.
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    switch (op) {
      case TAPER_DIST_SUM: return static_cast<T>(x + y);
      case TAPER_DIST_PRODUCT: return static_cast<T>(x * y);
      case TAPER_DIST_BAND: return static_cast<T>(x & y);
      case TAPER_DIST_BOR: return static_cast<T>(x | y);
      default: return static_cast<T>(x ^ y);
    }
  } else {
    return op == TAPER_DIST_PRODUCT ? a * b : a + b;
  }
}

template <class T, class Combine>
void combine_block(T* total, const T* x, std::int64_t count, Combine combine) {
  for (std::int64_t i = 0; i < count; ++i) total[i] = combine(total[i], x[i]);
}

/// total = total op x. Sums, the usual case, are a loop that compilers vectorize.
template <class T> void combine_into(T* total, const T* x, std::int64_t count, taper_dist_op op) {
  if constexpr (kIsHalf<T>)
    combine_block(total, x, count, [op](T a, T b) {
      return T(combine_numbers(static_cast<float>(a), static_cast<float>(b), op));
    });
  else if (op == TAPER_DIST_SUM && std::is_floating_point_v<T>)
    combine_block(total, x, count, [](T a, T b) { return static_cast<T>(a + b); });
  else
    combine_block(total, x, count, [op](T a, T b) { return combine_numbers(a, b, op); });
}

/// Index of the first rank in the order of combination, and the element at which it changes.
struct Run {
  std::size_t first;
  std::int64_t end;
};

Run run_at(const ReductionInputs& in, std::int64_t at) {
  if (in.order == ReductionOrder::rank) return {0, in.count};
  const auto p = static_cast<std::int64_t>(in.ranks.size());
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  const std::int64_t bytes = in.count * static_cast<std::int64_t>(size_of(in.dtype));
  std::int64_t segments = std::max(2 * p, (bytes + kMiB - 1) / kMiB);
  segments = (segments + p - 1) / p * p;
  const std::int64_t chunk = segments / p * ((in.count + segments - 1) / segments);
  const std::int64_t c = at / chunk;
  return {static_cast<std::size_t>((c - 1 + p) % p), (c + 1) * chunk};
}

/// Returns the i-th rank of the order that begins with `first`.
std::size_t nth_rank(const ReductionInputs& in, std::size_t first, std::size_t i) {
  const std::size_t p = in.ranks.size();
  return in.order == ReductionOrder::rank ? i : (first + p - i) % p;
}

template <class T> void combine_ranks(const ReductionInputs& in, std::size_t first,
                                      std::int64_t begin, std::int64_t count, T* total) {
  const auto input = [&](std::size_t i) {
    return static_cast<const T*>(in.ranks[nth_rank(in, first, i)]) + (begin - in.first);
  };
  if constexpr (kIsHalf<T>) {
    if (in.order == ReductionOrder::rank) {
      for (std::int64_t k = 0; k < count; ++k) {
        auto sum = static_cast<float>(input(0)[k]);
        for (std::size_t i = 1; i < in.ranks.size(); ++i)
          sum = combine_numbers(sum, static_cast<float>(input(i)[k]), in.op);
        total[k] = T(sum);
      }
      return;
    }
  }
  std::copy_n(input(0), count, total);
  for (std::size_t i = 1; i < in.ranks.size(); ++i) combine_into(total, input(i), count, in.op);
}

template <class T> void reduce_elements(const ReductionInputs& in, std::int64_t begin,
                                        std::int64_t end, std::span<void* const> outputs) {
  std::array<T, kReductionBlock> total;
  for (std::int64_t at = begin; at < end;) {
    const Run run = run_at(in, at);
    const std::int64_t count = std::min({end, run.end, at + kReductionBlock}) - at;
    combine_ranks(in, run.first, at, count, total.data());
    for (void* const output : outputs)
      std::copy_n(total.data(), count, static_cast<T*>(output) + (at - begin));
    at += count;
  }
}

}  // namespace

void reduce_range(const ReductionInputs& inputs, std::int64_t begin, std::int64_t end,
                  std::span<void* const> outputs) {
  visit_dtype(inputs.dtype, [&]<class T>(T) { reduce_elements<T>(inputs, begin, end, outputs); });
}

void combine_elements(void* total, const void* x, std::int64_t count, DType dtype,
                      taper_dist_op op) {
  visit_dtype(dtype, [&]<class T>(T) {
    combine_into(static_cast<T*>(total), static_cast<const T*>(x), count, op);
  });
}

namespace {

/// Calls f with a null pointer of the type of the elements if it is a floating-point type.
template <class F> void visit_float(DType dtype, F f) {
  switch (dtype) {
    case DType::f64: return f(static_cast<double*>(nullptr));
    case DType::f32: return f(static_cast<float*>(nullptr));
    case DType::f16: return f(static_cast<Half*>(nullptr));
    case DType::bf16: return f(static_cast<BFloat16*>(nullptr));
    default: return;
  }
}

/// Type in which elements of type T are divided and scaled.
template <class T> using Factor = std::conditional_t<kIsHalf<T>, float, T>;

}  // namespace

void divide_elements(void* elements, std::int64_t count, DType dtype, int divisor) {
  visit_float(dtype, [&]<class T>(T*) {
    T* const x = static_cast<T*>(elements);
    const auto d = static_cast<Factor<T>>(divisor);
    for (std::int64_t i = 0; i < count; ++i) x[i] = T(static_cast<Factor<T>>(x[i]) / d);
  });
}

void scale_elements(void* to, const void* from, std::int64_t count, DType dtype, double factor) {
  visit_float(dtype, [&]<class T>(T*) {
    T* const result = static_cast<T*>(to);
    const T* const x = static_cast<const T*>(from);
    const auto f = static_cast<Factor<T>>(factor);
    for (std::int64_t i = 0; i < count; ++i) result[i] = T(static_cast<Factor<T>>(x[i]) * f);
  });
}

}  // namespace taper::distributed
