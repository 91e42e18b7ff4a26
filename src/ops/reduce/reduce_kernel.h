// Kernels shared by reductions.
#pragma once
#include <cmath>
#include <vector>

#include "ops/kernel/reference.h"
#include "ops/reduce/dims.h"

namespace taper::reduce {

/// Calls f(state, element) for each element of an input of any dtype and layout. `states` has one
/// element per result in row-major order.
template <class T, class S, class F>
void fold_into(const View& in, Mask mask, std::vector<S>& states, F&& f) {
  Shape strides = Shape::filled(in.shape->size(), 0);
  std::int64_t count = 1;
  for (std::size_t d = in.shape->size(); d-- > 0;)
    if (!in_mask(mask, d)) strides[d] = count, count *= (*in.shape)[d];
  const View state_indices{nullptr, in.shape, &strides, in.numel, DType::u8, nullptr};
  kernel::walk(*in.shape, std::array<const View*, 2>{&in, &state_indices},
               [&](const std::array<std::int64_t, 2>& offsets) {
                 S& state = states[static_cast<std::size_t>(offsets[1])];
                 f(state, kernel::load<T>(in.data + offsets[0], in.dtype));
               });
}
/// As fold_into, with all states initialized to `start`. Returns the states.
template <class T, class S, class F>
std::vector<S> fold_reference(const View& in, Mask mask, const S& start, F&& f) {
  std::vector<S> states(static_cast<std::size_t>(result_shape(*in.shape, mask, false).numel()),
                        start);
  fold_into<T>(in, mask, states, f);
  return states;
}

/// Returns true if x replaces `best`. NaN is the extremum; the first NaN is not replaced.
template <bool Largest, class T> bool is_more_extreme(T x, T best) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(x)) return !std::isnan(best);
  return Largest ? x > best : x < best;
}

/// Stores f(i) as the i-th result.
template <class F> void store_results(const View& out, F&& f) {
  std::size_t next = 0;
  kernel::walk(*out.shape, std::array<const View*, 1>{&out},
               [&](const std::array<std::int64_t, 1>& offsets) {
                 kernel::store(out.data + offsets[0], out.dtype, f(next++));
               });
}

/// Scratch memory for one double per result.
class Results {
 public:
  explicit Results(std::int64_t count);
  double* data() { return data_; }
  double operator[](std::size_t i) const { return data_[i]; }
  double& operator[](std::size_t i) { return data_[i]; }

 private:
  double inline_buffer_[64];
  std::vector<double> heap_buffer_;
  double* data_ = inline_buffer_;
};
inline Results::Results(std::int64_t count) {
  if (count <= 64) return;
  heap_buffer_.resize(static_cast<std::size_t>(count));
  data_ = heap_buffer_.data();
}

/// Stores the fold as the result. Returns false if the fold does not support the input.
inline bool store_fold(Fold kind, const KernelArgs& k, Mask mask) {
  Results totals(k.out[0].numel);
  if (!fold(kind, k.in[0], mask, nullptr, totals.data())) return false;
  store_results(k.out[0], [&](std::size_t i) { return totals[i]; });
  return true;
}

}  // namespace taper::reduce
