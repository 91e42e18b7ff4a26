// Tensors as messages TensorProto.
#include <optional>

#include "core/check.h"
#include "taper/core/factory.h"
#include "train/events/event_decoder.h"
#include "train/events/event_fields.h"
#include "train/events/event_message.h"

namespace taper::train::events {
namespace {

/// Field of TensorProto that contains the elements of a dtype.
struct TensorEncoding {
  DType dtype;
  TensorType type;
  unsigned field;
};
constexpr TensorEncoding kEncodings[] = {
    {DType::f64, TensorType::dt_double, tensor_field::double_val},
    {DType::f32, TensorType::dt_float, tensor_field::float_val},
    {DType::f16, TensorType::dt_half, tensor_field::half_val},
    {DType::bf16, TensorType::dt_bfloat16, tensor_field::half_val},
    {DType::i64, TensorType::dt_int64, tensor_field::int64_val},
    {DType::i32, TensorType::dt_int32, tensor_field::int_val},
    {DType::i16, TensorType::dt_int16, tensor_field::int_val},
    {DType::i8, TensorType::dt_int8, tensor_field::int_val},
    {DType::u8, TensorType::dt_uint8, tensor_field::int_val},
    {DType::bool_, TensorType::dt_bool, tensor_field::bool_val},
};

template <class T> std::vector<std::int64_t> bits_of(const Tensor& t) {
  std::vector<std::int64_t> bits;
  for (const T value : t.data<T>()) bits.push_back(value.bits);
  return bits;
}

/// Returns a tensor of i16 whose bits are those of the elements of `values`.
template <class T> Tensor from_bits(const std::vector<std::int64_t>& values) {
  std::vector<T> elements(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    elements[i].bits = static_cast<std::uint16_t>(values[i]);
  return tensor(elements);
}

/// Values of the fields of a TensorProto.
struct TensorFields {
  std::int64_t type = 0;
  std::vector<std::int64_t> sizes{};
  std::string content{};
  std::vector<float> floats{};
  std::vector<double> doubles{};
  std::vector<std::int64_t> integers{}, halves{};
  std::vector<std::string> strings{};
};

std::vector<std::int64_t> decode_sizes(std::string_view shape) {
  std::vector<std::int64_t> sizes;
  MessageReader reader(shape);
  while (reader.next()) {
    if (reader.field() != shape_field::dim) continue;
    MessageReader dim(reader.bytes());
    std::int64_t size = 0;
    while (dim.next())
      if (dim.field() == dim_field::size) size = dim.integer();
    sizes.push_back(size);
  }
  return sizes;
}

TensorFields read_fields(std::string_view message) {
  TensorFields f;
  MessageReader reader(message);
  while (reader.next()) switch (reader.field()) {
      case tensor_field::dtype: f.type = reader.integer(); break;
      case tensor_field::shape: f.sizes = decode_sizes(reader.bytes()); break;
      case tensor_field::content: f.content = reader.text(); break;
      case tensor_field::float_val: reader.append_to(f.floats); break;
      case tensor_field::double_val: reader.append_to(f.doubles); break;
      case tensor_field::half_val: reader.append_to(f.halves); break;
      case tensor_field::string_val: f.strings.push_back(reader.text()); break;
      case tensor_field::int_val:
      case tensor_field::int64_val:
      case tensor_field::bool_val:
      case tensor_field::uint32_val: reader.append_to(f.integers); break;
      default: break;
    }
  return f;
}

Tensor elements_from_content(std::string& content, DType dtype) {
  const DType stored = dtype == DType::bool_ ? DType::u8 : dtype;  // any byte is a bool
  if (content.size() % size_of(stored) != 0) fail<IoError>("malformed tensor: truncated elements");
  return from_blob(content.data(), Shape(content.size() / size_of(stored)), {.dtype = stored})
      .to(dtype)
      .clone();
}

/// Returns the elements as a 1-dimensional tensor of `dtype`.
Tensor elements_of(TensorFields& f, DType dtype) {
  if (!f.content.empty()) return elements_from_content(f.content, dtype);
  switch (dtype) {
    case DType::f32: return tensor(f.floats);
    case DType::f64: return tensor(f.doubles);
    case DType::f16: return from_bits<Half>(f.halves);
    case DType::bf16: return from_bits<BFloat16>(f.halves);
    default: return tensor(f.integers).to(dtype);
  }
}

/// Returns the product of the sizes, or nullopt if one is negative or the product overflows.
std::optional<std::int64_t> checked_numel(const std::vector<std::int64_t>& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes)
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) return {};
  return count;
}

}  // namespace

MessageWriter shape_message(const Shape& shape) {
  MessageWriter message;
  for (const std::int64_t size : shape) {
    MessageWriter dim;
    if (size != 0) dim.add_integer(dim_field::size, size);
    message.add_message(shape_field::dim, dim);
  }
  return message;
}

MessageWriter tensor_message(const Tensor& tensor) {
  const Tensor t = tensor.detach().cpu().contiguous();
  for (const TensorEncoding& e : kEncodings) {
    if (e.dtype != t.dtype()) continue;
    MessageWriter message;
    message.add_integer(tensor_field::dtype, static_cast<int>(e.type))
        .add_message(tensor_field::shape, shape_message(t.shape()));
    switch (e.dtype) {
      case DType::f64: message.add_packed(e.field, t.data<double>()); break;
      case DType::f32: message.add_packed(e.field, t.data<float>()); break;
      case DType::f16:
        message.add_packed(e.field, std::span<const std::int64_t>(bits_of<Half>(t)));
        break;
      case DType::bf16:
        message.add_packed(e.field, std::span<const std::int64_t>(bits_of<BFloat16>(t)));
        break;
      default: {
        const Tensor integers = t.to(DType::i64);
        message.add_packed(e.field, integers.data<std::int64_t>());
      }
    }
    return message;
  }
  fail<ValueError>("add_tensor: tensors of dtype {} are not supported", t.dtype());
}

void decode_tensor(std::string_view message, SummaryValue& value) {
  TensorFields f = read_fields(message);
  if (f.type == static_cast<int>(TensorType::dt_string)) {
    value.data = std::move(f.strings);
    return;
  }
  for (const TensorEncoding& e : kEncodings) {
    if (static_cast<int>(e.type) != f.type) continue;
    const auto count = checked_numel(f.sizes);
    Tensor elements = elements_of(f, e.dtype);
    // A single element may represent equal ones. They are not stored.
    if (count && elements.numel() == 1 && *count != 1)
      value.data = elements.expand(f.sizes);
    else if (count && elements.numel() == *count)
      value.data = elements.reshape(f.sizes);
    else
      fail<IoError>("malformed tensor: {} elements do not have the stored shape", elements.numel());
    return;
  }
}

}  // namespace taper::train::events
