// The tensor: a handle of one pointer. Copies of a handle are the same tensor.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/device.h"
#include "taper/core/dtype.h"
#include "taper/core/function.h"
#include "taper/core/options.h"
#include "taper/core/ref.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace taper {

class Tensor;
class TensorImpl;
class Index;
class Indexed;
class GradFn;
class HookHandle;

}  // namespace taper

// Methods of each family of ops, beside their free functions.
#include "taper/ops/copy.h"
#include "taper/ops/indexing.h"
#include "taper/ops/linalg.h"
#include "taper/ops/loss.h"
#include "taper/ops/pointwise.h"
#include "taper/ops/pool.h"
#include "taper/ops/random.h"
#include "taper/ops/reduce.h"
#include "taper/ops/view.h"

namespace taper {

/// An n-dimensional array with automatic differentiation. A default-constructed handle is
/// undefined: it is false, and using it throws. Two handles are equal (`==` compares elements: use
/// `is_same`). PyTorch: torch.Tensor.
class Tensor : public ops::CopyMethods,
               public ops::IndexingMethods,
               public ops::LinalgMethods,
               public ops::LossMethods,
               public ops::PointwiseMethods,
               public ops::PoolMethods,
               public ops::RandomMethods,
               public ops::ReduceMethods,
               public ops::ViewMethods {
 public:
  Tensor() noexcept = default;
  explicit Tensor(Ref<TensorImpl> impl) noexcept : impl_(std::move(impl)) {}
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  /// Assignment to a named tensor makes the name mean another tensor...
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & noexcept = default;
  /// ...assignment to a temporary, as in `x[0] = v`, writes into the elements it looks at.
  void operator=(const Tensor& value) &&;
  void operator=(const Scalar& value) &&;

  bool defined() const noexcept { return static_cast<bool>(impl_); }
  explicit operator bool() const noexcept { return defined(); }
  /// The same tensor object (Python's `is`).
  bool is_same(const Tensor& other) const noexcept { return impl_ == other.impl_; }
  TensorImpl* impl() const noexcept { return impl_.get(); }
  const Ref<TensorImpl>& handle() const noexcept { return impl_; }

  // What it is. All throw RuntimeError on an undefined tensor.
  const Shape& shape() const;
  const Shape& sizes() const { return shape(); }
  std::int64_t size(std::int64_t dim) const;  ///< throws IndexError
  const Shape& strides() const;
  std::int64_t stride(std::int64_t dim) const;
  std::int64_t storage_offset() const;
  std::int64_t dim() const;
  std::int64_t numel() const;
  std::size_t element_size() const { return size_of(dtype()); }
  DType dtype() const;
  Device device() const;
  bool is_contiguous() const;
  bool is_floating_point() const { return taper::is_floating_point(dtype()); }
  /// True if both look at one storage.
  bool shares_storage_with(const Tensor& other) const;

  /// The elements of a contiguous CPU tensor. Asks for plain order and marks the storage as
  /// reachable from outside. Throws DTypeError, DeviceError, RuntimeError (not contiguous).
  template <class T> std::span<T> data() const {
    return {static_cast<T*>(raw_data(dtype_of<std::remove_const_t<T>>)),
            static_cast<std::size_t>(numel())};
  }
  /// The only element as a number. Throws RuntimeError unless there is exactly one.
  Scalar item() const;
  template <class T> T item() const {
    const Scalar s = item();
    if constexpr (std::same_as<T, bool>)
      return s.to_bool();
    else if constexpr (std::integral<T>)
      return static_cast<T>(s.to_int());
    else
      return static_cast<T>(s.to_double());
  }

  // Automatic differentiation.
  bool requires_grad() const;
  /// Throws RuntimeError on a result (not a leaf), DTypeError on an integer tensor.
  const Tensor& set_requires_grad(bool value = true) const;
  const Tensor& requires_grad_(bool value = true) const { return set_requires_grad(value); }
  bool is_leaf() const;
  /// The accumulated gradient; undefined if there is none. The reference is to the tensor's own
  /// handle, which backward passes and `set_grad` change.
  const Tensor& grad() const;
  /// Throws if shape, dtype or device differ. An undefined tensor drops the gradient.
  void set_grad(const Tensor& grad) const;
  GradFn grad_fn() const;
  void retain_grad() const;
  bool retains_grad() const;
  /// Accumulates the gradients of a scalar (or of <self, gradient>) into the leaves' `grad`.
  /// PyTorch: Tensor.backward. Options in taper/autograd/autograd.h.
  void backward(const Tensor& gradient, bool retain_graph = false, bool create_graph = false) const;
  void backward() const;
  /// Runs `hook(grad)` when this tensor's gradient is known; a defined result replaces it.
  HookHandle register_hook(Function<Tensor(const Tensor&)> hook) const;
  HookHandle register_post_accumulate_grad_hook(Function<void(const Tensor&)> hook) const;
  /// The same elements and versions without history.
  Tensor detach() const;
  const Tensor& detach_() const;
  /// The same elements, versions of its own: autograd does not see writes. PyTorch: Tensor.data.
  Tensor data() const;
  /// This very tensor looks at the elements of `source` from now on: dtype, shape and device
  /// follow, requires_grad, gradient and hooks stay. PyTorch: `tensor.data = source`. Throws
  /// RuntimeError on a result or a view, and DTypeError if an integer tensor would require
  /// gradients.
  void set_data(const Tensor& source) const;
  std::uint32_t version() const;  ///< how often it was changed in place. PyTorch: Tensor._version
  bool is_inference() const;
  bool is_view() const;

  /// As Python prints it: `tensor([1., 2.], requires_grad=True)`.
  std::string str() const;

  /// x[i]: the i-th slice along dimension 0, a view.
  Tensor operator[](std::int64_t i) const;
  Tensor operator[](int i) const { return (*this)[static_cast<std::int64_t>(i)]; }
  /// x[{Slice{1, 3}, ellipsis, 0}]: as in Python, see Index. A view where no tensor takes part.
  Indexed operator[](std::initializer_list<Index> index) const;
  /// x[mask], x[indices]: a copy of the elements there; `x[mask] = v` writes.
  Indexed operator[](const Tensor& index) const;

 private:
  void* raw_data(DType type) const;
  Ref<TensorImpl> impl_;
};
static_assert(sizeof(Tensor) == sizeof(void*), "families of methods must stay empty bases");

/// What x[...] gives: the selected elements, a view where no tensor takes part in the index, else a
/// copy. Assigned to while still a temporary, it writes into x, whose dtype the value takes on;
/// leading sizes of 1 of the value are dropped. So do `+=` and its kin.
class Indexed : public Tensor {
 public:
  /// Where the elements came from.
  struct Source;

  Indexed(Tensor selected, std::shared_ptr<const Source> source);
  Indexed(const Indexed&) = default;
  Indexed(Indexed&&) noexcept = default;
  /// A named one comes to mean another tensor, as every Tensor does.
  Indexed& operator=(const Indexed&) & = default;
  Indexed& operator=(Indexed&&) & noexcept = default;
  Indexed& operator=(const Tensor& other) &;
  void operator=(const Indexed& value) && { std::move(*this) = static_cast<const Tensor&>(value); }
  void operator=(const Tensor& value) &&;
  void operator=(const Scalar& value) &&;

 private:
  std::shared_ptr<const Source> source_;  // null: this is a view of its own
};
void operator+=(Indexed&& place, const Tensor& value);
void operator+=(Indexed&& place, const Scalar& value);
void operator-=(Indexed&& place, const Tensor& value);
void operator-=(Indexed&& place, const Scalar& value);
void operator*=(Indexed&& place, const Tensor& value);
void operator*=(Indexed&& place, const Scalar& value);
void operator/=(Indexed&& place, const Tensor& value);
void operator/=(Indexed&& place, const Scalar& value);

std::ostream& operator<<(std::ostream& out, const Tensor& t);

}  // namespace taper

#include "taper/core/index.h"
