// What a module is trained in and what it carries along: Parameter and Buffer.
#pragma once
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn {

/// A word that only an object at this very address can hold. Parameters, buffers and modules carry
/// one, so that a scan of a module's own bytes finds those its TAPER_MODULE does not list.
struct Tag {
  static constexpr std::uintptr_t kMagic = 0x7a9e5ca1ab1e0001u;
  std::uintptr_t word = kMagic ^ reinterpret_cast<std::uintptr_t>(this);

  Tag() = default;
  Tag(const Tag&) noexcept {}
  Tag& operator=(const Tag&) noexcept { return *this; }
  // Volatile: a store at the end of a life must not be dropped as dead.
  ~Tag() { *static_cast<volatile std::uintptr_t*>(&word) = 0; }
};

struct MaterializeOptions {
  TAPER_FACTORY_OPTIONS
};

/// A tensor that a module is trained in. A handle as Tensor is: copies are the same parameter, so
/// assigning one parameter to another ties them. PyTorch: torch.nn.Parameter.
class Parameter : public Tensor, public Tag {
 public:
  /// An empty float parameter of shape (0).
  Parameter();
  /// A leaf over the storage of `data`, which may itself have history. Throws RuntimeError if an
  /// integer tensor is to require gradients.
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

  /// No parameter: what a registered name holds after it was set to None.
  static Parameter none() noexcept { return Parameter(nullptr); }
  /// Returns `t` itself as a parameter, not a new one over its elements. All its handles print as a
  /// parameter from then on.
  static Parameter of(const Tensor& t) noexcept;

  /// "Parameter containing:\ntensor([1.], requires_grad=True)", as Python prints it.
  std::string str() const;
  /// Turns an UninitializedParameter into an ordinary one, in place: elements are undefined.
  /// Without options the dtype and device stay. Throws RuntimeError for a parameter that has a
  /// shape.
  void materialize(const Shape& shape, const MaterializeOptions& options = {}) const;

 private:
  explicit Parameter(std::nullptr_t) noexcept {}
};

std::ostream& operator<<(std::ostream& out, const Parameter& p);

/// A tensor that belongs to a module without being trained: running statistics, masks. It moves
/// with the module and, if persistent, is saved with it. Assigning a plain tensor replaces it and
/// keeps its persistence. PyTorch: torch.nn.Buffer.
class Buffer : public Tensor, public Tag {
 public:
  /// An empty float buffer of shape (0).
  Buffer();
  /// An alias of `data` without its history.
  explicit Buffer(const Tensor& data, bool persistent = true);
  Buffer(const Buffer&) = default;
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(const Buffer&) & = default;
  Buffer& operator=(Buffer&&) & noexcept = default;
  Buffer& operator=(const Tensor& value) & {
    Tensor::operator=(value);
    return *this;
  }

  static Buffer none(bool persistent = true) noexcept { return Buffer(nullptr, persistent); }
  /// As Parameter::materialize.
  void materialize(const Shape& shape, const MaterializeOptions& options = {}) const;

  bool persistent = true;

 private:
  Buffer(std::nullptr_t, bool keep) noexcept : persistent(keep) {}
};

/// A parameter whose shape is not known yet: lazy modules start with these. Its shape cannot be
/// read (RuntimeError), and no op takes it (ValueError) but conversions and copy_, until
/// materialize gives it a shape. PyTorch: torch.nn.UninitializedParameter.
class UninitializedParameter : public Parameter {
 public:
  explicit UninitializedParameter(bool requires_grad = true,
                                  const MaterializeOptions& options = {});
};
/// PyTorch: torch.nn.UninitializedBuffer.
class UninitializedBuffer : public Buffer {
 public:
  explicit UninitializedBuffer(bool requires_grad = false, const MaterializeOptions& options = {},
                               bool persistent = true);
};
/// Is the shape of `t` not known yet? PyTorch: torch.nn.parameter.is_lazy.
bool is_lazy(const Tensor& t);

}  // namespace nn
}  // namespace taper
