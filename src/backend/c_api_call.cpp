#include "backend/c_api_call.h"

namespace taper::backend {
namespace {

#define TAPER_DTYPE(id, type, name, scalar, c_type, alias, storage, safetensors, npy) \
  static_assert(TAPER_##safetensors == static_cast<int>(DType::id),                   \
                "the values of taper_dtype must equal those of DType");
#include "taper/core/dtypes.inc"

taper_attribute to_c(std::string_view name, AttributeRef ref) {
  taper_attribute a{};
  a.name = name.data(), a.name_length = name.size();
  const auto integer = [&](std::int64_t v) { a.kind = TAPER_INTEGER, a.integer = v; };
  const auto floating = [&](double v) { a.kind = TAPER_FLOATING, a.floating = v; };
  const auto shape = [&](const Shape& v) {
    a.kind = TAPER_LIST, a.list = v.data(), a.length = v.size();
  };
  const auto dtype = [&](DType v) { a.kind = TAPER_DTYPE, a.integer = static_cast<int>(v); };
  const auto scalar = [&](const Scalar& v) {
    if (v.is_floating())
      floating(v.to_double());
    else if (v.kind() == Scalar::Kind::integer)
      integer(v.to_int());
    else
      a.kind = TAPER_BOOLEAN, a.integer = v.to_bool();
  };
  const auto set_if_present = [&]<class T>(const std::optional<T>& v, const auto& set_attribute) {
    if (v) set_attribute(*v);
  };
  using Kind = AttributeRef::Kind;
  switch (ref.kind) {
    case Kind::integer: integer(*static_cast<std::int64_t*>(ref.address)); break;
    case Kind::floating: floating(*static_cast<double*>(ref.address)); break;
    case Kind::boolean: a.kind = TAPER_BOOLEAN, a.integer = *static_cast<bool*>(ref.address); break;
    case Kind::shape: shape(*static_cast<Shape*>(ref.address)); break;
    case Kind::scalar: scalar(*static_cast<Scalar*>(ref.address)); break;
    case Kind::dtype: dtype(*static_cast<DType*>(ref.address)); break;
    case Kind::string: {
      const auto& s = *static_cast<std::string*>(ref.address);
      a.kind = TAPER_STRING, a.string = s.data(), a.length = s.size();
      break;
    }
    case Kind::optional_integer:
      set_if_present(*static_cast<std::optional<std::int64_t>*>(ref.address), integer);
      break;
    case Kind::optional_floating:
      set_if_present(*static_cast<std::optional<double>*>(ref.address), floating);
      break;
    case Kind::optional_shape:
      set_if_present(*static_cast<std::optional<Shape>*>(ref.address), shape);
      break;
    case Kind::optional_scalar:
      set_if_present(*static_cast<std::optional<Scalar>*>(ref.address), scalar);
      break;
    case Kind::optional_dtype:
      set_if_present(*static_cast<std::optional<DType>*>(ref.address), dtype);
      break;
    case Kind::opaque: break;
  }
  return a;
}

taper_view to_c(const View& v) {
  taper_view c{};
  c.absent = !v.shape;
  if (c.absent) return c;
  c.data = v.data;
  c.dtype = static_cast<taper_dtype>(v.dtype);
  c.on_host = !v.storage;
  c.rank = static_cast<std::int32_t>(v.shape->size());
  c.shape = v.shape->data(), c.strides = v.strides->data();
  c.numel = v.numel;
  return c;
}

}  // namespace

CApiCall::CApiCall(const OpDescriptor& descriptor, const void* attributes, const KernelArgs& args) {
  descriptor.fields(
      const_cast<void*>(attributes),
      [](void* list, std::string_view name, AttributeRef value) {
        static_cast<std::vector<taper_attribute>*>(list)->push_back(to_c(name, value));
      },
      &attributes_);
  for (const View& v : args.in) views_.push_back(to_c(v));
  for (const View& v : args.out) views_.push_back(to_c(v));
  call_ = {attributes_.data(),
           attributes_.size(),
           views_.data(),
           args.in.size(),
           views_.data() + args.in.size(),
           args.out.size(),
           static_cast<taper_dtype>(args.compute)};
}

}  // namespace taper::backend
