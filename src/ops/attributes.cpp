#include "ops/attributes.h"

#include "core/number_text.h"

namespace taper {

using Kind = AttributeRef::Kind;
AttributeRef attribute_ref(std::int64_t& v) { return {Kind::integer, &v}; }
AttributeRef attribute_ref(double& v) { return {Kind::floating, &v}; }
AttributeRef attribute_ref(bool& v) { return {Kind::boolean, &v}; }
AttributeRef attribute_ref(Shape& v) { return {Kind::shape, &v}; }
AttributeRef attribute_ref(Scalar& v) { return {Kind::scalar, &v}; }
AttributeRef attribute_ref(std::string& v) { return {Kind::string, &v}; }
AttributeRef attribute_ref(DType& v) { return {Kind::dtype, &v}; }
AttributeRef attribute_ref(std::optional<std::int64_t>& v) { return {Kind::optional_integer, &v}; }
AttributeRef attribute_ref(std::optional<double>& v) { return {Kind::optional_floating, &v}; }
AttributeRef attribute_ref(std::optional<Shape>& v) { return {Kind::optional_shape, &v}; }
AttributeRef attribute_ref(std::optional<Scalar>& v) { return {Kind::optional_scalar, &v}; }
AttributeRef attribute_ref(std::optional<DType>& v) { return {Kind::optional_dtype, &v}; }

namespace {
std::string format_value(std::int64_t v) { return std::to_string(v); }
std::string format_value(double v) { return python_repr(v); }
std::string format_value(bool v) { return bool_text(v); }
std::string format_value(const Shape& v) { return v.str(); }
std::string format_value(const Scalar& v) { return v.str(); }
std::string format_value(const std::string& v) { return "'" + v + "'"; }
std::string format_value(DType v) { return std::string(name_of(v)); }
template <class T> std::string format_value(const std::optional<T>& v) {
  return v ? format_value(*v) : "None";
}
template <class T> std::string format_stored_value(void* p) {
  return format_value(*static_cast<const T*>(p));
}
}  // namespace

std::string format_attribute(AttributeRef a) {
  switch (a.kind) {
    case Kind::integer: return format_stored_value<std::int64_t>(a.address);
    case Kind::floating: return format_stored_value<double>(a.address);
    case Kind::boolean: return format_stored_value<bool>(a.address);
    case Kind::shape: return format_stored_value<Shape>(a.address);
    case Kind::scalar: return format_stored_value<Scalar>(a.address);
    case Kind::string: return format_stored_value<std::string>(a.address);
    case Kind::dtype: return format_stored_value<DType>(a.address);
    case Kind::optional_integer: return format_stored_value<std::optional<std::int64_t>>(a.address);
    case Kind::optional_floating: return format_stored_value<std::optional<double>>(a.address);
    case Kind::optional_shape: return format_stored_value<std::optional<Shape>>(a.address);
    case Kind::optional_scalar: return format_stored_value<std::optional<Scalar>>(a.address);
    case Kind::optional_dtype: return format_stored_value<std::optional<DType>>(a.address);
    case Kind::opaque: break;
  }
  return "...";
}

namespace {

void* allocate_attributes(const OpDescriptor& descriptor) {
  return ::operator new (descriptor.size, std::align_val_t{descriptor.align});
}

template <class T> void assign(AttributeRef a, T value) {
  *static_cast<T*>(a.address) = std::move(value);
}
template <class T, class F> void assign_optional(AttributeRef a, const Value& v, F convert) {
  assign<std::optional<T>>(a, v.is_none() ? std::nullopt : std::optional<T>(convert(v)));
}

Scalar to_scalar(const Value& v) {
  if (v.is_bool()) return v.as_bool();
  if (v.is_int()) return v.as_int();
  return v.as_double();
}
/// Returns `v` as a list of integers. A single integer becomes a one-element list, as in PyTorch.
Shape to_shape(const Value& v) { return v.is_int() ? Shape{v.as_int()} : v.as_size(); }
DType to_dtype(const Value& v) { return v.as_dtype(); }
std::int64_t to_integer(const Value& v) { return v.as_int(); }
double to_double(const Value& v) { return v.as_double(); }

void assign_value(AttributeRef a, const Value& v) {
  switch (a.kind) {
    case Kind::integer: return assign(a, v.as_int());
    case Kind::floating: return assign(a, v.as_double());
    case Kind::boolean: return assign(a, v.as_bool());
    case Kind::shape: return assign(a, to_shape(v));
    case Kind::scalar: return assign(a, to_scalar(v));
    case Kind::string: return assign(a, v.as_string());
    case Kind::dtype: return assign(a, v.as_dtype());
    case Kind::optional_integer: return assign_optional<std::int64_t>(a, v, to_integer);
    case Kind::optional_floating: return assign_optional<double>(a, v, to_double);
    case Kind::optional_shape: return assign_optional<Shape>(a, v, to_shape);
    case Kind::optional_scalar: return assign_optional<Scalar>(a, v, to_scalar);
    case Kind::optional_dtype: return assign_optional<DType>(a, v, to_dtype);
    case Kind::opaque: throw TypeError("cannot be set by name");
  }
}

}  // namespace

Attributes::Attributes(const OpDescriptor& descriptor)
    : descriptor_(descriptor), values_(allocate_attributes(descriptor)) {
  descriptor.construct(values_);
}
Attributes::Attributes(const OpDescriptor& descriptor, const void* from)
    : descriptor_(descriptor), values_(allocate_attributes(descriptor)) {
  descriptor.copy(values_, from);
}
Attributes::~Attributes() {
  if (!values_) return;
  descriptor_.end(values_);
  ::operator delete (values_, std::align_val_t{descriptor_.align});
}

std::vector<std::string> Attributes::names() const {
  std::vector<std::string> all;
  descriptor_.fields(
      values_,
      [](void* context, std::string_view name, AttributeRef) {
        static_cast<std::vector<std::string>*>(context)->emplace_back(name);
      },
      &all);
  return all;
}

void Attributes::set(std::string_view name, const Value& value) {
  struct Search {
    std::string_view name;
    const OpDescriptor& op;
    const Value& value;
    bool found = false;
  } search{name, descriptor_, value};
  descriptor_.fields(
      values_,
      [](void* context, std::string_view field, AttributeRef a) {
        auto& s = *static_cast<Search*>(context);
        if (s.found || field != s.name) return;
        s.found = true;
        try {
          assign_value(a, s.value);
        } catch (const Error& e) {
          fail<TypeError>("{}: argument '{}': {}", s.op.info.name, s.name, e.what());
        }
      },
      &search);
  if (!search.found)
    fail<TypeError>("{}: got an unexpected keyword argument '{}'", descriptor_.info.name, name);
}

}  // namespace taper
