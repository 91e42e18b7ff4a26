// RowOutput: rows of an output that are computed in the cache.
#pragma once
#include <cstddef>
#include <cstdint>

#include "cpu/stream.h"

namespace taper::cpu {

/// Rows of an output of `rows` rows of `row_size` elements. Those of a large output are computed in
/// a buffer and bypass the cache afterwards.
template <class T> class RowOutput {
 public:
  /// Maximum number of elements of the rows that are computed in a buffer at a time.
  static constexpr std::int64_t kMaxBuffered = 4096;

  /// `overwrites_input` is true if the output is the memory of an input, which is in the cache.
  RowOutput(T* data, std::int64_t rows, std::int64_t row_size, bool overwrites_input)
      : data_(data),
        size_(row_size),
        streams_(!overwrites_input && row_size <= kMaxBuffered &&
                 static_cast<std::size_t>(rows * row_size) * sizeof(T) >= kMinStreamedBytes) {}

  /// Returns memory for rows from `row` on: `buffer`, of kMaxBuffered elements, or the output.
  T* begin(std::int64_t row, T* buffer) const { return streams_ ? buffer : data_ + row * size_; }
  /// Writes `count` rows that have been computed in the memory that `begin` returned.
  void end(std::int64_t row, std::int64_t count, const T* values) const {
    if (streams_)
      stream_copy(data_ + row * size_, values, static_cast<std::size_t>(count * size_) * sizeof(T));
  }
  /// Must be called by each thread after its last row.
  void finish() const {
    if (streams_) finish_stream_copies();
  }

 private:
  T* data_;
  std::int64_t size_;
  bool streams_;
};

}  // namespace taper::cpu
