// Kernels of the fused optimizer steps over contiguous elements.
#pragma once
#include <array>
#include <cstdint>

namespace taper::optimizer {

inline constexpr int kMaxStates = 3;

/// Elements of one parameter, its gradient and its state tensors; null for absent state tensors.
template <class T> struct Elements {
  T* param;
  const T* grad;
  std::array<T*, kMaxStates> state;
  std::int64_t n;
};

/// Functions that perform one step in one pass over the elements. `step` points to the coefficients
/// of the optimizer (taper/ops/optimizer_step.h).
struct Kernel {
  void (*f32)(const Elements<float>& elements, const void* step);
  void (*f64)(const Elements<double>& elements, const void* step);
};

extern const Kernel kAdam, kAdamax, kNAdam, kRAdam;
extern const Kernel kRMSprop, kAdagrad, kAdadelta;
extern const Kernel kRprop, kASGD;

}  // namespace taper::optimizer
