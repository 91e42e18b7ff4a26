// Operands of kernels as dense row-major arrays of the type to compute in.
#pragma once
#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/element.h"
#include "ops/copy/copy_kernel.h"
#include "ops/kernel/reference.h"

namespace taper::kernel {

/// Calls f(T{}) with the type T to compute in: double for f64, float for other floating-point
/// types, int64 otherwise.
template <class F> void in_dense_type(DType type, F&& f) {
  if (type == DType::f64)
    f(double{});
  else if (is_floating_point(type))
    f(float{});
  else
    f(std::int64_t{});
}

template <class T> constexpr DType dense_dtype() {
  if constexpr (std::is_same_v<T, double>) return DType::f64;
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  return DType::i64;
}

/// Elements of an input in row-major order: the memory of the view if it is contiguous and of type
/// T, otherwise a converted copy.
template <class T> class DenseInput {
 public:
  explicit DenseInput(const View& v) : data_(reinterpret_cast<const T*>(v.data)) {
    if (v.dtype == dense_dtype<T>() && is_contiguous(v)) return;
    copy_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(v.numel));
    const Shape strides = contiguous_strides(*v.shape);
    View to = v;
    to.data = reinterpret_cast<std::byte*>(copy_.get());
    to.strides = &strides, to.dtype = dense_dtype<T>();
    if (!copy_fast(to, v)) copy_elements(to, v);
    data_ = copy_.get();
  }
  const T* data() const { return data_; }

 private:
  const T* data_;
  std::unique_ptr<T[]> copy_{};
};

/// Returns a view of the elements of `input`, a copy of `v`. `strides` are those of a row-major
/// tensor.
template <class T> View view_of(const DenseInput<T>& input, const View& v, const Shape& strides) {
  return {const_cast<std::byte*>(reinterpret_cast<const std::byte*>(input.data())),
          v.shape,
          &strides,
          v.numel,
          dense_dtype<T>(),
          nullptr};
}

/// Initial elements of a dense output.
enum class DenseInitial : std::uint8_t { zero, uninitialized };

/// Elements of an output in row-major order. `store` writes them to the view.
template <class T> class DenseOutput {
 public:
  explicit DenseOutput(const View& v, DenseInitial initial = DenseInitial::zero)
      : view_(v), data_(reinterpret_cast<T*>(v.data)) {
    if (v.dtype != dense_dtype<T>() || !is_contiguous(v)) {
      copy_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(v.numel));
      data_ = copy_.get();
    }
    if (initial == DenseInitial::zero) std::fill_n(data_, v.numel, T{});
  }
  T* data() { return data_; }
  void store() {
    if (!copy_) return;
    const Shape strides = contiguous_strides(*view_.shape);
    View from = view_;
    from.data = reinterpret_cast<std::byte*>(copy_.get());
    from.strides = &strides, from.dtype = dense_dtype<T>();
    if (!copy_fast(view_, from)) copy_elements(view_, from);
  }

 private:
  const View& view_;
  T* data_;
  std::unique_ptr<T[]> copy_{};
};

/// Computes an output from one input: f(input, output) on dense arrays of the type to compute in.
template <class F>
void map_dense(const View& in, const View& out, F&& f, DenseInitial initial = DenseInitial::zero) {
  in_dense_type(out.dtype, [&]<class T>(T) {
    const DenseInput<T> from(in);
    DenseOutput<T> to(out, initial);
    f(from.data(), to.data());
    to.store();
  });
}

}  // namespace taper::kernel
