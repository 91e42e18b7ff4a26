// frexp and nextafter, which depend on the representation of numbers.
#include <bit>

#include "ops/kernel/reference.h"
#include "ops/pointwise/elementary.h"

namespace taper {
namespace {

/// Returns the next number after `x` toward `y` of a 16-bit format whose infinity has these bits.
/// Numbers of one sign are ordered as their bits.
std::uint16_t next_16_bits(std::uint16_t x, std::uint16_t y, std::uint16_t infinity) {
  const auto magnitude = [](std::uint16_t v) { return static_cast<std::uint16_t>(v & 0x7fff); };
  if (magnitude(x) > infinity) return x;  // NaN
  if (magnitude(y) > infinity) return y;
  if (x == y || (magnitude(x) == 0 && magnitude(y) == 0)) return y;
  if (magnitude(x) == 0) return static_cast<std::uint16_t>((y & 0x8000) | 1);
  const bool away = (x & 0x8000) == (y & 0x8000) && magnitude(x) < magnitude(y);
  return static_cast<std::uint16_t>(away ? x + 1 : x - 1);
}

/// Calls `next` for the elements of the operands converted to T, the type of the result.
template <class T, class F> void map_in_type(const KernelArgs& k, F next) {
  const View &a = k.in[0], &b = k.in[1], &out = k.out[0];
  kernel::walk(*out.shape, std::array<const View*, 3>{&a, &b, &out},
               [&](const std::array<std::int64_t, 3>& at) {
                 const auto operand = [&](const View& v, std::int64_t offset) {
                   alignas(8) T value;
                   kernel::convert(reinterpret_cast<std::byte*>(&value), out.dtype, v.data + offset,
                                   v.dtype);
                   return value;
                 };
                 *reinterpret_cast<T*>(out.data + at[2]) =
                     next(operand(a, at[0]), operand(b, at[1]));
               });
}

}  // namespace

template <> void reference_kernel(const Nextafter&, const KernelArgs& k) {
  const DType dtype = k.out[0].dtype;
  if (dtype == DType::f64)
    map_in_type<double>(k, [](double x, double y) { return std::nextafter(x, y); });
  else if (dtype == DType::f32)
    map_in_type<float>(k, [](float x, float y) { return std::nextafter(x, y); });
  else
    map_in_type<std::uint16_t>(k, [dtype](std::uint16_t x, std::uint16_t y) {
      return next_16_bits(x, y, dtype == DType::f16 ? 0x7c00 : 0x7f80);
    });
}
void Nextafter::backward(BackwardContext<Nextafter>& b) const {
  if (b.needs_input_grad(0)) b[0] = where(b.input<0>() == b.input<1>(), 0, b.grad());
  if (b.needs_input_grad(1)) b[1] = zero_grad_for(b, 1);
}
TAPER_DEFINE_OP(nextafter, Nextafter);
TAPER_ALL_FORMS(Elementary, nextafter, (const Tensor& other), Nextafter{}, other)

void Frexp::infer(ShapeInference& i) const {
  i.set_output(i.shape(0), i.dtype(0));
  i.set_output(i.shape(0), DType::i32);
}
void Frexp::backward(BackwardContext<Frexp>& b) const {
  b[0] = b.grad() * (-b.output<1>()).to(b.grad().dtype()).exp2();
}
template <> void reference_kernel(const Frexp&, const KernelArgs& k) {
  const View &in = k.in[0], &mantissa = k.out[0], &exponent = k.out[1];
  kernel::walk(*in.shape, std::array<const View*, 3>{&in, &mantissa, &exponent},
               [&](const std::array<std::int64_t, 3>& at) {
                 int e = 0;
                 const double x = kernel::load<double>(in.data + at[0], in.dtype);
                 const double m = std::frexp(x, &e);
                 if (!std::isfinite(x)) e = 0;
                 kernel::store(mantissa.data + at[1], mantissa.dtype, m);
                 kernel::store(exponent.data + at[2], exponent.dtype, std::int64_t{e});
               });
}
TAPER_DEFINE_OP(frexp, Frexp);

std::pair<Tensor, Tensor> frexp(const Tensor& input) {
  auto [mantissa, exponent] = run_all(Frexp{}, input);
  return {std::move(mantissa), std::move(exponent)};
}
std::pair<Tensor, Tensor> ops::ElementaryMethods::frexp() const {
  return taper::frexp(self_of(this));
}

}  // namespace taper
