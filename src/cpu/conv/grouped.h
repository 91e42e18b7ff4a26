// Convolutions with groups of few channels, and the gradient of their input: each pixel of a target
// is a sum over pixels of a source. The source is the input and the target the output, or the
// source the gradient of the output and the target that of the input.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu/conv/conv.h"

namespace taper::cpu::conv_grouped {

/// Planes, rows and columns.
using Sizes = std::array<std::int64_t, 3>;

struct Pass {
  Sizes source, target, kernel, stride, dilation, padding;
  std::int64_t batch, groups, in, out;  ///< in and out: channels per group of source and target
  bool transposed;                      ///< the target is the gradient of the input

  Pass(const ConvParams& c, bool is_transposed);

  std::int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  /// Returns the number of rows of the target in all planes of all images.
  std::int64_t rows() const { return batch * target[0] * target[1]; }
  std::int64_t multiply_adds() const { return rows() * target[2] * groups * out * in * taps(); }
  /// Returns the index of the source, along one dimension, that index `t` of the target multiplies
  /// by kernel position `k`; -1 if there is none.
  std::int64_t source_index(std::size_t dim, std::int64_t t, std::int64_t k) const;
};

/// Source rows of a row of the target, and the rows of the kernel that they multiply.
struct SourceRows {
  struct Row {
    const float* source;
    std::int64_t kernel_row;
  };
  std::vector<Row> rows;

  /// Finds those of row `row` of the target, of all planes of all images.
  void find(const Pass& p, const float* source, std::int64_t row);
};

/// Columns of the target that multiply the same columns of the kernel: `count` columns from `first`
/// on, `step` apart. Product t of column j is that of kernel column number `first_tap + t` in the
/// order of Columns::taps, and of source column `source + j * source_step + t * tap_step`.
struct Span {
  std::int64_t first, count, first_tap, num_taps, source;
};

/// The columns of a target.
struct Columns {
  std::int64_t step = 1, source_step = 1, tap_step = 1;
  std::vector<std::int64_t> taps;  ///< columns of the kernel
  std::vector<Span> spans;
  /// The spans if source rows have `before` and `after` columns of zeros around them.
  std::vector<Span> padded_spans;
  std::int64_t before = 0, after = 0;

  explicit Columns(const Pass& p);
};

/// How a vector of channels of the target multiplies channels of a source pixel: as many of its
/// own (depthwise), those of its groups, spread over the lanes, or one channel after another.
enum class Form { depthwise, spread, broadcast };

/// Blocks of channels of the target. In the last form, a block is a part of a group.
struct Blocks {
  Form form;
  std::int64_t width, per_group, count;  ///< channels of a block; blocks of a group; blocks
  std::int64_t in, out, groups;

  /// `vectors`: of a block of a depthwise convolution, at most; at least 2.
  Blocks(const Pass& p, std::int64_t lanes, std::int64_t vectors);
  std::int64_t first_channel(std::int64_t block) const {
    return form == Form::broadcast ? block / per_group * out + block % per_group * width
                                   : block * width;
  }
  std::int64_t channels(std::int64_t block) const {
    return std::min(width, form == Form::broadcast ? out - block % per_group * width
                                                   : groups * out - block * width);
  }
  std::int64_t source_channels() const { return form == Form::broadcast ? in : width; }
  std::int64_t first_source_channel(std::int64_t block) const {
    return form == Form::broadcast ? block / per_group * in : block * width;
  }
  /// Returns the number of packed weights of a block for one position of the kernel.
  std::int64_t tap_floats() const { return in * width; }
};

/// Divides the rows of a target into strips, whose source rows of one block fit in the first-level
/// cache.
struct Strips {
  std::int64_t rows, height, per_plane, count;
  std::int64_t source_rows;  ///< that the rows of a strip read, at most
  Strips(const Pass& p, const Blocks& blocks);
  std::int64_t begin(std::int64_t strip) const {
    return strip / per_plane * rows + strip % per_plane * height;
  }
  std::int64_t end(std::int64_t strip) const {
    return std::min(begin(strip) + height, (strip / per_plane + 1) * rows);
  }
};

/// Returns true if it is expected to be faster to copy the source rows of each block, with zeros
/// around them, than to read them in place.
bool prefer_padded(const Pass& p, const Columns& columns, const Blocks& blocks, bool for_weights);

/// Computes a target. The weights are those of a convolution.
void compute_target(const Pass& p, const float* source, const float* w, const float* bias,
                    float* target, PrepackedWeightCache* cache);
/// Computes the gradients of the weights of a convolution and, unless db is null, of the bias.
void compute_weight_gradient(const Pass& p, const float* x, const float* dy, float* dw, float* db);

}  // namespace taper::cpu::conv_grouped
