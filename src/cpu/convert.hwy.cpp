// Conversions, vectorized for each instruction set by the compiler or, for Half, with vectors.
#include "cpu/convert.h"

#include <bit>

#include "core/element.h"
#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/convert.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace {

/// Bits of the bfloat16 nearest to a float, without branches; see BFloat16.
HWY_INLINE std::uint16_t bfloat16_bits(float value) {
  const auto u = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
  return static_cast<std::uint16_t>((u & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}

// Bits of Half and of float, each exactly as Half converts them. Compilers do not vectorize these
// selections in loops.
using F32 = hn::ScalableTag<float>;
using U32 = hn::RebindToUnsigned<F32>;
using U16 = hn::Rebind<std::uint16_t, F32>;

HWY_INLINE hn::Vec<F32> half_values(hn::Vec<U16> bits) {
  const F32 f;
  const U32 u;
  const hn::RebindToSigned<F32> i;
  const auto all = hn::PromoteTo(u, bits), magnitude = hn::And(all, hn::Set(u, 0x7fffu));
  const auto sign = hn::ShiftLeft<16>(hn::Xor(all, magnitude));
  const auto offset = hn::Set(u, 0x38000000u);
  const auto normal = hn::Add(hn::ShiftLeft<13>(magnitude), offset);
  const auto subnormal = hn::Mul(hn::ConvertTo(f, hn::BitCast(i, magnitude)), hn::Set(f, 0x1p-24f));
  auto value =
      hn::IfThenElse(hn::Gt(magnitude, hn::Set(u, 0x3ffu)), normal, hn::BitCast(u, subnormal));
  value = hn::Add(value, hn::IfThenElseZero(hn::Gt(magnitude, hn::Set(u, 0x7bffu)), offset));
  return hn::BitCast(f, hn::Or(sign, value));
}

HWY_INLINE hn::Vec<U16> half_bits(hn::Vec<F32> values) {
  const F32 f;
  const U32 u;
  const auto all = hn::BitCast(u, values), magnitude = hn::And(all, hn::Set(u, 0x7fffffffu));
  const auto sign = hn::ShiftRight<16>(hn::Xor(all, magnitude));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(u, 1u));
  const auto normal =
      hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, hn::Set(u, 0x38000000u - 0xfffu)), odd));
  const auto subnormal =
      hn::Sub(hn::BitCast(u, hn::Add(hn::BitCast(f, magnitude), hn::Set(f, 0.5f))),
              hn::Set(u, 0x3f000000u));
  auto half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(u, 0x38800000u)), subnormal, normal);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(u, 0x477fefffu)), hn::Set(u, 0x7c00u), half);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(u, 0x7f800000u)), hn::Set(u, 0x7e00u), half);
  return hn::TruncateTo(U16(), hn::Or(sign, half));
}

/// Stores f(vector) for all elements.
template <class ToTag, class FromTag, class F>
HWY_INLINE void transform(ToTag to_tag, hn::TFromD<ToTag>* to, FromTag from_tag,
                          const hn::TFromD<FromTag>* from, std::int64_t n, F&& f) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(to_tag));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(from_tag, from + i)), to_tag, to + i);
  if (const auto rest = static_cast<std::size_t>(n - i))
    store_n(f(load_n(from_tag, from + i, rest)), to_tag, to + i, rest);
}

template <class To, class From> HWY_INLINE To convert_one(From x) {
  // The conversion of a number within the range of int64 needs no branch.
  if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool> &&
                std::is_floating_point_v<From>) {
    const bool in_range = x >= From(-0x1p63) && x < From(0x1p63);
    return static_cast<To>(static_cast<std::int64_t>(in_range ? x : From(-0x1p63)));
  } else {
    return element_cast<To>(x);
  }
}

