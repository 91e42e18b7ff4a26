#include "ops/pointwise/clamp.h"

#include "core/number_range.h"
#include "ops/kernel/reference.h"
#include "ops/pointwise/binary.h"

namespace taper {
namespace {

constexpr const char* kMissingBoundsMessage = "At least one of 'min' or 'max' must not be None";

/// Throws RuntimeError unless the elements of `dtype` can be clamped to the bounds. An integer
/// bound out of the range of `dtype` is allowed if it excludes no element, as in PyTorch.
void check_bounds(const ShapeInference& i, DType dtype, const std::optional<Scalar>& min,
                  const std::optional<Scalar>& max) {
  if (is_floating_point(dtype)) {
    if (min) i.check_range(*min, dtype);
    if (max) i.check_range(*max, dtype);
    return;
  }
  if (dtype == DType::bool_) return;
  const NumberRange& range = number_range_of(dtype);
  const auto reject = [&](const char* bound, const Scalar& value) {
    i.fail<RuntimeError>("Clamp {} value {} is outside the representable range of {}", bound, value,
                         names_of(dtype).scalar);
  };
  if (min && min->to_int() > range.highest) reject("min", *min);
  if (max && max->to_int() < (is_signed(dtype) ? range.lowest : 0)) reject("max", *max);
}

void clamp_elements(const KernelArgs& k, const std::optional<Scalar>& min,
                    const std::optional<Scalar>& max) {
  kernel::map<1>(in_output_dtype(k), [&]<class T>(T x) {
    if (min) x = kernel::nan_max(x, kernel::scalar_to<T>(*min));
    if (max) x = kernel::nan_min(x, kernel::scalar_to<T>(*max));
    return x;
  });
}

}  // namespace

void Clamp::infer(ShapeInference& i) const {
  if (!min && !max) i.fail<ValueError>(kMissingBoundsMessage);
  const DType result = promote_with_number(promote_with_number(i.common, min), max);
  check_bounds(i, result, min, max);
  i.set_output(i.shape(0), result);
}
void ClampMin::infer(ShapeInference& i) const {
  const DType result = promote_with_number(i.common, min);
  check_bounds(i, result, min, {});
  i.set_output(i.shape(0), result);
}
void ClampMax::infer(ShapeInference& i) const {
  const DType result = promote_with_number(i.common, max);
  check_bounds(i, result, {}, max);
  i.set_output(i.shape(0), result);
}
void ClampTensor::infer(ShapeInference& i) const {
  if (!i.has(1) && !i.has(2)) i.fail<ValueError>(kMissingBoundsMessage);
  if (i.has(1) && i.has(2) && i.common == DType::bool_) i.reject_dtype(i.common);
  i.set_broadcast_output();
}

void Clamp::backward(BackwardContext<Clamp>& b) const {
  const Tensor x = b.input<0>();
  const Tensor inside = !max ? x > *min : !min ? x < *max : (x > *min).logical_and(x < *max);
  b[0] = where(inside, b.grad(), 0);
}
void ClampMin::backward(BackwardContext<ClampMin>& b) const {
  b[0] = where(b.input<0>() > min, b.grad(), 0);
}
void ClampMax::backward(BackwardContext<ClampMax>& b) const {
  b[0] = where(b.input<0>() < max, b.grad(), 0);
}
void ClampTensor::backward(BackwardContext<ClampTensor>& b) const {
  const Tensor x = b.input<0>(), min = b.input<1>(), max = b.input<2>(), g = b.grad();
  if (!min.defined() || !max.defined()) {
    const Tensor& y = min.defined() ? min : max;
    const Tensor below = x<y, above = x> y, shared = where(x == y, g / 2, g);
    if (b.needs_input_grad(0)) b[0] = where(min.defined() ? below : above, 0, shared);
    if (b.needs_input_grad(min.defined() ? 1 : 2))
      b[min.defined() ? 1 : 2] = where(min.defined() ? above : below, 0, shared);
    return;
  }
  const Tensor between = min < max, ordered = min <= max;
  const Tensor at_min = (x == min).logical_and(between), at_max = (x == max).logical_and(between);
  const Tensor half = g / 2;
  if (b.needs_input_grad(0))
    b[0] = where((x < min).logical_or(x > max), 0, where(at_min.logical_or(at_max), half, g));
  if (b.needs_input_grad(1))
    b[1] = where((x < min).logical_and(ordered), g, where(at_min, half, 0));
  if (b.needs_input_grad(2))
    b[2] = where((x > max).logical_and(ordered).logical_or(max < min), g, where(at_max, half, 0));
}

template <> void reference_kernel(const Clamp& o, const KernelArgs& k) {
  clamp_elements(k, o.min, o.max);
}
template <> void reference_kernel(const ClampMin& o, const KernelArgs& k) {
  clamp_elements(k, o.min, {});
}
template <> void reference_kernel(const ClampMax& o, const KernelArgs& k) {
  clamp_elements(k, {}, o.max);
}
template <> void reference_kernel(const ClampTensor&, const KernelArgs& k) {
  if (k.has(1) && k.has(2))
    return kernel::map<3>(k, []<class T>(T x, T min, T max) {
      return kernel::nan_min(kernel::nan_max(x, min), max);
    });
  const View operands[] = {k.in[0], k.in[k.has(1) ? 1 : 2]};
  const KernelArgs args{operands, k.out, k.compute};
  return k.has(1) ? reference_kernel(Maximum{}, args) : reference_kernel(Minimum{}, args);
}

TAPER_DEFINE_OP(clamp, Clamp);
TAPER_DEFINE_OP(clamp_min, ClampMin);
TAPER_DEFINE_OP(clamp_max, ClampMax);
TAPER_DEFINE_OP(clamp_tensor, ClampTensor);

TAPER_ALL_FORMS(Pointwise, clamp, (std::optional<Scalar> min, std::optional<Scalar> max),
                (Clamp{min, max}))
TAPER_ALL_FORMS(Pointwise, clamp, (const Tensor& min, const Tensor& max), ClampTensor{}, min, max)
TAPER_ALL_FORMS(Pointwise, clamp_min, (const Scalar& min), ClampMin{min})
TAPER_ALL_FORMS(Pointwise, clamp_max, (const Scalar& max), ClampMax{max})
TAPER_ALL_FORMS(Pointwise, clamp_min, (const Tensor& min), ClampMinTensor{}, min)
TAPER_ALL_FORMS(Pointwise, clamp_max, (const Tensor& max), ClampMaxTensor{}, max)

}  // namespace taper
