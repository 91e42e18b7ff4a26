// The machine's peak of multiply-adds.
#pragma once

namespace taper::bench {

/// Returns the multiply-adds of float32 per second that `threads` threads reach together, with
/// operands in registers and the widest vectors of the machine. Measured once per number.
double peak_multiply_adds(int threads);

}  // namespace taper::bench
