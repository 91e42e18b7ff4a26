// Which instruction sets the vector kernels are compiled for. Include this before anything of
// Highway. On x86 those are AVX2, AVX-512 and the baseline, which computes one lane at a
// time. SSE4 and SSSE3 would serve few machines for a fifth of the compile time.
#pragma once
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSE4 | HWY_SSSE3)
#endif
