// Parameter and Buffer: tensors that are registered with a module.
#pragma once
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <new>
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn {

/// Word that identifies an object at its own address. Parameters, buffers and modules contain one,
/// so that a scan of the bytes of a module finds the members that its TAPER_MODULE does not list,
/// and those that its smart pointers own.
struct AddressTag {
  enum TagKind : std::uintptr_t { kTagOfParameter = 0, kTagOfBuffer = 2, kTagOfModule = 4 };
  static constexpr std::uintptr_t kMagic = 0x7a9e5ca1ab1e0000u;
  static constexpr std::uintptr_t kNew = 1;  ///< created by a new expression
  std::uintptr_t word;

  explicit AddressTag(TagKind kind) noexcept
      : word(address() ^ kMagic ^ kind ^ new_bit(address())) {}
  AddressTag(const AddressTag& o) noexcept : word(address() ^ o.address() ^ (o.word & ~kNew)) {}
  AddressTag& operator=(const AddressTag&) noexcept { return *this; }
  // volatile: the compiler must not eliminate the store at the end of the lifetime.
  ~AddressTag() { *static_cast<volatile std::uintptr_t*>(&word) = 0; }

  /// Allocate as the global functions and note the memory, for kNew.
  static void* operator new(std::size_t size);
  static void* operator new(std::size_t size, std::align_val_t alignment);
  static void* operator new(std::size_t size, const std::nothrow_t&) noexcept;
  static void* operator new(std::size_t, void* place) noexcept { return place; }

 protected:
  /// Returns kNew if the address is part of what this thread allocated last.
  static std::uintptr_t new_bit(std::uintptr_t address) noexcept;

 private:
  std::uintptr_t address() const noexcept { return reinterpret_cast<std::uintptr_t>(this); }
};

/// Options of Parameter::materialize and Buffer::materialize.
struct MaterializeOptions {
  TAPER_FACTORY_OPTIONS
};

/// Tensor that is trained as part of a module. As for Tensor, copies refer to the same object, so
/// assigning one parameter to another ties them. PyTorch: torch.nn.Parameter.
class Parameter : public Tensor, public AddressTag {
 public:
  /// Creates an empty float32 parameter of shape (0).
  Parameter();
  /// Creates a leaf that shares the storage of `data`, which may have a history. Throws
  /// RuntimeError if `requires_grad` is set and `data` is not a floating-point tensor.
  explicit Parameter(const Tensor& data, bool requires_grad = true);
  Parameter(const Parameter&) = default;
  Parameter(Parameter&&) noexcept = default;
  Parameter& operator=(const Parameter&) & = default;
  Parameter& operator=(Parameter&&) & noexcept = default;
  template <class T>
  requires std::same_as<std::remove_cvref_t<T>, Tensor>
  void operator=(T&&) {
    static_assert(!std::same_as<std::remove_cvref_t<T>, Tensor>,
                  "a parameter is not replaced by a plain tensor: write nn::Parameter(tensor) to "
                  "make a new one, or weight.copy_(tensor) under NoGrad to change its elements");
  }

  /// Returns the undefined parameter, which a registered name holds after it was set to None.
  static Parameter none() noexcept { return Parameter(nullptr); }
  /// Returns `t` itself as a parameter, instead of a new one that shares its storage. All handles
  /// of `t` print as a parameter afterward.
  static Parameter of(const Tensor& t) noexcept;

  /// Returns Python's printed form:
  ///
  ///   Parameter containing:
  ///   tensor([1.], requires_grad=True)
  std::string str() const;
  /// Materializes an uninitialized parameter with the given shape, in place. Its elements are
  /// uninitialized memory. Without options, dtype and device are unchanged. Throws RuntimeError if
  /// the parameter has a shape. PyTorch: torch.nn.UninitializedParameter.materialize.
  void materialize(const Shape& shape, const MaterializeOptions& options = {}) const;

 private:
  explicit Parameter(std::nullptr_t) noexcept : AddressTag(kTagOfParameter) {}
};

/// Writes `p.str()`.
std::ostream& operator<<(std::ostream& out, const Parameter& p);

/// Tensor that is part of a module but not trained, such as running statistics or a mask. It is
/// converted with the module and, if persistent, is part of the state dict. Assigning a plain
/// tensor replaces the tensor and preserves the persistence. PyTorch: torch.nn.Buffer.
class Buffer : public Tensor, public AddressTag {
 public:
  /// Creates an empty, persistent float32 buffer of shape (0).
  Buffer();
  /// Creates a buffer that shares the storage of `data` without its history.
  explicit Buffer(const Tensor& data, bool persistent = true);
  Buffer(const Buffer&) = default;
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(const Buffer&) & = default;
  Buffer& operator=(Buffer&&) & noexcept = default;
  Buffer& operator=(const Tensor& value) & {
    Tensor::operator=(value);
    return *this;
  }

  /// Returns the undefined buffer, which a registered name holds after it was set to None.
  static Buffer none(bool persistent = true) noexcept { return Buffer(nullptr, persistent); }
  /// Materializes an uninitialized buffer with the given shape, in place. Its elements are
  /// uninitialized memory. Without options, dtype and device are unchanged. Throws RuntimeError if
  /// the buffer has a shape. PyTorch: torch.nn.UninitializedBuffer.materialize.
  void materialize(const Shape& shape, const MaterializeOptions& options = {}) const;

  /// True if the buffer is part of the state dict.
  bool persistent = true;

 private:
  Buffer(std::nullptr_t, bool keep) noexcept : AddressTag(kTagOfBuffer), persistent(keep) {}
};

/// Parameter without a shape, the initial state of the parameters of lazy modules. Until
/// `materialize` gives it a shape, reading the shape throws RuntimeError, and all ops except
/// conversions and copy_ throw ValueError. PyTorch: torch.nn.UninitializedParameter.
class UninitializedParameter : public Parameter {
 public:
  /// Creates an uninitialized parameter with the dtype and device of `options`.
  explicit UninitializedParameter(bool requires_grad = true,
                                  const MaterializeOptions& options = {});
};
/// Buffer without a shape, the initial state of the buffers of lazy modules.
/// PyTorch: torch.nn.UninitializedBuffer.
class UninitializedBuffer : public Buffer {
 public:
  /// Creates an uninitialized buffer with the dtype and device of `options`.
  explicit UninitializedBuffer(bool requires_grad = false, const MaterializeOptions& options = {},
                               bool persistent = true);
};
/// Returns true if `t` is an uninitialized parameter or buffer.
/// PyTorch: torch.nn.parameter.is_lazy.
bool is_lazy(const Tensor& t);

}  // namespace nn
}  // namespace taper
