// Sums and moments of contiguous f32 elements, for normalizations.
#if defined(TAPER_CPU_NORM_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_NORM_SUMS_INL_H_
#undef TAPER_CPU_NORM_SUMS_INL_H_
#else
#define TAPER_CPU_NORM_SUMS_INL_H_
#endif

#include <algorithm>

#include "cpu/norm/moments.h"
#include "cpu/norm/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes two sums over `count` elements of one plane. `term(index, lanes, s, q)` adds a vector
/// of summands to each.
template <class Term>
HWY_INLINE void sum_plane(std::int64_t count, double& s, double& q, Term&& term) {
  const std::size_t all = hn::Lanes(D());
  const auto lanes = static_cast<std::int64_t>(all);
  // Additions to one sum wait for each other.
  V s0 = hn::Zero(D()), s1 = s0, s2 = s0, s3 = s0, q0 = s0, q1 = s0, q2 = s0, q3 = s0;
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    term(i, all, s0, q0);
    term(i + lanes, all, s1, q1);
    term(i + 2 * lanes, all, s2, q2);
    term(i + 3 * lanes, all, s3, q3);
  }
  for (; i + lanes <= count; i += lanes) term(i, all, s0, q0);
  if (i < count) term(i, static_cast<std::size_t>(count - i), s1, q1);
  s0 = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
  q0 = hn::Add(hn::Add(q0, q1), hn::Add(q2, q3));
  s = static_cast<double>(hn::GetLane(hn::SumOfLanes(D(), s0)));
  q = static_cast<double>(hn::GetLane(hn::SumOfLanes(D(), q0)));
}

/// Merges a block of `size` elements into the moments of `before` elements.
HWY_INLINE void add_block_moments(const float* x, std::int64_t size, double& before, double& mean,
                                  double& squares) {
  double sum, rest, q, unused;
  const double count = static_cast<double>(size);
  sum_plane(size, sum, unused, [&](std::int64_t i, std::size_t n, V& a, V&) HWY_ATTR {
    a = hn::Add(a, load_lanes(x + i, n));
  });
  const float center = static_cast<float>(sum / count);
  sum_plane(size, rest, q, [&](std::int64_t i, std::size_t n, V& a, V& b) HWY_ATTR {
    const V e =
        hn::IfThenElseZero(hn::FirstN(D(), n), hn::Sub(load_lanes(x + i, n), hn::Set(D(), center)));
    a = hn::Add(a, e);
    b = hn::MulAdd(e, e, b);
  });
  const double miss = rest / count;
  merge_moments(before, mean, squares, count, static_cast<double>(center) + miss,
                std::max(0.0, q - miss * miss * count));
  before += count;
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
