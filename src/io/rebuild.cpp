#include "io/rebuild.h"

#include "core/check.h"
#include "core/tensor_impl.h"
#include "io/storage_class.h"

namespace taper::io {
namespace {

/// The arguments of one call, read with errors that name what is wrong.
struct Arguments {
  const Values& items;
  const std::string& path;
  std::string name;

  [[noreturn]] void refuse(const std::string& what) const {
    fail<IoError>("load: {}: {}: {}", path, name, what);
  }
  std::size_t size() const { return items.size(); }
  const Value& at(std::size_t i) const {
    if (i >= items.size()) refuse("expected at least " + std::to_string(i + 1) + " arguments");
    return items[i];
  }
  std::int64_t integer(std::size_t i) const {
    if (!at(i).is_int())
      refuse("argument " + std::to_string(i) + " is " + at(i).type_name() +
             ", expected an integer");
    return at(i).as_int();
  }
  bool flag(std::size_t i) const { return at(i).is_bool() ? at(i).as_bool() : integer(i) != 0; }
  Shape shape(std::size_t i) const {
    const Value& v = at(i);
    if (v.kind() == Value::Kind::size) return v.as_size();
    if (!v.is_tuple() && !v.is_list())
      refuse("argument " + std::to_string(i) + " is " + v.type_name() +
             ", expected a tuple of integers");
    Shape s;
    if (v.as_sequence().size() > 64)
      refuse("a tensor of " + std::to_string(v.as_sequence().size()) + " dimensions");
    for (const Value& d : v.as_sequence()) {
      if (!d.is_int()) refuse("sizes and strides must be integers: got " + d.type_name());
      s.push_back(d.as_int());
    }
    return s;
  }
  const Tensor& tensor(std::size_t i) const {
    if (!at(i).is_tensor())
      refuse("argument " + std::to_string(i) + " is " + at(i).type_name() +
             ", expected a tensor or storage");
    return at(i).as_tensor();
  }
};

/// A view of the storage, refused if it reaches outside of it.
Tensor view_of(const Arguments& a, DType dtype) {
  const TensorImpl& all = impl(a.tensor(0));
  const std::int64_t offset = a.integer(1);
  const Shape size = a.shape(2), stride = a.shape(3);
  const auto room = static_cast<std::int64_t>(all.storage->bytes() / size_of(dtype));
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
    a.refuse(taper::text(
        "a tensor of size {}, stride {}, offset {} does not fit its storage of {} elements", size,
        stride, offset, room));
  return Tensor(Ref<TensorImpl>::adopt(new TensorImpl(all.storage, size, stride, offset, dtype)));
}

Value opaque(const Value& callable, const Value& arguments) {
  Opaque o;
  o.callable = callable;
  o.arguments = arguments;
  return Value::opaque(std::move(o));
}

Value pairs_into(Value dict, const Arguments& a) {
  if (a.size() == 0) return dict;
  const Value& given = a.at(0);
  if (given.is_dict()) {
    for (const auto& [k, v] : given.as_dict()) dict.as_dict().set(k, v);
    return dict;
  }
  if (!given.is_list()) a.refuse("expected a list of pairs, got " + given.type_name());
  for (const Value& p : given.as_list()) {
    const bool pair = (p.is_tuple() || p.is_list()) && p.size() == 2;
    if (!pair) a.refuse("expected pairs, got " + p.type_name());
    dict.as_dict().set(p.as_sequence()[0], p.as_sequence()[1]);
  }
  return dict;
}

Value tensor_call(const std::string& name, const Arguments& a, const Value& callable,
                  const Value& arguments) {
  if (name == "_rebuild_tensor") return view_of(a, a.tensor(0).dtype());
  if (name == "_rebuild_tensor_v2") {
    Tensor t = view_of(a, a.tensor(0).dtype());
    if (a.size() > 4 && a.flag(4)) {
      if (!t.is_floating_point()) a.refuse("an integer tensor cannot require gradients");
      t.set_requires_grad();
    }
    return t;
  }
  if (name == "_rebuild_tensor_v3") {
    if (a.at(6).kind() != Value::Kind::dtype) return opaque(callable, arguments);
    Tensor t = view_of(a, a.at(6).as_dtype());
    if (a.flag(4) && t.is_floating_point()) t.set_requires_grad();
    return t;
  }
  if (name == "_rebuild_parameter" || name == "_rebuild_parameter_with_state") {
    if (a.at(0).is_parameter()) a.refuse("a parameter of a parameter");
    const Tensor t = a.tensor(0).detach();
    if (a.flag(1)) {
      if (!t.is_floating_point()) a.refuse("an integer tensor cannot require gradients");
      t.set_requires_grad();
    }
    return Value::parameter(t);
  }
  return opaque(callable, arguments);
}

}  // namespace

Value global(std::string_view module, std::string_view name) {
  if (module == "torch")
    if (const auto type = dtype_named(name)) return *type;
  return Value::global(module, name);
}

Value rebuild(const Value& callable, const Value& arguments, const std::string& path) {
  if (!arguments.is_tuple())
    fail<IoError>("load: {}: a call's arguments are {}, expected a tuple", path,
                  arguments.type_name());
  if (callable.kind() != Value::Kind::global) {
    if (callable.kind() == Value::Kind::opaque || callable.kind() == Value::Kind::dtype)
      return opaque(callable, arguments);
    fail<IoError>("load: {}: {} is called, which is no class or function", path,
                  callable.type_name());
  }
  const auto [module_view, name_view] = callable.as_global();
  const std::string module(module_view), name(name_view);
  const Arguments a{arguments.as_tuple(), path, module + "." + name};
  const bool builtin = module == "builtins" || module == "__builtin__";
  if (module == "collections" && name == "OrderedDict") return pairs_into(Value::ordered_dict(), a);
  if (module == "collections" && name == "Counter") {
    Value d = Value::dict();
    d.as_dict().set_class_name("collections.Counter");
    return pairs_into(d, a);
  }
  if (module == "collections" && name == "defaultdict") {
    Value d = Value::dict();
    d.as_dict().set_class_name("collections.defaultdict");
    return d;
  }
  if (module == "torch._utils") return tensor_call(name, a, callable, arguments);
  if (module == "torch" && name == "Size") return a.shape(0);
  if (module == "torch" && name == "device") {
    if (!a.at(0).is_string()) a.refuse("expected a name");
    std::string text = a.at(0).as_string();
    if (a.size() > 1) text += ":" + std::to_string(a.integer(1));
    try {
      return Device(text);
    } catch (const DeviceError& e) { a.refuse(e.what()); }
  }
  if (builtin && name == "set") {
    if (a.size() == 0) return Value::set();
    if (!a.at(0).is_list() && !a.at(0).is_tuple()) a.refuse("expected a list");
    return Value::set(a.at(0).as_sequence());
  }
  if (builtin && name == "complex") return Complex{a.at(0).as_double(), a.at(1).as_double()};
  if (module == "_codecs" && name == "encode" && a.size() == 2 && a.at(0).is_string() &&
      a.at(1).is_string() && a.at(1).as_string() == "latin1") {
    std::string bytes;
    const std::string& utf8 = a.at(0).as_string();
    for (std::size_t i = 0; i < utf8.size(); ++i) {
      const auto c = static_cast<unsigned char>(utf8[i]);
      if (c < 0x80)
        bytes += utf8[i];
      else if ((c & 0xfc) == 0xc0 && i + 1 < utf8.size())
        bytes += static_cast<char>((c & 3) << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3f));
      else
        a.refuse("the text has characters beyond latin-1");
    }
    return Value::bytes(bytes);
  }
  return opaque(callable, arguments);
}

}  // namespace taper::io
