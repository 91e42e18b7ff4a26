// Loops for vector_loop.h, compiled once per instruction set. A kernel file has the form
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "ops/pointwise/square.cpu.cpp"
//   #include "ops/kernel/vector_loop-inl.h"
//
//   HWY_BEFORE_NAMESPACE();
//   namespace taper::HWY_NAMESPACE {
//   struct SquareLoop {
//     using Op = Square;
//     template <class D, class V> static HWY_INLINE V vector(D, const Op&, V x) {
//       return hn::Mul(x, x);
//     }
//     static std::int64_t integral(const Op&, std::int64_t x) { return x * x; }
//   };
//   TAPER_DEFINE_CPU_KERNEL(Square, SquareLoop)
//   }  // namespace taper::HWY_NAMESPACE
//   HWY_AFTER_NAMESPACE();
//
// A functor has some of these members: `vector` (f32, f64 or both), `scalar` (f32 and f64 without a
// vector form, vectorized by the compiler), `integral` (integers and bool), `exact` (for vectors of
// doubles that hold integers of at most 52 bits, beside `integral`), or only `predicate` (any type,
// returns bool). Their first argument is the attributes, or the result of
// `state(attributes)`, passed as a copy that stores cannot alias, which lets the compiler keep it
// in registers. kGrain: number of elements per thread, smaller than the default for expensive
// functions. kRoundOperands: see LoopTable::exact.
#include "cpu/simd/targets.h"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/bfloat16-inl.h"
#include "cpu/simd/math-inl.h"
#include "ops/kernel/vector_loop.h"

#if defined(TAPER_OPS_KERNEL_VECTOR_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_OPS_KERNEL_VECTOR_LOOP_INL_H_
#undef TAPER_OPS_KERNEL_VECTOR_LOOP_INL_H_
#else
#define TAPER_OPS_KERNEL_VECTOR_LOOP_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math = taper::cpu::HWY_NAMESPACE;

