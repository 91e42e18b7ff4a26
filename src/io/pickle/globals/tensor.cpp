// Rebuild functions of torch._utils for tensors and parameters.
#include "core/tensor_impl.h"
#include "io/pickle/globals/class_name.h"
#include "io/pickle/globals/foreign_dtypes.h"
#include "io/pickle/globals/reduce_call.h"
#include "taper/io/foreign_tensor.h"

namespace taper::io {
namespace {

struct View {
  std::int64_t offset;
  Shape size, stride;
};

/// Parses the arguments after the storage. Rejects a view that exceeds the `available` elements.
View parse_view(const ReduceCall& c, std::int64_t available) {
  View v{c.integer(1), c.shape(2), c.shape(3)};
  const auto extent = storage_extent(v.size, v.stride, v.offset);
  if (!extent || *extent > available)
    c.reject("a tensor of size {}, stride {}, offset {} does not fit its storage of {} elements",
             v.size, v.stride, v.offset, available);
  return v;
}

Tensor make_view(const ReduceCall& c, DType dtype) {
  const TensorImpl& all = impl(c.storage(0));
  // The storage can be a view of another one, or untyped bytes.
  const auto element = static_cast<std::int64_t>(size_of(dtype));
  const auto unit = static_cast<std::int64_t>(size_of(all.dtype));
  const std::int64_t available = all.shape[0] * unit / element, begin = all.offset * unit / element;
  if (begin * element != all.offset * unit)
    c.reject("misaligned storage: it begins in the middle of an element");
  const View v = parse_view(c, available);
  return Tensor(Ref<TensorImpl>::adopt(
      new TensorImpl(all.storage, v.size, v.stride, begin + v.offset, dtype)));
}

/// Returns a tensor of an unsupported dtype as an opaque value.
Value foreign_view(const ReduceCall& c, std::string_view dtype, int bits) {
  const Tensor& bytes = c.storage(0);
  const std::int64_t available = bits ? bytes.numel() * 8 / bits : INT64_MAX;
  View v = parse_view(c, available);
  const bool requires_grad = c.size() > 4 && c.flag(4);
  return to_value(ForeignTensor{std::string(dtype), std::move(v.size), std::move(v.stride),
                                v.offset, bits, requires_grad, bytes});
}

void require_grad(const ReduceCall& c, const Tensor& t) {
  if (!t.is_floating_point()) c.reject("an integer tensor cannot require gradients");
  t.set_requires_grad();
}

/// Checks the type of the backward hooks, which are ignored. torch.save writes an empty dict.
void check_hooks(const ReduceCall& c, std::size_t i) {
  if (i < c.size() && !c.at(i).is_dict() && !c.at(i).is_none()) c.expected(i, "a dict of hooks");
}

/// Rejects flags such as conj and neg, which change the interpretation of the elements.
void check_bits(const ReduceCall& c, std::size_t i) {
  if (i >= c.size() || c.at(i).is_none()) return;
  if (!c.at(i).is_dict()) c.expected(i, "a dict of flags");
  for (const auto& [key, set] : c.at(i).as_dict())
    if (!set.is_bool() || set.as_bool())
      c.reject("the tensor has the flag {}, which is not supported", key.repr().substr(0, 80));
}

}  // namespace

Shape ReduceCall::shape(std::size_t i) const {
  const Value& v = at(i);
  if (v.kind() == Value::Kind::size) return v.as_size();
  if (!v.is_tuple() && !v.is_list()) expected(i, "a tuple of integers");
  if (v.as_sequence().size() > 64) reject("a tensor of {} dimensions", v.as_sequence().size());
  Shape s;
  for (const Value& d : v.as_sequence()) {
    if (!d.is_int()) reject("sizes and strides must be integers: got {}", d.type_name());
    s.push_back(d.as_int());
  }
  return s;
}

const Tensor& ReduceCall::storage(std::size_t i) const {
  if (!at(i).is_tensor() || !resolver.is_storage(at(i).as_tensor())) expected(i, "a storage");
  return at(i).as_tensor();
}

const Tensor& ReduceCall::tensor(std::size_t i) const {
  if (!at(i).is_tensor() || resolver.is_storage(at(i).as_tensor())) expected(i, "a tensor");
  return at(i).as_tensor();
}

Value rebuild_tensor(const ReduceCall& c) {
  const Tensor& storage = c.storage(0);
  if (const ForeignDType* foreign = c.resolver.foreign(storage))
    return foreign_view(c, foreign->name, foreign->bits);
  return make_view(c, storage.dtype());
}

Value rebuild_tensor_v2(const ReduceCall& c) {
  check_hooks(c, 5);
  check_bits(c, 6);
  Value t = rebuild_tensor(c);
  if (t.is_tensor() && c.size() > 4 && c.flag(4)) require_grad(c, t.as_tensor());
  return t;
}

Value rebuild_tensor_v3(const ReduceCall& c) {
  check_hooks(c, 5);
  check_bits(c, 7);
  const Value& dtype = c.at(6);
  if (dtype.kind() == Value::Kind::global && dtype.as_global().first == "torch") {
    const std::string_view name = dtype.as_global().second;
    const ForeignDType* const known = foreign_dtype(name);
    return foreign_view(c, name, known ? known->bits : 0);
  }
  if (dtype.kind() != Value::Kind::dtype) c.expected(6, "a dtype");
  const Tensor t = make_view(c, dtype.as_dtype());
  if (c.flag(4)) require_grad(c, t);
  return t;
}

/// Returns an opaque call in which the storage is an object of its class, because only the class
/// identifies the dtype.
Value rebuild_quantized(const ReduceCall& c) {
  const ForeignDType* const dtype = c.resolver.foreign(c.storage(0));
  if (!dtype) return opaque(c.callable, c.arguments);
  Values arguments = c.arguments.as_tuple();
  arguments[0] = opaque(Value::global("torch", dtype->storage), Value::tuple({arguments[0]}));
  return opaque(c.callable, Value::tuple(std::move(arguments)));
}

Value rebuild_meta_tensor(const ReduceCall& c) {
  if (c.at(0).kind() != Value::Kind::dtype) {
    if (c.at(0).kind() != Value::Kind::global) c.expected(0, "a dtype");
    return opaque(c.callable, c.arguments);  // a dtype that is not supported
  }
  const DType dtype = c.at(0).as_dtype();
  View v{0, c.shape(1), c.shape(2)};
  const auto extent = storage_extent(v.size, v.stride);
  std::int64_t bytes = 0;
  if (!extent || __builtin_mul_overflow(*extent, static_cast<std::int64_t>(size_of(dtype)), &bytes))
    c.reject("invalid geometry: size {} and stride {}", v.size, v.stride);
  auto storage = Ref<Storage>::adopt(new Storage(Device::meta(), static_cast<std::size_t>(bytes)));
  const Tensor t(Ref<TensorImpl>::adopt(
      new TensorImpl(std::move(storage), v.size, v.stride, v.offset, dtype)));
  if (c.size() > 3 && c.flag(3)) require_grad(c, t);
  return t;
}

Value rebuild_parameter(const ReduceCall& c) {
  if (c.at(0).is_parameter()) c.reject("a parameter of a parameter");
  if (foreign_tensor(c.at(0))) return opaque(c.callable, c.arguments);
  const Tensor t = c.tensor(0).detach();
  if (c.flag(1)) require_grad(c, t);
  check_hooks(c, 2);
  return Value::parameter(t);
}

Value rebuild_from_type(const ReduceCall& c) {
  // Arguments (function, type, arguments, attributes): a tensor with attributes or of a subclass.
  if (c.at(0).kind() != Value::Kind::global) c.expected(0, "a rebuild function");
  if (c.at(1).kind() != Value::Kind::global) c.expected(1, "a class");
  const auto [module, function] = c.at(0).as_global();
  if (module != "torch._utils")
    c.reject("got the function {}, expected a rebuild function", global_name(module, function));
  Value inner = c.resolver.call(c.at(0), c.at(2));
  const auto [where, type] = c.at(1).as_global();
  if (where == "torch" && type == "Tensor") return inner;
  if (where == "torch.nn.parameter" && type == "Buffer") return inner;
  if (where == "torch.nn.parameter" && type == "Parameter") {
    if (!inner.is_tensor()) c.reject("invalid data of a parameter: got {}", inner.type_name());
    return inner.is_parameter() ? inner : Value::parameter(inner.as_tensor());
  }
  Value object = opaque(c.at(1), Value::tuple({std::move(inner)}));
  if (c.size() > 3) object.as_opaque().state = c.at(3);
  return object;
}

}  // namespace taper::io
