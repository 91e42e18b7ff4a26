// Kernels of fmod and remainder.
#include "ops/pointwise/bitwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/remainders.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "cpu/simd/remainder-inl.h"
#include "ops/pointwise/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
TAPER_FLOAT_BINARY_LOOP(Fmod, costly, math::vec_fmod(d, a, b))
TAPER_FLOAT_BINARY_LOOP(Remainder, costly, math::vec_remainder(d, a, b))
#else
TAPER_SCALAR_BINARY_LOOP(Fmod, costly)
TAPER_SCALAR_BINARY_LOOP(Remainder, costly)
#endif

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
