#include "ops/random/fill.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/check.h"
#include "ops/kernel/reference.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

/// View with permuted dimensions.
struct PermutedView {
  Shape shape, strides;
  View view;

  PermutedView(const View& v, const Shape& dims) : shape(*v.shape), strides(*v.strides), view(v) {
    for (std::size_t k = 0; k < dims.size(); ++k) {
      shape[k] = (*v.shape)[static_cast<std::size_t>(dims[k])];
      strides[k] = (*v.strides)[static_cast<std::size_t>(dims[k])];
    }
    view.shape = &shape, view.strides = &strides;
  }
  PermutedView(const PermutedView&) = delete;
  PermutedView& operator=(const PermutedView&) = delete;

  bool is_dense() const { return is_contiguous(shape, strides); }
  /// Calls f(p) with the address of each element.
  template <class F> void each(F&& f) const {
    kernel::walk(shape, std::array<const View*, 1>{&view},
                 [&](const std::array<std::int64_t, 1>& at) { f(view.data + at[0]); });
  }
};

}  // namespace

FillBuffer::FillBuffer(const View& out, const Shape& logical_strides) : out_(out) {
  dims_.resize(out.shape->size());
  std::iota(dims_.begin(), dims_.end(), 0);
  if (!logical_strides.empty())
    std::stable_sort(dims_.begin(), dims_.end(), [&](std::int64_t a, std::int64_t b) {
      return logical_strides[static_cast<std::size_t>(a)] >
             logical_strides[static_cast<std::size_t>(b)];
    });
  if (PermutedView(out, dims_).is_dense()) {
    memory_ = out.data;
  } else {
    buffer_.resize(static_cast<std::size_t>(out.numel) * size_of(out.dtype));
    memory_ = buffer_.data();
  }
}

std::vector<std::byte> FillBuffer::gather(const View& in) const {
  const std::size_t size = size_of(in.dtype);
  std::vector<std::byte> elements(static_cast<std::size_t>(in.numel) * size);
  std::byte* to = elements.data();
  PermutedView(in, dims_).each([&](const std::byte* from) {
    std::memcpy(to, from, size);
    to += size;
  });
  return elements;
}

void FillBuffer::finish() {
  if (buffer_.empty()) return;
  const std::size_t size = size_of(out_.dtype);
  const std::byte* from = buffer_.data();
  PermutedView(out_, dims_).each([&](std::byte* to) {
    std::memcpy(to, from, size);
    from += size;
  });
}

void RandomFill::backward(BackwardContextBase& b) const {
  const TensorMeta& m = b.input_meta(0);
  if (b.needs_input_grad(0)) b[0] = zeros(m.shape, {.dtype = m.dtype, .device = m.device});
}

namespace {
[[noreturn]] void throw_dtype_error(std::string_view function, DType dtype) {
  fail<DTypeError>(
      "{}: not implemented for this element type: got {}, expected a floating-point type", function,
      dtype);
}

std::string in_place_name(const ShapeInference& infer) { return std::string(infer.op.name) + "_"; }
}  // namespace

void random_dtype_error(const ShapeInference& infer) {
  throw_dtype_error(infer.op.function(), infer.common);
}
void fill_dtype_error(const ShapeInference& infer) {
  throw_dtype_error(in_place_name(infer), infer.common);
}

void check_floating_point(const ShapeInference& infer, int i) {
  if (!is_floating_point(infer.dtype(i))) throw_dtype_error(in_place_name(infer), infer.dtype(i));
}

}  // namespace taper
