// Inner loops of uniform and normal fills. Results are bitwise equal on all processors.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace taper::random {

/// Computes x[i] = fma(x[i], scale, shift) in place.
void scale_and_shift(double* x, std::int64_t n, double scale, double shift);
void scale_and_shift(float* x, std::int64_t n, float scale, float shift);

/// Box-Muller transform: converts blocks of 16 uniforms in [0, 1) to normals in place. Elements j
/// and j + 8 of a block form a pair.
void box_muller(float* x, std::int64_t blocks, float mean, float std);

// Scalar forms of the polynomials that box_muller evaluates on vectors.

/// Returns the natural logarithm of a positive number that is not subnormal.
inline float log_polynomial(float x) {
  constexpr float kCoefficients[] = {-1.1514610310e-1f, 1.1676998740e-1f,  -1.2420140846e-1f,
                                     1.4249322787e-1f,  -1.6668057665e-1f, 2.0000714765e-1f,
                                     -2.4999993993e-1f, 3.3333331174e-1f};
  const auto bits = std::bit_cast<std::int32_t>(x);
  auto e = static_cast<float>((bits >> 23) - 126);
  float m = std::bit_cast<float>((bits & 0x007fffff) | 0x3f000000);
  if (m < 0.707106781186547524f) {
    e -= 1;
    m = (m - 1) + m;
  } else {
    m = m - 1;
  }
  const float z = m * m;
  float y = 7.0376836292e-2f;
  for (const float k : kCoefficients) y = std::fma(y, m, k);
  y = std::fma(y * m, z, e * -2.12194440e-4f);
  y = std::fma(-z, 0.5f, y);
  return std::fma(e, 0.693359375f, m + y);
}

struct SinCos {
  float sine, cosine;
};

/// Returns the sine and cosine of x in [0, 2 pi).
inline SinCos sincos_polynomial(float x) {
  const std::int32_t j = (static_cast<std::int32_t>(x * 1.27323954473516f) + 1) & ~1;
  const auto q = static_cast<float>(j);
  for (const float d : {-0.78515625f, -2.4187564849853515625e-4f, -3.77489497744594108e-8f})
    x = std::fma(q, d, x);
  const float z = x * x;
  float c = std::fma(2.443315711809948e-5f, z, -1.388731625493765e-3f);
  c = std::fma(c, z, 4.166664568298827e-2f);
  c = std::fma(c * z, z, -z * 0.5f) + 1;
  float s = std::fma(-1.9515295891e-4f, z, 8.3321608736e-3f);
  s = std::fma(s, z, -1.6666654611e-1f);
  s = std::fma(s * z, x, x);
  const float sine = (j & 2) ? c : s, cosine = (j & 2) ? s : c;
  return {(j & 4) ? -sine : sine, ((j - 2) & 4) ? cosine : -cosine};
}

}  // namespace taper::random
