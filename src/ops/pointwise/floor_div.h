// Floating-point division rounded down as Python does it: consistent with the remainder.
#pragma once
#include <cmath>

namespace taper::kernel {

template <class T> T floor_div(T a, T b) {
  if (b == T(0)) return a / b;
  const T rest = std::fmod(a, b);
  T q = (a - rest) / b;
  if (rest != T(0) && (b < T(0)) != (rest < T(0))) q -= T(1);
  if (q == T(0)) return std::copysign(T(0), a / b);
  const T down = std::floor(q);
  return q - down > T(0.5) ? down + T(1) : down;
}

}  // namespace taper::kernel
