// Instruction sets of the vector kernels. Include this file before any header of Highway. On x86
// these are AVX2, AVX-512 and the baseline, which computes one lane at a time. SSE4 and SSSE3 are
// omitted: few machines would benefit, and they add a fifth to the compile time.
#pragma once
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSE4 | HWY_SSSE3)
#endif
