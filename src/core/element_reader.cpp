#include "core/element_reader.h"

#include <algorithm>
#include <cstring>

#include "core/dtype_table.h"
#include "core/element.h"
#include "core/tensor_impl.h"

namespace taper {

namespace {

template <class S, class T> void copy(const std::byte* from, std::int64_t step, std::span<T> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    S value;  // copied, because the memory of a mapped file may be unaligned
    std::memcpy(&value, from + static_cast<std::int64_t>(i) * step * static_cast<int>(sizeof(S)),
                sizeof value);
    to[i] = element_cast<T>(value);
  }
}

template <class T>
void copy_converted(DType type, const std::byte* from, std::int64_t step, std::span<T> to) {
  // A bool in a file may be stored as any nonzero byte.
  visit_dtype(type, [&]<class S>(S) {
    copy<std::conditional_t<std::is_same_v<S, bool>, std::uint8_t, S>>(from, step, to);
  });
}

}  // namespace

template <class T> ElementReader<T>::ElementReader(const Tensor& t)
    : tensor_(t), dtype_(t.dtype()), remaining_(t.numel()) {
  if (!has_host_elements(t) || remaining_ == 0) {
    remaining_ = 0;
    return;
  }
  const TensorImpl& body = *t.impl();
  data_ = body.storage->row_major_buffer().data + body.byte_offset();
  if (body.contiguous) {
    length_ = remaining_;
    return;
  }
  shape_ = body.shape, strides_ = body.strides;
  length_ = shape_.back(), step_ = strides_.back();
  shape_.erase(shape_.size() - 1), strides_.erase(strides_.size() - 1);
  index_.resize(shape_.size(), 0);
}

template <class T> std::size_t ElementReader<T>::read(std::span<T> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size() && remaining_ > 0) {
    const auto n = std::min<std::size_t>(buffer.size() - filled,
                                         static_cast<std::size_t>(length_ - position_));
    copy_converted(
        dtype_, data_ + (offset_ + position_ * step_) * static_cast<std::int64_t>(size_of(dtype_)),
        step_, buffer.subspan(filled, n));
    filled += n;
    advance(static_cast<std::int64_t>(n));
  }
  return filled;
}

template <class T> void ElementReader<T>::advance(std::int64_t count) {
  remaining_ -= count, position_ += count;
  if (position_ < length_) return;
  position_ = 0;
  for (std::size_t d = shape_.size(); d-- > 0;) {
    offset_ += strides_[d];
    if (++index_[d] < shape_[d]) return;
    offset_ -= strides_[d] * shape_[d];
    index_[d] = 0;
  }
}

template class ElementReader<double>;
template class ElementReader<std::int64_t>;

bool has_host_elements(const Tensor& t) {
  return t.defined() && t.impl()->lazy == LazyKind::no && t.device().is_cpu();
}

DistinctElements distinct_elements(const Tensor& t) {
  DistinctElements d{t.detach()};
  if (!has_host_elements(t) || t.numel() == 0) return d;
  for (std::int64_t i = 0; i < t.dim(); ++i)
    if (t.stride(i) == 0 && t.size(i) > 1) {
      d.tensor = d.tensor.narrow(i, 0, 1);
      d.repeated *= t.size(i);
    }
  return d;
}

bool is_heavily_overlapping(const Tensor& t) {
  constexpr std::int64_t kSmallNumel = 1 << 20;
  if (!has_host_elements(t)) return false;
  const auto stored_elements =
      static_cast<std::int64_t>(t.impl()->storage->bytes() / size_of(t.dtype()));
  return t.numel() > kSmallNumel && t.numel() / 4 > stored_elements;
}

}  // namespace taper
