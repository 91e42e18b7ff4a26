// TensorImpl: the implementation behind the Tensor handle.
#pragma once
#include <memory>
#include <vector>

#include "core/storage.h"
#include "core/view.h"
#include "taper/core/detail/uninitialized.h"
#include "taper/core/dtype.h"
#include "taper/core/tensor.h"

namespace taper {

class Node;
struct HookList;
/// Clears the reference of `node` to `t`. Called when a tensor that retains its gradient is
/// destroyed or gets another node.
void clear_retains_grad(Node& node, const TensorImpl* t) noexcept;

/// Separate version counter for the result of `data()`, whose writes autograd does not track.
struct VersionCounter : RefCounted {
  std::atomic<std::uint32_t> value{0};
};

/// Autograd data that few tensors have: gradients, hooks.
struct AutogradMeta {
  Tensor grad;
  bool retains_grad = false;
  std::shared_ptr<HookList> hooks;  ///< hooks of a leaf; those of a result are stored in its node
  std::shared_ptr<HookList> accumulated_hooks;
  std::string name;  ///< name of a parameter for error messages, set by iteration over modules
  ~AutogradMeta();
};

/// Origin of a view, which determines the in-place ops that it permits. PyTorch: CreationMeta.
enum class CreationMeta : std::uint8_t { normal, no_grad, inference, multi_output_node, custom };

class TensorImpl : public RefCounted {
 public:
  /// Creates a contiguous tensor without a storage, which the caller sets. Throws ShapeError if a
  /// size is negative, or if the number of elements or a stride exceeds 2^63 - 1.
  TensorImpl(const Shape& sizes, DType type);
  TensorImpl(Ref<Storage> s, const Shape& sizes, const Shape& steps, std::int64_t start,
             DType type);
  ~TensorImpl();
  static void* operator new(std::size_t n) { return pool_allocate(n); }
  static void operator delete(void* p, std::size_t n) { pool_release(p, n); }

  /// Returns a new implementation with the same storage and version counter, without history.
  Ref<TensorImpl> alias() const;

  Ref<Storage> storage;
  Shape shape, strides;
  std::int64_t offset = 0, numel = 0;
  DType dtype;
  bool contiguous = true;
  bool requires_grad = false;  ///< flag of a leaf; a result requires grad if it has a node
  bool inference = false;
  bool parameter = false;        ///< true for the value of an nn::Parameter, which sets it
  LazyKind lazy = LazyKind::no;  ///< if not `no`, the tensor is uninitialized and `shape` is (0)
  CreationMeta creation_meta = CreationMeta::normal;
  std::uint32_t output_nr = 0;
  std::uint32_t attr_version = 0;  ///< of a view: `rebase_count` of its base when `node` was set
  std::uint32_t rebase_count = 0;  ///< of a base: number of in-place ops that replaced its history
  Ref<Node> node;
  Ref<TensorImpl> base;  ///< of a view: the tensor whose elements it shares
  Ref<VersionCounter> own_version;
  std::unique_ptr<AutogradMeta> extra;

  std::atomic<std::uint32_t>& version() const {
    return own_version ? own_version->value : storage->version;
  }
  AutogradMeta& autograd_meta() {
    if (!extra) extra = std::make_unique<AutogradMeta>();
    return *extra;
  }
  Device device() const { return storage->device(); }
  /// Returns the distance of the first element from the start of the storage, in bytes: 0 if there
  /// are no elements, where `offset` may be any number.
  std::int64_t byte_offset() const {
    return numel ? offset * static_cast<std::int64_t>(size_of(dtype)) : 0;
  }
  bool has_grad() const { return requires_grad || node; }

 private:
  struct Alias {};
  TensorImpl(const TensorImpl& other, Alias)
      : storage(other.storage),
        shape(other.shape),
        strides(other.strides),
        offset(other.offset),
        numel(other.numel),
        dtype(other.dtype),
        contiguous(other.contiguous),
        lazy(other.lazy),
        own_version(other.own_version) {}
  void compute_contiguity();
};

/// Physical layout that a kernel requests for an operand.
enum class LayoutRequest : std::uint8_t { any, row_major };

/// Implements resolve() for a tensor whose storage has the channels-last buffer `buffer`.
void resolve_channels_last(const TensorImpl& t, const Buffer& buffer, LayoutRequest access,
                           View& view, Shape& scratch);

/// Fills `view` with the elements of `t`. `scratch()` returns a Shape that stores the physical
/// strides if they differ from those of the tensor.
template <class Scratch>
void resolve_with(const TensorImpl& t, LayoutRequest access, View& view, Scratch&& scratch) {
  view.shape = &t.shape;
  view.strides = &t.strides;
  view.numel = t.numel;
  view.dtype = t.dtype;
  view.storage = t.storage.get();
  const Buffer& b = t.storage->buffer();  // read once: another thread may reorder the storage
  if (b.channels_last) [[unlikely]]
    resolve_channels_last(t, b, access, view, scratch());
  else
    view.data = b.data ? b.data + t.byte_offset() : nullptr;
}
inline void resolve(const TensorImpl& t, LayoutRequest access, View& view, Shape& scratch) {
  resolve_with(t, access, view, [&]() -> Shape& { return scratch; });
}

/// Throws ValueError: the uninitialized tensor `t` was passed to `op`.
[[noreturn]] void throw_uninitialized(const TensorImpl& t, std::string_view op);
inline constexpr std::string_view kind_name(LazyKind kind) {
  return kind == LazyKind::buffer ? "UninitializedBuffer" : "UninitializedParameter";
}

/// Returns true if the tensor is stored in channels-last order.
bool is_channels_last(const TensorImpl& t);

enum class PhysicalLayout : std::uint8_t { row_major, channels_last };
/// Returns a new tensor with uninitialized elements. Throws ShapeError if a size is negative or if
/// the number of elements, a stride or the size in bytes exceeds 2^63 - 1, and OutOfMemoryError if
/// the allocation fails.
/// Returns a tensor with uninitialized elements and the given strides. Throws ShapeError if its
/// size in bytes exceeds 2^63 - 1, or if a number is negative.
Tensor new_strided(const Shape& shape, const Shape& strides, DType dtype, Device device);
Tensor new_tensor(const Shape& shape, DType dtype, Device device,
                  PhysicalLayout order = PhysicalLayout::row_major);

inline TensorImpl& impl(const Tensor& t) { return *t.impl(); }
/// As impl. Throws RuntimeError if the tensor is undefined.
TensorImpl& defined_impl(const Tensor& t, const char* caller = __builtin_FUNCTION());

}  // namespace taper
