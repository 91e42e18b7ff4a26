// CPU kernels of ops whose struct has a function `value`, without vectors of a particular
// instruction set: for ops that take much longer than a memory access, or that are rare. They cost
// a tenth of the build time of the kernels of row_loops-inl.h.
#pragma once
#include "ops/kernel/vector_loop.h"

namespace taper {

template <class O, class T, class Out>
void value_loop(const void* attributes, const void* const* in, void* out, std::size_t n) {
  [[maybe_unused]] const O& o = *static_cast<const O*>(attributes);
  const auto* a = static_cast<const T*>(in[0]);
  [[maybe_unused]] const auto* b = static_cast<const T*>(in[count_words(O::op.inputs) - 1]);
  auto* to = static_cast<Out*>(out);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (count_words(O::op.inputs) == 1)
      to[i] = static_cast<Out>(o.value(a[i]));
    else
      to[i] = static_cast<Out>(o.value(a[i], b[i]));
  }
}

/// As value_loop, for bool: O::value of 0 and 1.
template <class O>
void bool_value_loop(const void* attributes, const void* const* in, void* out, std::size_t n) {
  [[maybe_unused]] const O& o = *static_cast<const O*>(attributes);
  const auto* a = static_cast<const std::uint8_t*>(in[0]);
  [[maybe_unused]] const auto* b =
      static_cast<const std::uint8_t*>(in[count_words(O::op.inputs) - 1]);
  auto* to = static_cast<std::uint8_t*>(out);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (count_words(O::op.inputs) == 1)
      to[i] = o.value(a[i] != 0 ? 1 : 0) != 0;
    else
      to[i] = o.value(a[i] != 0 ? 1 : 0, b[i] != 0 ? 1 : 0) != 0;
  }
}

template <class O> constexpr kernel::LoopTable value_loops(std::int64_t grain) {
  constexpr bool test = O::op.promote == TypePromotion::comparison;
  kernel::LoopTable l;
  if constexpr (O::floats) {
    l.f32 = value_loop<O, float, std::conditional_t<test, std::uint8_t, float>>;
    l.f64 = value_loop<O, double, std::conditional_t<test, std::uint8_t, double>>;
  }
  if constexpr (O::integers)
    l.i64 = value_loop<O, std::int64_t, std::conditional_t<test, std::uint8_t, std::int64_t>>;
  if constexpr (!O::floats && O::supported.contains(DType::bool_)) l.b8 = bool_value_loop<O>;
  l.returns_bool = l.exact = test;
  l.grain = grain;
  return l;
}

inline constexpr std::int64_t kCostlyGrain = 1 << 12;  ///< for functions such as digamma

/// Runs the loop over O::value, which may be a static function.
template <class O, std::int64_t grain = kernel::LoopTable{}.grain>
bool run_value_loop(const O& o, const KernelArgs& k) {
  static constexpr kernel::LoopTable loops = value_loops<O>(grain);
  kernel::check_elements<O>(k);
  return kernel::run_elementwise(loops, &o, k);
}

}  // namespace taper

/// Defines the CPU kernel of op O. Further arguments: the grain.
#define TAPER_VALUE_KERNEL(O, ...)                               \
  template <> bool cpu_kernel(const O& o, const KernelArgs& k) { \
    return run_value_loop<O __VA_OPT__(, ) __VA_ARGS__>(o, k);   \
  }
