#include "cpu/simd/targets.h"
#include "ops/optimizer/clip_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/optimizer/clip.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::optimizer::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace tail = cpu::HWY_NAMESPACE;

template <class T> double Squares(const T* x, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  const auto add = [&](auto& sum, auto v) HWY_ATTR { sum = hn::MulAdd(v, v, sum); };
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    add(s0, hn::LoadU(d, x + i));
    add(s1, hn::LoadU(d, x + i + lanes));
    add(s2, hn::LoadU(d, x + i + 2 * lanes));
    add(s3, hn::LoadU(d, x + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) add(s0, hn::LoadU(d, x + i));
  if (i < n) add(s1, tail::load_n(d, x + i, static_cast<std::size_t>(n - i)));
  return static_cast<double>(
      hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)))));
}
double SquaresF32(const float* x, std::int64_t n) { return Squares(x, n); }
double SquaresF64(const double* x, std::int64_t n) { return Squares(x, n); }

template <class T> void Scale(T* x, std::int64_t n, T factor) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto f = hn::Set(d, factor);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, x + i), f), d, x + i);
  if (i == n) return;
  const auto rest = static_cast<std::size_t>(n - i);
  tail::store_n(hn::Mul(tail::load_n(d, x + i, rest), f), d, x + i, rest);
}
void ScaleF32(float* x, std::int64_t n, float factor) { Scale(x, n, factor); }
void ScaleF64(double* x, std::int64_t n, double factor) { Scale(x, n, factor); }

}  // namespace taper::optimizer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::optimizer {

HWY_EXPORT(SquaresF32);
HWY_EXPORT(SquaresF64);
HWY_EXPORT(ScaleF32);
HWY_EXPORT(ScaleF64);

double sum_of_squares(const float* x, std::int64_t n) {
  return HWY_DYNAMIC_DISPATCH(SquaresF32)(x, n);
}
double sum_of_squares(const double* x, std::int64_t n) {
  return HWY_DYNAMIC_DISPATCH(SquaresF64)(x, n);
}
void scale(float* x, std::int64_t n, float factor) { HWY_DYNAMIC_DISPATCH(ScaleF32)(x, n, factor); }
void scale(double* x, std::int64_t n, double factor) {
  HWY_DYNAMIC_DISPATCH(ScaleF64)(x, n, factor);
}

}  // namespace taper::optimizer
#endif
