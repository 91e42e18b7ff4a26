// Which instruction sets the vector kernels are compiled for. Include this before anything of
// Highway: SSSE3 and the AVX-512 extension set would only add compile time.
#pragma once
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#endif