template <class To, class From>
void convert_run(std::byte* to, const std::byte* from, std::int64_t n) {
  if constexpr (std::is_same_v<From, BFloat16>) {
    auto* const t = reinterpret_cast<float*>(to);
    auto* const f = reinterpret_cast<const std::uint16_t*>(from);
    for (std::int64_t i = 0; i < n; ++i)
      t[i] = std::bit_cast<float>(static_cast<std::uint32_t>(f[i]) << 16);
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    auto* const t = reinterpret_cast<std::uint16_t*>(to);
    auto* const f = reinterpret_cast<const float*>(from);
    for (std::int64_t i = 0; i < n; ++i) t[i] = bfloat16_bits(f[i]);
  } else if constexpr (std::is_same_v<From, Half>) {
    auto* const t = reinterpret_cast<float*>(to);
    auto* const f = reinterpret_cast<const std::uint16_t*>(from);
    transform(F32(), t, U16(), f, n, [](auto v) HWY_ATTR { return half_values(v); });
  } else if constexpr (std::is_same_v<To, Half>) {
    auto* const t = reinterpret_cast<std::uint16_t*>(to);
    auto* const f = reinterpret_cast<const float*>(from);
    transform(U16(), t, F32(), f, n, [](auto v) HWY_ATTR { return half_bits(v); });
  } else if constexpr (std::is_same_v<From, bool>) {
    auto* const t = reinterpret_cast<To*>(to);
    auto* const f = reinterpret_cast<const std::uint8_t*>(from);
    for (std::int64_t i = 0; i < n; ++i) t[i] = static_cast<To>(f[i] != 0 ? 1 : 0);
  } else if constexpr (std::is_same_v<To, bool>) {
    auto* const t = reinterpret_cast<std::uint8_t*>(to);
    auto* const f = reinterpret_cast<const From*>(from);
    for (std::int64_t i = 0; i < n; ++i) t[i] = f[i] != From(0);
  } else {
    auto* const t = reinterpret_cast<To*>(to);
    auto* const f = reinterpret_cast<const From*>(from);
    for (std::int64_t i = 0; i < n; ++i) t[i] = convert_one<To>(f[i]);
  }
}

template <class To> ConvertRun conversion_to(DType from) {
  constexpr bool kFloat = std::is_same_v<To, float>, kInt64 = std::is_same_v<To, std::int64_t>;
  switch (from) {
    case DType::f16:
      if constexpr (kFloat) return convert_run<To, Half>;
      return nullptr;
    case DType::bf16:
      if constexpr (kFloat) return convert_run<To, BFloat16>;
      return nullptr;
    case DType::f64:
      if constexpr (kFloat || kInt64) return convert_run<To, double>;
      return nullptr;
    case DType::f32:
      if constexpr (!kFloat) return convert_run<To, float>;
      return nullptr;
    case DType::i64:
      if constexpr (!kInt64 && !is_narrow_float<To>) return convert_run<To, std::int64_t>;
      return nullptr;
    case DType::i32:
      if constexpr (kFloat || kInt64) return convert_run<To, std::int32_t>;
      return nullptr;
    case DType::u8:
      if constexpr (kFloat || kInt64) return convert_run<To, std::uint8_t>;
      return nullptr;
    case DType::bool_:
      if constexpr (kFloat || kInt64) return convert_run<To, bool>;
      return nullptr;
    default: return nullptr;
  }
}

ConvertRun find(DType to, DType from) {
  switch (to) {
    case DType::f16: return conversion_to<Half>(from);
    case DType::bf16: return conversion_to<BFloat16>(from);
    case DType::f32: return conversion_to<float>(from);
    case DType::f64: return conversion_to<double>(from);
    case DType::i64: return conversion_to<std::int64_t>(from);
    case DType::i32: return conversion_to<std::int32_t>(from);
    case DType::u8: return conversion_to<std::uint8_t>(from);
    case DType::bool_: return conversion_to<bool>(from);
    default: return nullptr;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu {

HWY_EXPORT(find);

ConvertRun find_conversion(DType to, DType from) { return HWY_DYNAMIC_DISPATCH(find)(to, from); }

}  // namespace taper::cpu
#endif
