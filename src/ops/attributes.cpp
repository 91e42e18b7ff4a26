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
std::string text(std::int64_t v) { return std::to_string(v); }
std::string text(double v) { return python_repr(v); }
std::string text(bool v) { return bool_text(v); }
std::string text(const Shape& v) { return v.str(); }
std::string text(const Scalar& v) { return v.str(); }
std::string text(const std::string& v) { return "'" + v + "'"; }
std::string text(DType v) { return std::string(name_of(v)); }
template <class T> std::string text(const std::optional<T>& v) { return v ? text(*v) : "None"; }
template <class T> std::string text_at(void* p) { return text(*static_cast<const T*>(p)); }
}  // namespace

std::string attribute_text(AttributeRef a) {
  switch (a.kind) {
    case Kind::integer: return text_at<std::int64_t>(a.at);
    case Kind::floating: return text_at<double>(a.at);
    case Kind::boolean: return text_at<bool>(a.at);
    case Kind::shape: return text_at<Shape>(a.at);
    case Kind::scalar: return text_at<Scalar>(a.at);
    case Kind::string: return text_at<std::string>(a.at);
    case Kind::dtype: return text_at<DType>(a.at);
    case Kind::optional_integer: return text_at<std::optional<std::int64_t>>(a.at);
    case Kind::optional_floating: return text_at<std::optional<double>>(a.at);
    case Kind::optional_shape: return text_at<std::optional<Shape>>(a.at);
    case Kind::optional_scalar: return text_at<std::optional<Scalar>>(a.at);
    case Kind::optional_dtype: return text_at<std::optional<DType>>(a.at);
    case Kind::opaque: break;
  }
  return "...";
}

namespace {

void* block(const OpDescriptor& descriptor) {
  return ::operator new (descriptor.size, std::align_val_t{descriptor.align});
}

template <class T> void put(AttributeRef a, T value) { *static_cast<T*>(a.at) = std::move(value); }
template <class T, class F> void put_optional(AttributeRef a, const Value& v, F convert) {
  put<std::optional<T>>(a, v.is_none() ? std::nullopt : std::optional<T>(convert(v)));
}

Scalar scalar_of(const Value& v) {
  if (v.is_bool()) return v.as_bool();
  if (v.is_int()) return v.as_int();
  return v.as_double();
}
/// Returns `v` as a list of integers. A single integer becomes a one-element list, as in PyTorch.
Shape shape_of(const Value& v) { return v.is_int() ? Shape{v.as_int()} : v.as_size(); }
DType dtype_of(const Value& v) { return v.as_dtype(); }
std::int64_t integer_of(const Value& v) { return v.as_int(); }
double number_of(const Value& v) { return v.as_double(); }

void put_value(AttributeRef a, const Value& v) {
  switch (a.kind) {
    case Kind::integer: return put(a, v.as_int());
    case Kind::floating: return put(a, v.as_double());
    case Kind::boolean: return put(a, v.as_bool());
    case Kind::shape: return put(a, shape_of(v));
    case Kind::scalar: return put(a, scalar_of(v));
    case Kind::string: return put(a, v.as_string());
    case Kind::dtype: return put(a, v.as_dtype());
    case Kind::optional_integer: return put_optional<std::int64_t>(a, v, integer_of);
    case Kind::optional_floating: return put_optional<double>(a, v, number_of);
    case Kind::optional_shape: return put_optional<Shape>(a, v, shape_of);
    case Kind::optional_scalar: return put_optional<Scalar>(a, v, scalar_of);
    case Kind::optional_dtype: return put_optional<DType>(a, v, dtype_of);
    case Kind::opaque: throw TypeError("cannot be set by name");
  }
}

}  // namespace

Attributes::Attributes(const OpDescriptor& descriptor)
    : descriptor_(descriptor), at_(block(descriptor)) {
  descriptor.construct(at_);
}
Attributes::Attributes(const OpDescriptor& descriptor, const void* from)
    : descriptor_(descriptor), at_(block(descriptor)) {
  descriptor.copy(at_, from);
}
Attributes::~Attributes() {
  if (!at_) return;
  descriptor_.end(at_);
  ::operator delete (at_, std::align_val_t{descriptor_.align});
}

std::vector<std::string> Attributes::names() const {
  std::vector<std::string> all;
  descriptor_.fields(
      at_,
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
      at_,
      [](void* context, std::string_view field, AttributeRef a) {
        auto& s = *static_cast<Search*>(context);
        if (s.found || field != s.name) return;
        s.found = true;
        try {
          put_value(a, s.value);
        } catch (const Error& e) {
          fail<TypeError>("{}: argument '{}': {}", s.op.info.name, s.name, e.what());
        }
      },
      &search);
  if (!search.found)
    fail<TypeError>("{}: got an unexpected keyword argument '{}'", descriptor_.info.name, name);
}

}  // namespace taper
