// Vectorized distances of one row to others, and their gradients.
#pragma once
#include <cstdint>

namespace taper::distance {

enum class Order : std::uint8_t { sum, euclidean, maximum };
inline Order order_of(double p) {
  return p == 1 ? Order::sum : p == 2 ? Order::euclidean : Order::maximum;
}

/// Computes the distances of `a` to `rows` rows of b, which have `columns` elements.
void measure(Order order, const float* a, const float* b, std::int64_t rows, std::int64_t columns,
             float* out);
/// Computes the gradient with respect to `a` of the sum of g[r] * distance[r] over rows r of b.
void differentiate(Order order, const float* a, const float* b, std::int64_t rows,
                   std::int64_t columns, const float* g, const float* distance, float* out);

}  // namespace taper::distance
