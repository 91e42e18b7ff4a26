// Vector mathematics for kernels. Include this file after hwy/foreach_target.h, once per target,
// and call the functions from within `taper::cpu::HWY_NAMESPACE` (or qualify them with it).
//
//   load_n, load_n_or, store_n             the first n lanes, no access beyond them
//   vec_exp, vec_exp_nonpositive, vec_expm1, vec_log, vec_log1p, vec_log1p_exp, vec_tanh,
//   vec_erf, vec_sigmoid
//
// Lanes are float or double. Errors are at most 2 ulp, 2.5 for vec_sigmoid and vec_tanh. Results
// for infinities, zeros, subnormals and NaN are those of the C library, except that
// vec_exp_nonpositive and, where e^-x overflows, vec_sigmoid return 0 instead of subnormal results.
#if defined(TAPER_CPU_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_MATH_INL_H_
#undef TAPER_CPU_SIMD_MATH_INL_H_
#else
#define TAPER_CPU_SIMD_MATH_INL_H_
#endif

#include "cpu/simd/erf-inl.h"
#include "cpu/simd/exp-inl.h"
#include "cpu/simd/log-inl.h"
#include "cpu/simd/tail-inl.h"

#endif
