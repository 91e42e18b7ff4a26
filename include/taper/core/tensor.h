// Tensor: n-dimensional array with automatic differentiation.
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
#include "taper/core/memory_format.h"
#include "taper/core/options.h"
#include "taper/core/ref.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"
#include "taper/core/shared_function.h"

namespace TAPER_API taper {

class Tensor;
class TensorImpl;
class Index;
struct Slice;
class IndexProxy;
class GradFn;
class RemovableHandle;
class Value;

}  // namespace taper

// Base classes with the methods of each family of ops, and the corresponding free functions.
#include "taper/ops/alias.h"
#include "taper/ops/bitwise.h"
#include "taper/ops/copy.h"
#include "taper/ops/elementary.h"
#include "taper/ops/indexing.h"
#include "taper/ops/linalg.h"
#include "taper/ops/loss.h"
#include "taper/ops/pointwise.h"
#include "taper/ops/random.h"
#include "taper/ops/rearrange.h"
#include "taper/ops/reduce.h"
#include "taper/ops/scan.h"
#include "taper/ops/scatter.h"
#include "taper/ops/sort.h"
#include "taper/ops/view.h"

namespace TAPER_API taper {

/// N-dimensional array with automatic differentiation. A Tensor is a reference-counted handle:
/// copies refer to the same tensor. A default-constructed handle is undefined: `defined()` returns
/// false, and using it throws RuntimeError. `==` compares elements, `is_same` compares handles.
/// PyTorch: torch.Tensor.
class [[nodiscard]] Tensor : public ops::AliasMethods,
                             public ops::BitwiseMethods,
                             public ops::CopyMethods,
                             public ops::ElementaryMethods,
                             public ops::IndexingMethods,
                             public ops::LinalgMethods,
                             public ops::LossMethods,
                             public ops::PointwiseMethods,
                             public ops::RandomMethods,
                             public ops::RearrangeMethods,
                             public ops::ReduceMethods,
                             public ops::ScanMethods,
                             public ops::ScatterMethods,
                             public ops::SortMethods,
                             public ops::ViewMethods {
 public:
  Tensor() noexcept = default;
  explicit Tensor(Ref<TensorImpl> impl) noexcept : impl_(std::move(impl)) {}
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  /// Assignment to a named tensor rebinds the handle.
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & noexcept = default;
  /// Assignment to a temporary, as in `x[0] = v`, writes to the elements of the view.
  void operator=(const Tensor& value) &&;
  void operator=(const Scalar& value) &&;

  /// Returns false for a default-constructed handle.
  [[nodiscard]] bool defined() const noexcept { return static_cast<bool>(impl_); }
  /// Does not compile: a tensor is not a condition. In PyTorch, `bool(tensor)` reads the element.
  template <std::same_as<bool> B> explicit operator B() const {
    static_assert(!std::same_as<B, bool>,
                  "a Tensor is not a condition: .item<bool>() reads its only element, "
                  ".all().item<bool>() or equal(a, b) asks about every element, and .defined() "
                  "asks whether there is a tensor");
    return defined();
  }
  /// Returns true if both handles refer to the same tensor. PyTorch: `a is b`.
  [[nodiscard]] bool is_same(const Tensor& other) const noexcept { return impl_ == other.impl_; }
  /// Internal access to the implementation.
  TensorImpl* impl() const noexcept { return impl_.get(); }
  const Ref<TensorImpl>& handle() const noexcept { return impl_; }

  // Properties. Throw RuntimeError if the tensor is undefined.
  /// Return the sizes of all dimensions. PyTorch: torch.Tensor.shape.
  const Shape& shape() const;
  const Shape& sizes() const { return shape(); }
  /// Returns the size of a dimension, which may be negative (from the end). Throws IndexError if it
  /// is out of range. PyTorch: torch.Tensor.size.
  std::int64_t size(IntArg dim) const;
  /// Returns the strides in elements. PyTorch: torch.Tensor.stride.
  const Shape& strides() const;
  /// Returns the stride of a dimension in elements. Throws IndexError if `dim` is out of range.
  std::int64_t stride(IntArg dim) const;
  /// Returns the offset of the first element in the storage, in elements.
  /// PyTorch: torch.Tensor.storage_offset.
  std::int64_t storage_offset() const;
  /// Returns the number of dimensions. PyTorch: torch.Tensor.dim.
  std::int64_t dim() const;
  std::int64_t ndim() const { return dim(); }
  std::int64_t ndimension() const { return dim(); }
  /// Returns the number of elements. PyTorch: torch.Tensor.numel.
  std::int64_t numel() const;
  std::int64_t nelement() const { return numel(); }
  /// Returns the size of an element in bytes. PyTorch: torch.Tensor.element_size.
  std::size_t element_size() const { return size_of(dtype()); }
  std::size_t itemsize() const { return element_size(); }
  /// Returns the size of all elements in bytes. PyTorch: torch.Tensor.nbytes.
  std::size_t nbytes() const { return static_cast<std::size_t>(numel()) * element_size(); }
  /// Returns the element type. PyTorch: torch.Tensor.dtype.
  DType dtype() const;
  /// Returns true if the dtype represents negative numbers. PyTorch: torch.Tensor.is_signed.
  bool is_signed() const;
  /// Returns true if the only element is not zero. Throws RuntimeError unless the tensor has one
  /// element. PyTorch: torch.Tensor.is_nonzero.
  bool is_nonzero() const;
  /// Returns true if the shapes are equal. PyTorch: torch.Tensor.is_same_size.
  bool is_same_size(const Tensor& other) const;
  /// Returns true if both tensors refer to the same elements with the same shape and strides.
  /// PyTorch: torch.Tensor.is_set_to.
  bool is_set_to(const Tensor& tensor) const;
  /// Returns the device of the elements. PyTorch: torch.Tensor.device.
  Device device() const;
  /// Returns true if the strides are those of a row-major tensor.
  /// PyTorch: torch.Tensor.is_contiguous.
  bool is_contiguous() const;
  /// Returns true if the strides are those of a dense tensor in the given format; false for
  /// channels_last and channels_last_3d unless there are 4 or 5 dimensions.
  /// PyTorch: torch.Tensor.is_contiguous.
  bool is_contiguous(MemoryFormat memory_format) const;
  bool is_floating_point() const { return taper::is_floating_point(dtype()); }
  /// Returns true if both tensors use the same storage.
  bool shares_storage_with(const Tensor& other) const;

  // Elements of a contiguous CPU tensor. Throw DTypeError if T is not the element type, DeviceError
  // if the tensor is not on the cpu, RuntimeError if it is not contiguous. Pointers and spans are
  // valid as long as the storage, which ends with its last tensor: spans of a temporary do not
  // compile.

  /// Returns the elements for reading, in row-major order. PyTorch: torch.Tensor.const_data_ptr.
  template <class T> const T* const_data_ptr() const {
    return static_cast<const T*>(raw_data(dtype_of<T>));
  }
  template <class T> std::span<const std::remove_const_t<T>> data() const& {
    return {const_data_ptr<std::remove_const_t<T>>(), static_cast<std::size_t>(numel())};
  }
  template <class T> void data() const&& = delete;  // assign the tensor to a variable first
  /// Returns the elements for writing, in row-major order. Writes through the pointer are not
  /// tracked, so kernels no longer cache prepacked forms of this storage.
  /// PyTorch: torch.Tensor.mutable_data_ptr.
  template <class T> T* mutable_data_ptr() const {
    return static_cast<T*>(raw_mutable_data(dtype_of<T>));
  }
  template <class T> std::span<T> mutable_data() const& {
    return {mutable_data_ptr<T>(), static_cast<std::size_t>(numel())};
  }
  template <class T> void mutable_data() const&& = delete;  // assign the tensor to a variable first
  /// Equivalent to mutable_data_ptr, or to const_data_ptr for `const T`.
  /// PyTorch: torch.Tensor.data_ptr.
  template <class T> T* data_ptr() const {
    if constexpr (std::is_const_v<T>)
      return const_data_ptr<std::remove_const_t<T>>();
    else
      return mutable_data_ptr<T>();
  }
  /// Returns the only element as a number. Throws RuntimeError unless the tensor has exactly one
  /// element, and ValueError if a uint64 element is 2^63 or larger; item<std::uint64_t>() supports
  /// the full range. PyTorch: torch.Tensor.item.
  Scalar item() const;
  template <class T> T item() const {
    if constexpr (std::same_as<T, std::uint64_t>)
      if (dtype() == DType::u64) return static_cast<T>(to(DType::i64).item().to_int());
    const Scalar s = item();
    if constexpr (std::same_as<T, bool>)
      return s.to_bool();
    else if constexpr (std::integral<T>)
      return static_cast<T>(s.to_int());
    else
      return static_cast<T>(s.to_double());
  }

  /// Returns the elements as nested lists, the only element of a 0-dimensional tensor as a number.
  /// The type is declared in taper/core/value.h. PyTorch: torch.Tensor.tolist.
  Value tolist() const;

  // Automatic differentiation.
  /// Returns true if gradients are computed for this tensor. PyTorch: torch.Tensor.requires_grad.
  bool requires_grad() const;
  /// Sets requires_grad and returns the tensor. Throws DTypeError if the dtype is not a
  /// floating-point type, RuntimeError if the flag of a tensor that is not a leaf is cleared.
  /// PyTorch: torch.Tensor.requires_grad_.
  const Tensor& set_requires_grad(bool value = true) const;
  const Tensor& requires_grad_(bool value = true) const { return set_requires_grad(value); }
  /// Returns true if the tensor is not the result of a recorded operation.
  /// PyTorch: torch.Tensor.is_leaf.
  bool is_leaf() const;
  /// Returns the accumulated gradient; undefined if it does not exist. The reference is to the
  /// handle stored in the tensor, which backward passes and `set_grad` modify.
  /// PyTorch: torch.Tensor.grad.
  const Tensor& grad() const;
  /// Sets the accumulated gradient; an undefined tensor removes it. Throws ShapeError, DTypeError
  /// or DeviceError if it does not match the tensor, RuntimeError if it is the tensor itself.
  /// PyTorch: `tensor.grad = grad`.
  void set_grad(const Tensor& grad) const;
  /// Returns the node that computed the tensor; null for a leaf. PyTorch: torch.Tensor.grad_fn.
  GradFn grad_fn() const;
  /// Makes backward passes store the gradient of a tensor that is not a leaf. Throws RuntimeError
  /// unless it requires gradients. PyTorch: torch.Tensor.retain_grad.
  void retain_grad() const;
  /// Returns true if the tensor is not a leaf and stores its gradient.
  /// PyTorch: torch.Tensor.retains_grad.
  bool retains_grad() const;
  /// Computes the gradients of the inner product of this tensor and `gradient` with respect to the
  /// leaves, and accumulates them in their `grad`. Without `gradient`, the tensor must have one
  /// element. Throws the errors of autograd::backward, which has further options.
  /// PyTorch: torch.Tensor.backward.
  void backward(const Tensor& gradient, bool retain_graph = false, bool create_graph = false) const;
  /// As above; accumulates the gradients in `grad` of the tensors `inputs` only.
  void backward(const Tensor& gradient, bool retain_graph, bool create_graph,
                const std::vector<Tensor>& inputs) const;
  template <std::derived_from<Tensor> Input> void backward(const Tensor& gradient,
                                                           bool retain_graph, bool create_graph,
                                                           const Input& input) const {
    backward(gradient, retain_graph, create_graph, std::vector<Tensor>{input});
  }
  void backward() const;
  /// Registers `hook(grad)`, which runs when the gradient of this tensor is computed; a defined
  /// result replaces the gradient. Throws RuntimeError unless the tensor requires gradients.
  /// PyTorch: torch.Tensor.register_hook.
  RemovableHandle register_hook(SharedFunction<Tensor(const Tensor&)> hook) const;
  /// Registers `hook(tensor)`, which runs after a gradient was accumulated in `grad` of this leaf.
  /// Throws RuntimeError unless the tensor is a leaf that requires gradients. PyTorch:
  /// torch.Tensor.register_post_accumulate_grad_hook.
  RemovableHandle register_post_accumulate_grad_hook(
      SharedFunction<void(const Tensor&)> hook) const;
  /// Returns a tensor without history that shares the storage and the version counter.
  /// PyTorch: torch.Tensor.detach.
  Tensor detach() const;
  /// Removes the history of this tensor, in place. PyTorch: torch.Tensor.detach_.
  const Tensor& detach_() const;
  /// Returns a tensor without history that shares the storage, with a separate version counter:
  /// autograd does not detect writes through it. PyTorch: torch.Tensor.data.
  Tensor data() const;
  /// Replaces storage, shape, dtype and device with those of `source`. `requires_grad`, the
  /// gradient and hooks are preserved. Throws RuntimeError if the tensor is not a leaf or is a
  /// view, DTypeError if an integer tensor would require gradients.
  /// PyTorch: `tensor.data = source`.
  void set_data(const Tensor& source) const;
  /// Returns the number of in-place modifications. PyTorch: torch.Tensor._version.
  std::uint32_t version() const;
  /// Returns true if the tensor was created in inference mode. PyTorch: torch.Tensor.is_inference.
  bool is_inference() const;
  /// Returns true if the tensor is a view of another tensor. PyTorch: torch.Tensor._is_view.
  bool is_view() const;

  /// Returns Python's printed form: `tensor([1., 2.], requires_grad=True)`.
  std::string str() const;

  /// Returns the slice i along dimension 0 as a view; a negative i counts from the end. Throws
  /// IndexError if i is out of range.
  Tensor operator[](std::int64_t i) const;
  template <std::integral I>
  requires(!std::same_as<I, bool>) Tensor operator[](I i) const {
    return (*this)[static_cast<std::int64_t>(i)];
  }
  template <std::same_as<bool> B> Tensor operator[](B) const = delete;  // a bool is not an index
  /// Returns the selected elements, as Python's x[1:3, ..., 0] for x[{Slice{1, 3}, ellipsis, 0}];
  /// see Index. The result is a view if the index does not contain a tensor.
  IndexProxy operator[](std::initializer_list<Index> index) const;
  /// Returns a view of the slices along dimension 0 that `slice` selects: x[Slice{0, 2}].
  template <std::same_as<Slice> S> IndexProxy operator[](const S& slice) const;
  /// Returns a copy of the elements that a mask or an index tensor selects; `x[mask] = v` writes to
  /// them.
  IndexProxy operator[](const Tensor& index) const;

 private:
  const void* raw_data(DType type) const;
  void* raw_mutable_data(DType type) const;
  Ref<TensorImpl> impl_;
};
static_assert(sizeof(Tensor) == sizeof(void*), "families of methods must stay empty bases");

/// Result of unique and unique_consecutive. Tensors that were not requested are undefined.
struct UniqueResult {
  Tensor output, inverse_indices, counts;
};

/// Result of an index expression: the selected elements, which are a view if the index does not
/// contain a tensor, otherwise a copy. Assigning to the temporary, or using a compound assignment,
/// writes to the indexed tensor: the value is converted to its dtype, and leading dimensions of
/// size 1 of the value are removed.
class [[nodiscard]] IndexProxy : public Tensor {
 public:
  /// Indexed tensor and index.
  struct Source;

