#include "ops/op.h"

namespace taper {

using Kind = AttributeRef::Kind;
AttributeRef attribute_ref(std::int64_t& v) { return {Kind::integer, &v}; }
AttributeRef attribute_ref(double& v) { return {Kind::floating, &v}; }
AttributeRef attribute_ref(bool& v) { return {Kind::boolean, &v}; }
AttributeRef attribute_ref(Shape& v) { return {Kind::shape, &v}; }
AttributeRef attribute_ref(Scalar& v) { return {Kind::scalar, &v}; }
AttributeRef attribute_ref(std::string& v) { return {Kind::text, &v}; }
AttributeRef attribute_ref(DType& v) { return {Kind::dtype, &v}; }
AttributeRef attribute_ref(std::optional<std::int64_t>& v) { return {Kind::optional_integer, &v}; }
AttributeRef attribute_ref(std::optional<double>& v) { return {Kind::optional_floating, &v}; }
AttributeRef attribute_ref(std::optional<Shape>& v) { return {Kind::optional_shape, &v}; }
AttributeRef attribute_ref(std::optional<Scalar>& v) { return {Kind::optional_scalar, &v}; }
AttributeRef attribute_ref(std::optional<DType>& v) { return {Kind::optional_dtype, &v}; }

namespace {
std::string text(std::int64_t v) { return std::to_string(v); }
std::string text(double v) { return python_repr(v); }
std::string text(bool v) { return v ? "True" : "False"; }
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
    case Kind::text: return text_at<std::string>(a.at);
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

}  // namespace taper
