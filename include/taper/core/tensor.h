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

#include "taper/core/api.h"
#include "taper/core/device.h"
#include "taper/core/dtype.h"
#include "taper/core/function.h"
#include "taper/core/options.h"
#include "taper/core/ref.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {

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

namespace TAPER_API taper {

/// An n-dimensional array with automatic differentiation. A default-constructed handle is
/// undefined: `defined()` returns false, and using it throws. `==` compares elements; `is_same`
/// compares handles. PyTorch: torch.Tensor.
class [[nodiscard]] Tensor : public ops::CopyMethods,
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

  [[nodiscard]] bool defined() const noexcept { return static_cast<bool>(impl_); }
  /// A tensor is not a condition: this does not compile. In PyTorch `bool(tensor)` reads an
  /// element.
  template <std::same_as<bool> B> explicit operator B() const {
    static_assert(!std::same_as<B, bool>,
                  "a Tensor is not a condition: .item<bool>() reads its only element, "
                  ".all().item<bool>() or equal(a, b) asks about every element, and .defined() "
                  "asks whether there is a tensor");
    return defined();
  }
  /// The same tensor object (Python's `is`).
  [[nodiscard]] bool is_same(const Tensor& other) const noexcept { return impl_ == other.impl_; }
  TensorImpl* impl() const noexcept { return impl_.get(); }
  const Ref<TensorImpl>& handle() const noexcept { return impl_; }

  // What it is. All throw RuntimeError on an undefined tensor.
  const Shape& shape() const;
  const Shape& sizes() const { return shape(); }
  std::int64_t size(IntArg dim) const;  ///< throws IndexError
  const Shape& strides() const;
  std::int64_t stride(IntArg dim) const;
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

  // Elements of a contiguous CPU tensor. All throw DTypeError, DeviceError, RuntimeError (not
  // contiguous). Pointers and spans are valid as long as the storage.

  /// Returns the elements for reading, in row-major order. PyTorch: Tensor.const_data_ptr.
  template <class T> const T* const_data_ptr() const {
    return static_cast<const T*>(raw_data(dtype_of<T>));
  }
  template <class T> std::span<const std::remove_const_t<T>> data() const {
    return {const_data_ptr<std::remove_const_t<T>>(), static_cast<std::size_t>(numel())};
  }
  /// Returns the elements for writing, in row-major order. Such writes cannot be counted: from then
  /// on kernels do not cache packed forms of this storage. PyTorch: Tensor.mutable_data_ptr.
  template <class T> T* mutable_data_ptr() const {
    return static_cast<T*>(raw_mutable_data(dtype_of<T>));
  }
  template <class T> std::span<T> mutable_data() const {
    return {mutable_data_ptr<T>(), static_cast<std::size_t>(numel())};
  }
  /// As mutable_data_ptr; for `const T` as const_data_ptr. PyTorch: Tensor.data_ptr.
  template <class T> T* data_ptr() const {
    if constexpr (std::is_const_v<T>)
      return const_data_ptr<std::remove_const_t<T>>();
    else
      return mutable_data_ptr<T>();
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
  template <std::same_as<bool> B> Tensor operator[](B) const = delete;  // bool is not an index
  /// x[{Slice{1, 3}, ellipsis, 0}]: as in Python, see Index. A view where no tensor takes part.
  Indexed operator[](std::initializer_list<Index> index) const;
  /// x[mask], x[indices]: a copy of the elements there; `x[mask] = v` writes.
  Indexed operator[](const Tensor& index) const;

 private:
  const void* raw_data(DType type) const;
  void* raw_mutable_data(DType type) const;
  Ref<TensorImpl> impl_;
};
static_assert(sizeof(Tensor) == sizeof(void*), "families of methods must stay empty bases");

/// What x[...] gives: the selected elements, a view where no tensor takes part in the index, else a
/// copy. Assigned to while still a temporary, it writes into x, whose dtype the value takes on;
/// leading sizes of 1 of the value are dropped. So do `+=` and its kin.
class [[nodiscard]] Indexed : public Tensor {
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