  IndexProxy(Tensor selected, std::shared_ptr<const Source> source);
  IndexProxy(const IndexProxy&) = default;
  IndexProxy(IndexProxy&&) noexcept = default;
  /// Assignment to a named result rebinds the handle, as for every Tensor.
  IndexProxy& operator=(const IndexProxy&) & = default;
  IndexProxy& operator=(IndexProxy&&) & noexcept = default;
  IndexProxy& operator=(const Tensor& other) &;
  void operator=(const IndexProxy& value) && {
    std::move(*this) = static_cast<const Tensor&>(value);
  }
  void operator=(const Tensor& value) &&;
  void operator=(const Scalar& value) &&;

 private:
  const Source& source() const;
  std::shared_ptr<const Source> source_;  // null after an assignment to a named result
};
// Compound assignments to an index expression, which write to the indexed tensor.
void operator+=(IndexProxy&& target, const Tensor& value);
void operator+=(IndexProxy&& target, const Scalar& value);
void operator-=(IndexProxy&& target, const Tensor& value);
void operator-=(IndexProxy&& target, const Scalar& value);
void operator*=(IndexProxy&& target, const Tensor& value);
void operator*=(IndexProxy&& target, const Scalar& value);
void operator/=(IndexProxy&& target, const Tensor& value);
void operator/=(IndexProxy&& target, const Scalar& value);
void operator%=(IndexProxy&& target, const Tensor& value);
void operator%=(IndexProxy&& target, const Scalar& value);
void operator&=(IndexProxy&& target, const Tensor& value);
void operator&=(IndexProxy&& target, const Scalar& value);
void operator|=(IndexProxy&& target, const Tensor& value);
void operator|=(IndexProxy&& target, const Scalar& value);
void operator^=(IndexProxy&& target, const Tensor& value);
void operator^=(IndexProxy&& target, const Scalar& value);
void operator<<=(IndexProxy&& target, const Tensor& value);
void operator<<=(IndexProxy&& target, const Scalar& value);
void operator>>=(IndexProxy&& target, const Tensor& value);
void operator>>=(IndexProxy&& target, const Scalar& value);

/// Writes `t.str()`.
std::ostream& operator<<(std::ostream& out, const Tensor& t);

}  // namespace taper

#include "taper/core/index.h"