/// Broadcasts a number to all lanes.
template <class D> HWY_INLINE hn::Vec<D> set(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

template <class F> constexpr int operand_count = count_words(F::Op::op.inputs);

/// Base of functors whose computation takes much longer than their memory accesses.
struct ComputeBoundLoop {
  static constexpr std::int64_t kGrain = 1 << 12;
};

template <class F> auto make_state(const void* attributes) {
  const auto& o = *static_cast<const typename F::Op*>(attributes);
  if constexpr (requires { F::state(o); })
    return F::state(o);
  else
    return o;
}

/// Set to true for ops whose results are numbers of the dtype of their operands, without rounding.
template <class O> inline constexpr bool kKeepsNumbers = false;
/// Set to true for ops of two operands that may be exchanged.
template <class O> inline constexpr bool kCommutes = false;

/// If `is_number` is true, the second of two operands is one number.
template <class F, class T, bool is_number = false>
void vector_loop(const void* attributes, const void* const* in, void* out, std::size_t n) {
  constexpr int ins = operand_count<F>;
  const auto o = make_state<F>(attributes);
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto* a = static_cast<const T*>(in[0]);
  const auto* b = ins > 1 ? static_cast<const T*>(in[1]) : a;
  const auto* c = ins > 2 ? static_cast<const T*>(in[2]) : a;
  auto* to = static_cast<T*>(out);
  std::size_t i = 0;
  if constexpr (is_number) {
    const auto number = hn::Set(d, *b);
    for (; i + lanes <= n; i += lanes)
      hn::StoreU(F::vector(d, o, hn::LoadU(d, a + i), number), d, to + i);
    if (i < n)
      math::store_n(F::vector(d, o, math::load_n(d, a + i, n - i), number), d, to + i, n - i);
    return;
  }
  for (; i + lanes <= n; i += lanes) {
    if constexpr (ins == 1)
      hn::StoreU(F::vector(d, o, hn::LoadU(d, a + i)), d, to + i);
    else if constexpr (ins == 2)
      hn::StoreU(F::vector(d, o, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, to + i);
    else
      hn::StoreU(F::vector(d, o, hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::LoadU(d, c + i)), d,
                 to + i);
  }
  const std::size_t rest = n - i;
  if (rest == 0) return;
  if constexpr (ins == 1)
    math::store_n(F::vector(d, o, math::load_n(d, a + i, rest)), d, to + i, rest);
  else if constexpr (ins == 2)
    math::store_n(F::vector(d, o, math::load_n(d, a + i, rest), math::load_n(d, b + i, rest)), d,
                  to + i, rest);
  else
    math::store_n(F::vector(d, o, math::load_n(d, a + i, rest), math::load_n(d, b + i, rest),
                            math::load_n(d, c + i, rest)),
                  d, to + i, rest);
}

#if HWY_TARGET != HWY_SCALAR
/// As vector_loop<F, float>, for operands and results of bfloat16. If `is_number` is true, the
/// second operand is a number of type float.
template <class F, bool is_number>
void bfloat16_loop(const void* attributes, const void* const* in, void* out, std::size_t n) {
  constexpr int ins = operand_count<F>;
  const auto o = make_state<F>(attributes);
  const hn::ScalableTag<float> d;
  const hn::Rebind<std::uint16_t, decltype(d)> half;
  const hn::Repartition<std::uint16_t, decltype(d)> whole;
  const std::size_t lanes = hn::Lanes(d);
  const auto operand = [&](int k) HWY_ATTR {
    return static_cast<const std::uint16_t*>(in[k < ins && !(is_number && k == 1) ? k : 0]);
  };
  const std::uint16_t *const a = operand(0), *const b = operand(1), *const c = operand(2);
  const auto number = hn::Set(d, is_number ? *static_cast<const float*>(in[1]) : 0.0f);
  const auto apply = [&](const auto& load) HWY_ATTR {
    if constexpr (ins == 1)
      return F::vector(d, o, load(a));
    else if constexpr (is_number)
      return F::vector(d, o, load(a), number);
    else if constexpr (ins == 2)
      return F::vector(d, o, load(a), load(b));
    else
      return F::vector(d, o, load(a), load(b), load(c));
  };
  const auto to_bits = [&](auto low, auto high) HWY_ATTR {
    // A number of type float, unlike the elements, need not be one of bfloat16.
    if constexpr (kKeepsNumbers<typename F::Op> && !is_number)
      return hn::ConcatOdd(whole, hn::BitCast(whole, high), hn::BitCast(whole, low));
    else
      return math::bfloat16_bits(d, low, high);
  };
  auto* const to = static_cast<std::uint16_t*>(out);
  std::size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto low = apply([&](const std::uint16_t* p) HWY_ATTR {
      return math::bfloat16_values(d, hn::LoadU(half, p + i));
    });
    const auto high = apply([&](const std::uint16_t* p) HWY_ATTR {
      return math::bfloat16_values(d, hn::LoadU(half, p + i + lanes));
    });
    hn::StoreU(to_bits(low, high), whole, to + i);
  }
  for (; i < n; i += lanes) {
    const std::size_t rest = n - i < lanes ? n - i : lanes;
    const auto values = apply([&](const std::uint16_t* p) HWY_ATTR {
      return math::bfloat16_values(d, math::load_n(half, p + i, rest));
    });
    math::store_n(to_bits(values, hn::Zero(d)), whole, to + i, rest);
  }
}
#endif

/// Defines the loop `name`, which applies the member `function` of a functor to each i in [0, n).
#define TAPER_DEFINE_LOOP(name, function, Out)                                         \
  template <class F, class T>                                                          \
  void name(const void* attributes, const void* const* in, void* out, std::size_t n) { \
    constexpr int ins = operand_count<F>;                                              \
    const auto o = make_state<F>(attributes);                                          \
    const auto* a = static_cast<const T*>(in[0]);                                      \
    const auto* b = ins > 1 ? static_cast<const T*>(in[1]) : a;                        \
    const auto* c = ins > 2 ? static_cast<const T*>(in[2]) : a;                        \
    auto* to = static_cast<Out*>(out);                                                 \
    for (std::size_t i = 0; i < n; ++i) {                                              \
      if constexpr (ins == 1)                                                          \
        to[i] = static_cast<Out>(F::function(o, a[i]));                                \
      else if constexpr (ins == 2)                                                     \
        to[i] = static_cast<Out>(F::function(o, a[i], b[i]));                          \
      else                                                                             \
        to[i] = static_cast<Out>(F::function(o, a[i], b[i], c[i]));                    \
    }                                                                                  \
  }
TAPER_DEFINE_LOOP(scalar_loop, scalar, T)
TAPER_DEFINE_LOOP(integral_loop, integral, T)
TAPER_DEFINE_LOOP(predicate_loop, predicate, std::uint8_t)
#undef TAPER_DEFINE_LOOP

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
/// As integral_loop, for two operands: vectors of integers that doubles can hold are computed by
/// F::exact, because integers are not divided by vector instructions.
template <class F>
void exact_integral_loop(const void* attributes, const void* const* in, void* out, std::size_t n) {
  const auto o = make_state<F>(attributes);
  const hn::ScalableTag<std::int64_t> d;
  const hn::ScalableTag<double> real;
  const std::size_t lanes = hn::Lanes(d);
  const auto* a = static_cast<const std::int64_t*>(in[0]);
  const auto* b = static_cast<const std::int64_t*>(in[1]);
  auto* to = static_cast<std::int64_t*>(out);
  const auto high = hn::Set(d, std::int64_t{1} << 52), low = hn::Neg(high);
  for (std::size_t i = 0; i < n; i += lanes) {
    if (i + lanes <= n) {
      const auto x = hn::LoadU(d, a + i), y = hn::LoadU(d, b + i);
      if (hn::AllFalse(d, hn::Or(hn::Gt(hn::Max(x, y), high), hn::Gt(low, hn::Min(x, y))))) {
        const auto value = F::exact(o, hn::ConvertTo(real, x), hn::ConvertTo(real, y));
        hn::StoreU(hn::ConvertTo(d, value), d, to + i);
        continue;
      }
    }
    for (std::size_t k = i; k < n && k < i + lanes; ++k) to[k] = F::integral(o, a[k], b[k]);
  }
}
#endif

/// As predicate_loop, for bool.
template <class F>
void bool_loop(const void* attributes, const void* const* in, void* out, std::size_t n) {
  constexpr int ins = operand_count<F>;
  const auto o = make_state<F>(attributes);
  const auto* a = static_cast<const std::uint8_t*>(in[0]);
  const auto* b = ins > 1 ? static_cast<const std::uint8_t*>(in[1]) : a;
  auto* to = static_cast<std::uint8_t*>(out);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (ins == 1)
      to[i] = F::predicate(o, a[i] != 0);
    else
      to[i] = F::predicate(o, a[i] != 0, b[i] != 0);
  }
}

