// Loops over the matrices of a batch.
#pragma once
#include <algorithm>
#include <string>

#include "cpu/threads.h"
#include "ops/linalg/dense.h"

namespace taper::kernel {

/// Calls `f` with an object of the type in which matrices of `rows` rows and `cols` columns are
/// factored. Small float32 matrices are factored in double, where speed matters less than the loss
/// of digits of ill-conditioned ones.
template <class F> void with_scalar_type(DType dtype, std::int64_t rows, std::int64_t cols, F f) {
  constexpr std::int64_t kSmall = 64;
  if (dtype == DType::f64 || std::max(rows, cols) <= kSmall)
    f(double{});
  else
    f(float{});
}

/// Calls f(i) for the matrices of a batch, in parallel if their factorizations are expensive
/// enough.
template <class F> void for_each_matrix(std::size_t count, const Matrix& like, F f) {
  constexpr double kWorkPerThread = 30000;
  const double work = 10 + static_cast<double>(like.rows) * static_cast<double>(like.cols) *
                               static_cast<double>(std::min(like.rows, like.cols));
  const auto grain = static_cast<std::int64_t>(std::max(1.0, kWorkPerThread / work));
  cpu::parallel_for(0, static_cast<std::int64_t>(count), grain,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (; begin < end; ++begin) f(static_cast<std::size_t>(begin));
                    });
}

/// Returns the name of batch element i in messages: "(Batch element 2): "; empty for one matrix.
inline std::string batch_element_text(const View& input, std::size_t i) {
  return input.shape->size() > 2 ? format_message("(Batch element {}): ", i) : std::string();
}

}  // namespace taper::kernel
