// Integer division, whose divisor may not be 0.
#pragma once
#include "ops/kernel/reference.h"
#include "ops/pointwise/pointwise.h"

namespace taper {

/// Throws RuntimeError if an element of the divisor, the second input, is an integer 0. Called
/// before the first element is written, because the op may work in place.
inline void reject_zero_divisors(const KernelArgs& k, std::string_view op) {
  if (is_floating_point(k.compute)) return;
  const View& v = k.in[1];
  kernel::walk(*v.shape, std::array<const View*, 1>{&v},
               [&](const std::array<std::int64_t, 1>& at) {
                 if (kernel::load<std::int64_t>(v.data + at[0], v.dtype) == 0)
                   fail<RuntimeError>("{}: ZeroDivisionError: an integer was divided by 0", op);
               });
}

}  // namespace taper
