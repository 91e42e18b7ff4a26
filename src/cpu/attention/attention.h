// Scaled dot-product attention over raw pointers, tile by tile.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace taper::cpu {

/// Matrices of an operand, one per head. `steps` are the strides of the leading dimensions, `row`
/// and `col` those of the matrices, all in elements.
template <class T> struct HeadMatrices {
  T* data = nullptr;  ///< null if the operand is absent
  std::span<const std::int64_t> steps{};
  std::int64_t row = 0, col = 1;
};

/// Operands of attention. The heads of the query are the elements of its leading dimensions; those
/// of key and value have `group` times fewer elements in the last leading dimension, and each
/// serves `group` consecutive heads of the query. No operand is empty.
template <class T> struct Attention {
  std::span<const std::int64_t> heads{};  ///< leading sizes of the query
  std::int64_t group = 1;
  std::int64_t queries = 0, keys = 0, depth = 0, value_depth = 0;
  T scale = 1;
  bool is_causal = false;         ///< query i takes part with keys 0 to i only
  HeadMatrices<const T> query{};  ///< (queries, depth)
  HeadMatrices<const T> key{};    ///< (keys, depth)
  HeadMatrices<const T> value{};  ///< (keys, value_depth)
  /// (queries, keys). Strides are in elements of the mask: bytes or T.
  HeadMatrices<const std::byte> mask{};
  bool is_bool_mask = false;
};

/// Statistics of the scores of each query, (queries, 1): the maximum, and the logarithm of the sum
/// of e^(score - maximum), which is 0 without keys.
template <class T> struct LogSums { HeadMatrices<T> maximum{}, log_sum{}; };

/// Computes the output (queries, value_depth), whose rows are contiguous, and the statistics. The
/// output of a query that no key takes part with is 0 if there is a mask or `is_causal` is set, and
/// otherwise NaN as in softmax.
void attention_forward(const Attention<float>& a, const HeadMatrices<float>& output,
                       const LogSums<float>& log_sums);
void attention_forward(const Attention<double>& a, const HeadMatrices<double>& output,
                       const LogSums<double>& log_sums);

/// Operands of the gradient of attention. Gradients that are null are not computed; the rows of the
/// others are contiguous.
template <class T> struct AttentionGradient {
  HeadMatrices<const T> grad_output{}, output{};
  LogSums<const T> log_sums{};
  HeadMatrices<const T> grad_log_sum{};  ///< (queries, 1); may be absent
  HeadMatrices<T> grad_query{}, grad_key{}, grad_value{};
  HeadMatrices<T> grad_mask{};  ///< (queries, keys)
};

void attention_backward(const Attention<float>& a, const AttentionGradient<float>& g);
void attention_backward(const Attention<double>& a, const AttentionGradient<double>& g);

}  // namespace taper::cpu