/// Returns the loop of F for float or double T, or null if F has neither `vector` nor `scalar`.
template <class F, class T> constexpr kernel::Loop float_loop() {
  if constexpr (requires { &F::template vector<hn::ScalableTag<T>, hn::Vec<hn::ScalableTag<T>>>; })
    return vector_loop<F, T>;
  else if constexpr (requires { &F::template scalar<T>; })
    return scalar_loop<F, T>;
  else
    return nullptr;
}

template <class F> constexpr kernel::LoopTable make_loops() {
  kernel::LoopTable l;
  l.f32 = float_loop<F, float>(), l.f64 = float_loop<F, double>();
#if HWY_TARGET != HWY_SCALAR
  using F32 = hn::ScalableTag<float>;
  if constexpr (requires { &F::template vector<F32, hn::Vec<F32>>; }) {
    l.bf16 = bfloat16_loop<F, false>;
    if constexpr (operand_count<F> == 2)
      l.f32_number = vector_loop<F, float, true>, l.bf16_number = bfloat16_loop<F, true>;
  }
#endif
  if constexpr (requires { &F::integral; }) l.i64 = integral_loop<F, std::int64_t>;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if constexpr (requires { &F::template exact<hn::Vec<hn::ScalableTag<double>>>; })
    l.i64 = exact_integral_loop<F>;
#endif
  if constexpr (requires { &F::template predicate<float>; }) {
    l.f32 = predicate_loop<F, float>, l.f64 = predicate_loop<F, double>,
    l.i64 = predicate_loop<F, std::int64_t>;
    if constexpr (operand_count<F> <= 2) l.b8 = bool_loop<F>;
    l.returns_bool = true;
  }
  l.commutes = kCommutes<typename F::Op>;
  if constexpr (requires { F::kGrain; }) l.grain = F::kGrain;
  if constexpr (requires { F::kRoundOperands; }) l.exact = F::kRoundOperands;
  return l;
}

/// Defines name_loops(), selected by HWY_DYNAMIC_DISPATCH.
#define TAPER_LOOP_TABLE(name, F)                           \
  static const kernel::LoopTable* name##_loops() {          \
    static constexpr kernel::LoopTable l = make_loops<F>(); \
    return &l;                                              \
  }
/// Defines the CPU kernel of op O. cpu_kernel<O> is outside of the namespaces of the instruction
/// sets, and therefore defined once, in the last pass.
#undef TAPER_DEFINE_CPU_KERNEL
#if HWY_ONCE
#define TAPER_DEFINE_CPU_KERNEL(O, F)                                          \
  TAPER_LOOP_TABLE(O, F)                                                       \
  }                                                                            \
  HWY_AFTER_NAMESPACE();                                                       \
  namespace taper {                                                            \
  HWY_EXPORT(O##_loops);                                                       \
  template <> bool cpu_kernel(const O& o, const KernelArgs& k) {               \
    kernel::check_elements<O>(k);                                              \
    return kernel::run_elementwise(*HWY_DYNAMIC_DISPATCH(O##_loops)(), &o, k); \
  }                                                                            \
  }                                                                            \
  HWY_BEFORE_NAMESPACE();                                                      \
  namespace taper::HWY_NAMESPACE {
#else
#define TAPER_DEFINE_CPU_KERNEL(O, F) TAPER_LOOP_TABLE(O, F)
#endif

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
