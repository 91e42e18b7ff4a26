#include "taper/io/foreign_tensor.h"

#include "io/pickle/globals/foreign_dtypes.h"

namespace taper {

std::optional<ForeignTensor> foreign_tensor(const Value& value) {
  using Kind = Value::Kind;
  if (value.kind() != Kind::opaque) return {};
  const Opaque& o = value.as_opaque();
  const bool is_call = o.callable.kind() == Kind::global &&
                       o.callable.as_global().second == "_rebuild_tensor_v3" &&
                       o.callable.as_global().first == "torch._utils" && o.arguments.is_tuple() &&
                       o.arguments.size() >= 7;
  if (!is_call) return {};
  const Values& a = o.arguments.as_tuple();
  const bool fits = a[0].is_tensor() && a[0].as_tensor().dtype() == DType::u8 &&
                    a[0].as_tensor().dim() == 1 && a[1].is_int() && a[2].is_tuple() &&
                    a[3].is_tuple() && a[4].is_bool() && a[6].kind() == Kind::global;
  if (!fits) return {};
  ForeignTensor t;
  t.dtype = a[6].as_global().second;
  t.shape = a[2].as_size(), t.strides = a[3].as_size(), t.offset = a[1].as_int();
  const io::ForeignDType* const known = io::foreign_dtype(t.dtype);
  t.item_bits = known ? known->bits : 0;
  t.requires_grad = a[4].as_bool();
  t.bytes = a[0].as_tensor();
  return t;
}

Value to_value(const ForeignTensor& t) {
  const auto numbers = [](const Shape& s) { return Value::tuple(Values(s.begin(), s.end())); };
  Opaque call;
  call.callable = Value::global("torch._utils", "_rebuild_tensor_v3");
  call.arguments =
      Value::tuple({t.bytes, t.offset, numbers(t.shape), numbers(t.strides), t.requires_grad,
                    Value::ordered_dict(), Value::global("torch", t.dtype)});
  return Value::opaque(std::move(call));
}

}  // namespace taper
