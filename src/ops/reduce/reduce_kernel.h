// Kernels shared by reductions.
#pragma once
#include <cmath>
#include <vector>

#include "cpu/threads.h"
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
  const auto store_contiguous = [&]<class T>(T) {
    cpu::parallel_for(0, out.numel, 1 << 15, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        reinterpret_cast<T*>(out.data)[i] = element_cast<T>(f(static_cast<std::size_t>(i)));
    });
  };
  if (out.numel > 1 && is_contiguous(out)) switch (out.dtype) {
      case DType::f32: return store_contiguous(float{});
      case DType::f64: return store_contiguous(double{});
      case DType::bf16: return store_contiguous(BFloat16{});
      case DType::i64: return store_contiguous(std::int64_t{});
      case DType::bool_: return store_contiguous(bool{});
      default: break;
    }
  std::size_t next = 0;
  kernel::walk(*out.shape, std::array<const View*, 1>{&out},
               [&](const std::array<std::int64_t, 1>& offsets) {
                 kernel::store(out.data + offsets[0], out.dtype, f(next++));
               });
}

/// Scratch memory for one number per result.
template <class A = double> class Results {
 public:
  explicit Results(std::int64_t count) {
    if (count <= kInline) return;
    heap_buffer_.resize(static_cast<std::size_t>(count));
    data_ = heap_buffer_.data();
  }
  A* data() { return data_; }
  A operator[](std::size_t i) const { return data_[i]; }
  A& operator[](std::size_t i) { return data_[i]; }

 private:
  static constexpr std::int64_t kInline = 64;
  A inline_buffer_[kInline];
  std::vector<A> heap_buffer_{};
  A* data_ = inline_buffer_;
};

/// Folds integers in int64, other elements in double, and stores f(result) for each result. Returns
/// false if the fold does not support the input.
template <class F> bool store_fold(Fold kind, const KernelArgs& k, Mask mask, F&& f) {
  const auto store = [&](auto& totals) {
    store_results(k.out[0], [&](std::size_t i) { return f(totals[i]); });
    return true;
  };
  if (is_floating_point(k.in[0].dtype)) {
    Results<double> totals(k.out[0].numel);
    return fold(kind, k.in[0], mask, nullptr, totals.data()) && store(totals);
  }
  Results<std::int64_t> totals(k.out[0].numel);
  return fold(kind, k.in[0], mask, totals.data()) && store(totals);
}
inline bool store_fold(Fold kind, const KernelArgs& k, Mask mask) {
  return store_fold(kind, k, mask, [](auto total) { return total; });
}

}  // namespace taper::reduce
