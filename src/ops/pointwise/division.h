// Integer division, whose divisor may not be 0.
#pragma once
#include "ops/kernel/reference.h"
#include "ops/pointwise/pointwise.h"

namespace taper {

/// Throws RuntimeError if an element of the divisor, the second input, is an integer 0 in the dtype
/// of the computation, to which a wider number is truncated. Called before the first element is
/// written, because the op may work in place.
inline void reject_zero_divisors(const KernelArgs& k, std::string_view op) {
  if (is_floating_point(k.compute)) return;
  const View& v = k.in[1];
  if (v.dtype == k.compute && is_contiguous(v)) {
    bool any_zero = false;
    visit_dtype(v.dtype, [&]<class T>(T) {
      if constexpr (std::is_integral_v<T>) {
        const auto* const p = reinterpret_cast<const T*>(v.data);
        for (std::int64_t i = 0; i < v.numel; ++i) any_zero |= p[i] == T(0);
      }
    });
    if (!any_zero) return;
  }
  std::byte computed[8];
  kernel::walk(*v.shape, std::array<const View*, 1>{&v},
               [&](const std::array<std::int64_t, 1>& at) {
                 const auto value = kernel::load<std::int64_t>(v.data + at[0], v.dtype);
                 kernel::store(computed, k.compute, value);
                 if (kernel::load<std::int64_t>(computed, k.compute) == 0)
                   fail<RuntimeError>("{}: ZeroDivisionError: an integer was divided by 0", op);
               });
}

}  // namespace taper
