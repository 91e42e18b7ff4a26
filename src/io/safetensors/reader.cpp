// Reader of the safetensors format: a JSON header that must cover every byte of the data.
#include <algorithm>

#include "core/dtype_table.h"
#include "core/tensor_impl.h"
#include "io/formats.h"
#include "io/pickle/globals/foreign_dtypes.h"
#include "io/safetensors/header.h"
#include "io/text.h"
#include "taper/io/foreign_tensor.h"

namespace taper::io {
namespace {

class SafetensorsReader {
 public:
  explicit SafetensorsReader(LoadContext& context)
      : context_(context), header_(read_safetensors_header(context)) {}

  Value read() {
    check_offsets();
    Value result = Value::dict();
    if (header_.metadata.is_dict())
      result.as_dict().set_attribute("__metadata__", header_.metadata);
    result.as_dict().reserve(header_.entries.size());
    for (const SafetensorsEntry& e : header_.entries) result.as_dict().set(e.name, tensor(e));
    return result;
  }

 private:
  void check_offsets() {
    auto& list = header_.entries;
    const auto before = [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    };
    if (!std::is_sorted(list.begin(), list.end(), before))
      std::sort(list.begin(), list.end(), before);
    std::uint64_t at = 0;
    for (const SafetensorsEntry& e : list) {
      if (e.begin != at || e.end < e.begin)
        context_.reject(
            "safetensors: invalid offset for tensor '{}': it begins at {} and ends at {}, expected "
            "to begin at {}",
            escape_for_message(e.name), e.begin, e.end, at);
      at = e.end;
    }
    const std::uint64_t data_size = context_.bytes().size() - header_.data;
    if (at != data_size)
      context_.reject(
          "safetensors: incomplete metadata, file not fully covered: the tensors have {} bytes, "
          "the file has {}",
          at, data_size);
  }

  /// Returns the shape of an entry after checking that it matches the size of the data.
  Shape shape_of(const SafetensorsEntry& e, std::uint64_t bits) const {
    Shape shape;
    bool none = false;
    for (const std::uint64_t n : e.shape) {
      if (n > INT64_MAX || (n != 0 && __builtin_mul_overflow(bits, n, &bits)))
        context_.reject(
            "safetensors: overflow computing buffer size from shape and/or element type of '{}'",
            escape_for_message(e.name));
      none |= n == 0;
      shape.push_back(static_cast<std::int64_t>(n));
    }
    if (none) bits = 0;
    if (bits % 8 != 0)
      context_.reject("safetensors: tensor '{}' of dtype {} ends in the middle of a byte",
                      escape_for_message(e.name), escape_for_message(e.dtype));
    if (e.end - e.begin != bits / 8)
      context_.reject(
          "safetensors: invalid shape, data type, or offset for tensor '{}': it has {} bytes, "
          "expected {}",
          escape_for_message(e.name), e.end - e.begin, bits / 8);
    return shape;
  }

  Value tensor(const SafetensorsEntry& e) {
    const std::uint64_t at = header_.data + e.begin;
    if (const auto dtype = find_dtype(&DTypeNames::safetensors, e.dtype)) {
      const Shape shape = shape_of(e, 8 * size_of(*dtype));
      const Tensor flat = context_.elements(at, shape.numel(), *dtype);
      // The tensor is constructed directly, because a view would dispatch an op.
      return context_.apply_map_location(Tensor(Ref<TensorImpl>::adopt(
          new TensorImpl(impl(flat).storage, shape, contiguous_strides(shape), 0, *dtype))));
    }
    const ForeignDType* const foreign = foreign_dtype_of_safetensors(e.dtype);
    if (!foreign)
      context_.reject(
          "safetensors: invalid JSON in header: tensor '{}' has dtype {}, which is not supported",
          escape_for_message(e.name), escape_for_message(e.dtype));
    if (context_.strict())
      context_.reject(
          "safetensors: strict: tensor '{}' of dtype {} is loaded as an opaque value only",
          escape_for_message(e.name), escape_for_message(e.dtype));
    const Shape shape = shape_of(e, static_cast<std::uint64_t>(foreign->bits));
    const auto bytes = static_cast<std::int64_t>(e.end - e.begin);
    return to_value(
        {.dtype = std::string(foreign->name),
         .shape = shape,
         .strides = contiguous_strides(shape),
         .item_bits = foreign->bits,
         .bytes = context_.apply_map_location(context_.elements(at, bytes, DType::u8))});
  }

  LoadContext& context_;
  SafetensorsHeader header_;
};

}  // namespace

Value read_safetensors(LoadContext& context) { return SafetensorsReader(context).read(); }

}  // namespace taper::io
