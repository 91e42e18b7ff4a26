// Tensors and parameters as torch._utils rebuilds them.
#include "core/tensor_impl.h"
#include "io/call.h"

namespace taper::io {
namespace {

/// A view of the storage, refused if it reaches outside of it.
Tensor view_of(const Call& c, DType dtype) {
  const TensorImpl& all = impl(c.storage(0));
  const std::int64_t offset = c.integer(1);
  const Shape size = c.shape(2), stride = c.shape(3);
  // A storage may be a part of another one, or bytes that a dtype is given to.
  const auto element = static_cast<std::int64_t>(size_of(dtype));
  const auto unit = static_cast<std::int64_t>(size_of(all.dtype));
  const std::int64_t room = all.shape[0] * unit / element, begin = all.offset * unit / element;
  if (begin * element != all.offset * unit)
    c.refuse("its storage begins in the middle of an element");
  bool ok = size.size() == stride.size() && offset >= 0, empty = false;
  std::int64_t last = offset, count = 1;
  for (std::size_t d = 0; ok && d < size.size(); ++d) {
    std::int64_t reach = 0;
    empty |= size[d] == 0;
    ok = size[d] >= 0 && stride[d] >= 0 &&
         !__builtin_mul_overflow(count, std::max<std::int64_t>(size[d], 1), &count) &&
         !__builtin_mul_overflow(std::max<std::int64_t>(size[d] - 1, 0), stride[d], &reach) &&
         !__builtin_add_overflow(last, reach, &last);
  }
  if (!ok || (!empty && last >= room) || (empty && offset > room))
    c.refuse(taper::text(
        "a tensor of size {}, stride {}, offset {} does not fit its storage of {} elements", size,
        stride, offset, room));
  return Tensor(
      Ref<TensorImpl>::adopt(new TensorImpl(all.storage, size, stride, begin + offset, dtype)));
}

void require_grad(const Call& c, const Tensor& t) {
  if (!t.is_floating_point()) c.refuse("an integer tensor cannot require gradients");
  t.set_requires_grad();
}

/// Backward hooks are a dict, and empty in what torch.save writes: they are not run.
void check_hooks(const Call& c, std::size_t i) {
  if (i < c.size() && !c.at(i).is_dict() && !c.at(i).is_none()) c.expected(i, "a dict of hooks");
}

/// Bits that say how elements are meant: the elements of a negated view are not its values.
void check_bits(const Call& c, std::size_t i) {
  if (i >= c.size() || c.at(i).is_none()) return;
  if (!c.at(i).is_dict()) c.expected(i, "a dict of flags");
  for (const auto& [key, set] : c.at(i).as_dict())
    if (!set.is_bool() || set.as_bool())
      c.refuse("the tensor has the flag " + key.repr().substr(0, 80) + ", which is not supported");
}

}  // namespace

Shape Call::shape(std::size_t i) const {
  const Value& v = at(i);
  if (v.kind() == Value::Kind::size) return v.as_size();
  if (!v.is_tuple() && !v.is_list()) expected(i, "a tuple of integers");
  if (v.as_sequence().size() > 64)
    refuse("a tensor of " + std::to_string(v.as_sequence().size()) + " dimensions");
  Shape s;
  for (const Value& d : v.as_sequence()) {
    if (!d.is_int()) refuse("sizes and strides must be integers: got " + d.type_name());
    s.push_back(d.as_int());
  }
  return s;
}

const Tensor& Call::storage(std::size_t i) const {
  if (!at(i).is_tensor() || !rebuilder.is_storage(at(i).as_tensor())) expected(i, "a storage");
  return at(i).as_tensor();
}

const Tensor& Call::tensor(std::size_t i) const {
  if (!at(i).is_tensor() || rebuilder.is_storage(at(i).as_tensor())) expected(i, "a tensor");
  return at(i).as_tensor();
}

Value rebuild_tensor(const Call& c) { return view_of(c, c.storage(0).dtype()); }

Value rebuild_tensor_v2(const Call& c) {
  const Tensor t = view_of(c, c.storage(0).dtype());
  if (c.size() > 4 && c.flag(4)) require_grad(c, t);
  check_hooks(c, 5);
  check_bits(c, 6);
  return t;
}

Value rebuild_tensor_v3(const Call& c) {
  check_hooks(c, 5);
  check_bits(c, 7);
  if (c.at(6).kind() != Value::Kind::dtype) {
    if (c.at(6).kind() != Value::Kind::global) c.expected(6, "a dtype");
    c.storage(0);
    return opaque(c.callable, c.arguments);  // a dtype that is not supported, by its name
  }
  const Tensor t = view_of(c, c.at(6).as_dtype());
  if (c.flag(4)) require_grad(c, t);
  return t;
}

Value rebuild_parameter(const Call& c) {
  if (c.at(0).is_parameter()) c.refuse("a parameter of a parameter");
  const Tensor t = c.tensor(0).detach();
  if (c.flag(1)) require_grad(c, t);
  check_hooks(c, 2);
  return Value::parameter(t);
}

Value rebuild_from_type(const Call& c) {
  // (function, type, its arguments, attributes): a tensor with attributes, or of a class of its
  // own.
  if (c.at(0).kind() != Value::Kind::global) c.expected(0, "a rebuild function");
  if (c.at(1).kind() != Value::Kind::global) c.expected(1, "a class");
  const auto [module, function] = c.at(0).as_global();
  if (module != "torch._utils")
    c.refuse("it is told to call " + std::string(module) + "." + std::string(function) +
             ", which rebuilds no tensor");
  Value inner = c.rebuilder.call(c.at(0), c.at(2));
  const auto [where, type] = c.at(1).as_global();
  if (where == "torch" && type == "Tensor") return inner;
  if (where == "torch.nn.parameter" && type == "Buffer") return inner;
  if (where == "torch.nn.parameter" && type == "Parameter") {
    if (!inner.is_tensor()) c.refuse("the parameter is made of " + inner.type_name());
    return inner.is_parameter() ? inner : Value::parameter(inner.as_tensor());
  }
  Value object = opaque(c.at(1), Value::tuple({std::move(inner)}));
  if (c.size() > 3) object.as_opaque().state = c.at(3);
  return object;
}

}  // namespace taper::io
