#include "taper/nn/parameter.h"

#include <ostream>

#include "core/check.h"
#include "core/parameter_flag.h"
#include "taper/core/detail/uninitialized.h"
#include "taper/core/factory.h"
#include "taper/core/printing.h"

namespace taper::nn {
namespace {

void materialize_in_place(const Tensor& t, const Shape& shape, const MaterializeOptions& options) {
  materialize(t, shape, options.dtype.value_or(t.dtype()), options.device.value_or(t.device()));
}

Tensor lazy(LazyKind kind, const MaterializeOptions& options) {
  return new_uninitialized(kind, options.dtype.value_or(default_dtype()),
                           options.device.value_or(get_default_device()));
}

}  // namespace

namespace {
// The last allocation of this thread by a new expression for a parameter, buffer or module.
constinit thread_local std::uintptr_t new_begin = 0, new_size = 0;

void* note_new(void* p, std::size_t size) noexcept {
  new_begin = reinterpret_cast<std::uintptr_t>(p), new_size = p ? size : 0;
  return p;
}
}  // namespace

void* AddressTag::operator new(std::size_t size) { return note_new(::operator new(size), size); }
void* AddressTag::operator new(std::size_t size, std::align_val_t alignment) {
  return note_new(::operator new(size, alignment), size);
}
void* AddressTag::operator new(std::size_t size, const std::nothrow_t& tag) noexcept {
  return note_new(::operator new(size, tag), size);
}

std::uintptr_t AddressTag::new_bit(std::uintptr_t address) noexcept {
  return address - new_begin < new_size ? kNew : 0;
}

Parameter::Parameter() : Parameter(empty({0})) {}

Parameter::Parameter(const Tensor& data, bool requires_grad)
    : Tensor(data.detach()), AddressTag(kTagOfParameter) {
  set_is_parameter(*this, true);
  if (!requires_grad) return;
  if (!is_floating_point())
    fail<RuntimeError>("Only Tensors of floating point and complex dtype can require gradients");
  set_requires_grad(true);
}

Parameter Parameter::of(const Tensor& t) noexcept {
  Parameter p(nullptr);
  static_cast<Tensor&>(p) = t;
  if (t.defined()) set_is_parameter(t, true);
  return p;
}

std::string Parameter::str() const { return parameter_str(*this); }
std::ostream& operator<<(std::ostream& out, const Parameter& p) { return out << p.str(); }

void Parameter::materialize(const Shape& shape, const MaterializeOptions& options) const {
  materialize_in_place(*this, shape, options);
}

Buffer::Buffer() : Buffer(empty({0})) {}

Buffer::Buffer(const Tensor& data, bool keep)
    : Tensor(data.detach()), AddressTag(kTagOfBuffer), persistent(keep) {
  if (data.requires_grad()) set_requires_grad(true);
}

void Buffer::materialize(const Shape& shape, const MaterializeOptions& options) const {
  materialize_in_place(*this, shape, options);
}

UninitializedParameter::UninitializedParameter(bool requires_grad,
                                               const MaterializeOptions& options)
    : Parameter(lazy(LazyKind::parameter, options), requires_grad) {}

UninitializedBuffer::UninitializedBuffer(bool requires_grad, const MaterializeOptions& options,
                                         bool persistent)
    : Buffer(lazy(LazyKind::buffer, options).requires_grad_(requires_grad), persistent) {}

bool is_lazy(const Tensor& t) { return lazy_kind(t) != LazyKind::no; }

}  // namespace taper::nn
