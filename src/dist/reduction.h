// Reductions of buffers of several ranks, in a fixed order of summation.
#pragma once
#include <cstdint>
#include <span>

#include "taper/core/dtype.h"
#include "taper/dist/c_api.h"

namespace taper::distributed {

/// Order in which a reduction combines the ranks.
enum class ReductionOrder : std::uint8_t {
  ring,  ///< that of Gloo's ring algorithm; 16-bit floats are rounded after every step
  rank   ///< ascending ranks; 16-bit floats are accumulated in f32
};

/// Buffers of a reduction of `count` elements: one per rank, which contains them from `first` on.
struct ReductionInputs {
  std::span<const void* const> ranks;
  std::int64_t count;
  DType dtype;
  taper_dist_op op;
  ReductionOrder order;
  std::int64_t first = 0;
};

/// Reduces the elements [begin, end) and stores them in each of `outputs`, whose first element is
/// element `begin`. An output may be the input of a rank at the same elements.
///
/// The ring order divides the elements of p ranks into S = max(2 p, ceil(bytes / 1 MiB)) segments,
/// S rounded up to a multiple of p, of ceil(count / S) elements. Chunk c, which consists of S / p
/// segments, is combined as ((x[c - 1] + x[c - 2]) + ...) + x[c], ranks modulo p.
void reduce_range(const ReductionInputs& inputs, std::int64_t begin, std::int64_t end,
                  std::span<void* const> outputs);

/// Replaces elements of `total` by their combination with those of `x`; 16-bit floats are rounded.
void combine_elements(void* total, const void* x, std::int64_t count, DType dtype,
                      taper_dist_op op);

/// Divides floating-point elements by `divisor`, in the element type.
void divide_elements(void* elements, std::int64_t count, DType dtype, int divisor);

/// Stores the products of floating-point elements and `factor`, in the element type, at `to`, which
/// may be `from`.
void scale_elements(void* to, const void* from, std::int64_t count, DType dtype, double factor);

}  // namespace taper::distributed
