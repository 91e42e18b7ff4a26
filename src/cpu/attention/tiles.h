// Vector loops of attention over tiles of scores: consecutive queries times consecutive keys.
#pragma once
#include <cstddef>
#include <cstdint>

namespace taper::cpu {

/// Part of a mask that belongs to a tile. Strides are in elements.
struct TileMask {
  const std::byte* data = nullptr;  ///< null if the mask is absent
  std::int64_t row = 0, col = 0;
  bool is_bool = false;  ///< true where a key takes part; otherwise numbers to add to the scores
};

/// Tile of scores: the products of queries and keys before scale and mask. Row r is
/// `scores[r * stride]` and on.
template <class T> struct ScoreTile {
  T* scores = nullptr;
  std::int64_t rows = 0, columns = 0, stride = 0;
  T scale = 1;
  /// Number of keys that take part with row 0; one more takes part with each further row. May be
  /// negative or exceed the columns.
  std::int64_t diagonal = 0;
  TileMask mask{};

  /// Returns the number of leading keys that take part with row r.
  std::int64_t used_columns(std::int64_t r) const {
    const std::int64_t n = diagonal + r;
    return n < 0 ? 0 : n < columns ? n : columns;
  }
};

/// Running statistics of a block of queries, one element per row.
template <class T> struct SoftmaxRows {
  T* max;      ///< maximum of the scores so far; -infinity initially
  T* sum;      ///< sum of e^(score - max); 0 initially
  T* rescale;  ///< factor of the previous sums that the last tile caused
};

/// Replaces the scores of a tile by e^(score - max), which is 0 for keys that do not take part, and
/// updates the statistics of its rows.
void softmax_tile(const ScoreTile<float>& t, const SoftmaxRows<float>& rows);
void softmax_tile(const ScoreTile<double>& t, const SoftmaxRows<double>& rows);

/// Replaces the sum of each row by its inverse, by `inverse_of_zero` if the sum is 0, and the
/// factor `rescale` by log(sum), or 0 if the sum is 0.
void finish_softmax(std::int64_t count, float inverse_of_zero, const SoftmaxRows<float>& rows);
void finish_softmax(std::int64_t count, double inverse_of_zero, const SoftmaxRows<double>& rows);

/// Computes to[r] = from[r] * factors[r] for rows of `columns` elements. `to` may be `from`.
void scale_rows(std::int64_t rows, std::int64_t columns, const float* factors, const float* from,
                std::int64_t from_row, float* to, std::int64_t to_row);
void scale_rows(std::int64_t rows, std::int64_t columns, const double* factors, const double* from,
                std::int64_t from_row, double* to, std::int64_t to_row);

/// Computes out[r], the dot product of rows r of `a` and `b`.
void dot_rows(std::int64_t rows, std::int64_t columns, const float* a, std::int64_t a_row,
              const float* b, std::int64_t b_row, float* out);
void dot_rows(std::int64_t rows, std::int64_t columns, const double* a, std::int64_t a_row,
              const double* b, std::int64_t b_row, double* out);

/// Gradient of the softmax of a tile.
template <class T> struct GradientTile {
  T* grad = nullptr;           ///< gradient of the weights, with the stride of the scores
  const T* maximum = nullptr;  ///< per row; infinity for rows that no key takes part with
  const T* log_sum = nullptr;  ///< per row: log of the sum of e^(score - maximum)
  const T* delta = nullptr;    ///< per row: the sum of weight * gradient over all keys
  T* grad_mask = nullptr;      ///< gradient of the mask; may be null
  std::int64_t grad_mask_row = 0;
};

/// Replaces the scores by the weights e^(score - maximum - log_sum), and `grad` by the gradient of
/// the product of query and key, which includes the scale. Both are 0 for keys that do not take
/// part.
void gradient_tile(const ScoreTile<float>& t, const GradientTile<float>& g);
void gradient_tile(const ScoreTile<double>& t, const GradientTile<double>& g);

}  // namespace taper::cpu
