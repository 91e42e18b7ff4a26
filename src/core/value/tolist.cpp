// Tensor::tolist.
#include "core/check.h"
#include "core/element.h"
#include "core/tensor_impl.h"
#include "taper/core/value.h"

namespace taper {
namespace {

Value number_at(const std::byte* element, DType dtype) {
  return visit_dtype(dtype, [&]<class T>(T) -> Value {
    T x;
    std::memcpy(&x, element, sizeof x);
    if constexpr (std::is_same_v<T, bool>) {
      return Value(x);
    } else if constexpr (std::is_integral_v<T>) {
      if (!std::in_range<std::int64_t>(x))
        fail<ValueError>("tolist: value cannot be converted to int64 without overflow: got {}", x);
      return Value(static_cast<std::int64_t>(x));
    } else {
      return Value(element_cast<double>(x));
    }
  });
}

/// Returns the elements of dimension `d` and those after it, which begin at `element`.
Value list_at(const TensorImpl& t, const std::byte* element, std::size_t d) {
  if (d == t.shape.size()) return number_at(element, t.dtype);
  Values items;
  const std::int64_t step = t.strides[d] * static_cast<std::int64_t>(size_of(t.dtype));
  for (std::int64_t i = 0; i < t.shape[d]; ++i)
    items.push_back(list_at(t, element + i * step, d + 1));
  return Value::list(std::move(items));
}

}  // namespace

Value Tensor::tolist() const {
  if (device().is_meta())
    fail<NotImplementedError>("tolist: Cannot copy out of meta tensor; no data!");
  const Tensor host = detach().cpu();
  const TensorImpl& t = taper::impl(host);
  return list_at(t, t.storage->row_major_buffer().data + t.byte_offset(), 0);
}

}  // namespace taper
