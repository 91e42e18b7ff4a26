// Readers of NumPy array files (.npy) and archives of them (.npz). PyTorch:
// torch.from_numpy(numpy.load(f)).
#include <array>
#include <charconv>
#include <optional>

#include "core/check.h"
#include "core/dtype_table.h"
#include "core/tensor_impl.h"
#include "io/formats.h"
#include "io/npy/header.h"
#include "io/text.h"
#include "taper/core/factory.h"
#include "taper/io/foreign_tensor.h"

namespace taper::io {
namespace {

struct ForeignType {
  std::string_view numpy, torch;
};
constexpr std::array kForeign = {ForeignType{"c8", "complex64"}, ForeignType{"c16", "complex128"}};

/// Element type and element size of an array. `dtype` is empty if the library does not support it.
struct Elements {
  std::optional<DType> dtype{};
  std::string_view foreign{};  // PyTorch's name of an unsupported dtype; empty if it has none
  std::int64_t bytes = 0;
};

Elements parse_element_type(const std::string& type) {
  if (type[0] == 'O')
    fail<ValueError>(
        "arrays of Python objects are not supported, because they contain arbitrary pickles");
  if (const auto dtype = find_dtype(&DTypeNames::npy, type))
    return {dtype, {}, static_cast<std::int64_t>(size_of(*dtype))};
  Elements e;
  for (const ForeignType& f : kForeign)
    if (f.numpy == type) e.foreign = f.torch;
  // `type` is a letter, followed by the element size in bytes ("S5") or in four-byte characters
  // ("U5") and, for times, by a unit ("M8[ns]").
  const char* const last = type.data() + type.size();
  const auto [end, error] = std::from_chars(type.data() + 1, last, e.bytes);
  const bool known = std::string_view("fiucbSUVMm").find(type[0]) != std::string_view::npos &&
                     error == std::errc{} && (end == last || *end == '[') && e.bytes >= 0 &&
                     e.bytes <= INT32_MAX;
  if (!known)
    fail<ValueError>("arrays of dtype '{}' are not supported. Save each field separately",
                     escape_for_message(type));
  if (type[0] == 'U') e.bytes *= 4;
  return e;
}

struct Array {
  NpyHeader header;
  Elements elements;
  Shape strides;
  std::int64_t count = 1;
};

/// Parses the header of an array file of `size` bytes and checks its shape and dtype against
/// `size`.
Array read_array(std::span<const std::byte> begin, std::uint64_t size) {
  Array a{read_npy_header(begin), {}, {}};
  a.elements = parse_element_type(a.header.type);
  std::int64_t bytes = a.elements.bytes, sizes = 1;
  bool overflow = false;
  for (const std::int64_t n : a.header.shape) {
    overflow |= __builtin_mul_overflow(a.count, n, &a.count);
    overflow |= __builtin_mul_overflow(sizes, std::max<std::int64_t>(n, 1), &sizes);
  }
  overflow |= __builtin_mul_overflow(bytes, a.count, &bytes);
  const std::uint64_t available = size - a.header.data;
  if (overflow || static_cast<std::uint64_t>(bytes) != available)
    fail<ValueError>("array of shape {} and dtype '{}' does not match the {} bytes of data",
                     a.header.shape, escape_for_message(a.header.type), available);
  a.strides = contiguous_strides(a.header.shape);
  if (a.header.fortran) {
    std::int64_t step = 1;
    for (std::size_t d = 0; d < a.strides.size(); ++d) {
      a.strides[d] = step;
      step *= std::max<std::int64_t>(a.header.shape[d], 1);
    }
  }
  return a;
}

/// Returns the array whose elements start at element `at` of `flat`.
Value assemble(const Array& a, const LoadContext& context, const Tensor& flat,
               std::int64_t at = 0) {
  if (a.elements.dtype)
    return context.apply_map_location(Tensor(Ref<TensorImpl>::adopt(
        new TensorImpl(impl(flat).storage, a.header.shape, a.strides, at, *a.elements.dtype))));
  if (context.strict())
    fail<ValueError>("strict: arrays of dtype '{}' are loaded as opaque values only",
                     escape_for_message(a.header.type));
  const Tensor bytes = context.apply_map_location(flat.narrow(0, at, a.count * a.elements.bytes));
  if (!a.elements.foreign.empty() && a.header.order != '>')
    return to_value({.dtype = std::string(a.elements.foreign),
                     .shape = a.header.shape,
                     .strides = a.strides,
                     .item_bits = 8 * a.elements.bytes,
                     .bytes = bytes});
  Opaque o;
  o.callable = Value::global("numpy", "ndarray");
  o.arguments = Value::tuple({a.header.shape, a.header.order + a.header.type, bytes});
  return Value::opaque(std::move(o));
}

/// Reads the uncompressed array file that occupies `size` bytes from byte `at` of the source.
Value read_stored(LoadContext& context, std::uint64_t at, std::uint64_t size) {
  const Array a = read_array(context.bytes().subspan(at, size), size);
  at += a.header.data;
  if (!a.elements.dtype)
    return assemble(a, context, context.elements(at, a.count * a.elements.bytes, DType::u8));
  if (a.header.order != '>' || a.elements.bytes == 1)
    return assemble(a, context, context.elements(at, a.count, *a.elements.dtype));
  const Tensor flat = context.copy_elements(at, a.count, *a.elements.dtype);
  swap_bytes(flat);
  return assemble(a, context, flat);
}

/// Reads the array file in a compressed record of an archive.
Value read_deflated(const ZipReader& zip, const ZipReader::Entry& e) {
  const auto size = static_cast<std::int64_t>(e.bytes);
  const Tensor all = zip.elements(e, size, DType::u8, false);
  const std::byte* const data = impl(all).storage->row_major_buffer().data;
  const Array a = read_array({data, e.bytes}, e.bytes);
  const auto at = static_cast<std::int64_t>(a.header.data);
  if (!a.elements.dtype) return assemble(a, zip.context(), all, at);
  if (a.header.order != '>' && at % a.elements.bytes == 0)
    return assemble(a, zip.context(), all, at / a.elements.bytes);
  const Tensor flat = new_tensor({a.count}, *a.elements.dtype, Device::cpu());
  std::copy(data + at, data + size, impl(flat).storage->row_major_buffer().data);
  if (a.header.order == '>') swap_bytes(flat);
  return assemble(a, zip.context(), flat);
}

}  // namespace

Value read_npy(LoadContext& context) {
  try {
    return read_stored(context, 0, context.bytes().size());
  } catch (const ValueError& e) { context.reject("{}", e.message()); }
}

Value read_npz(const ZipReader& zip) {
  if (zip.context().options().verify) zip.verify();
  Value result = Value::dict();
  for (const ZipReader::Entry& e : zip.entries()) {
    if (!e.name.ends_with(".npy"))
      zip.reject("record '{}' is not a NumPy array", escape_for_message(e.name));
    const std::string_view name = e.name.substr(0, e.name.size() - 4);
    if (!is_utf8(name)) zip.reject("invalid UTF-8 in record name '{}'", escape_for_message(name));
    try {
      result.as_dict().set(name, e.deflated
                                     ? read_deflated(zip, e)
                                     : read_stored(zip.context(), e.payload_offset, e.bytes));
    } catch (const ValueError& error) {
      zip.reject("array '{}': {}", escape_for_message(name), error.message());
    }
  }
  return result;
}

}  // namespace taper::io
