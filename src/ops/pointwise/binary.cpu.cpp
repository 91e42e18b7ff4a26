#include "ops/pointwise/binary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/binary.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "ops/pointwise/extremes-inl.h"
#include "ops/pointwise/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

TAPER_TEST_LOOP(Eq)
TAPER_TEST_LOOP(Ge)
TAPER_TEST_LOOP(Gt)
TAPER_TEST_LOOP(Le)
TAPER_TEST_LOOP(Lt)
TAPER_TEST_LOOP(Ne)
TAPER_TEST_LOOP(LogicalAnd)
TAPER_TEST_LOOP(LogicalOr)
TAPER_TEST_LOOP(LogicalXor)
TAPER_BINARY_LOOP(Div, cheap, hn::Div(a, b))
TAPER_BINARY_LOOP(Mul, cheap, hn::Mul(a, b))
TAPER_BINARY_LOOP(ClampMaxTensor, cheap, lesser(a, b))
TAPER_BINARY_LOOP(ClampMinTensor, cheap, greater(a, b))
TAPER_BINARY_LOOP(Maximum, cheap, greater(a, b))
TAPER_BINARY_LOOP(Minimum, cheap, lesser(a, b))
TAPER_BINARY_LOOP(SigmoidBackward, cheap, hn::Mul(hn::Mul(a, b), hn::Sub(set(d, 1), b)))
TAPER_BINARY_LOOP(TanhBackward, cheap, hn::Mul(a, hn::NegMulAdd(b, b, set(d, 1))))
TAPER_BINARY_LOOP(
    HardswishBackward, cheap,
    hn::IfThenZeroElse(hn::Le(b, set(d, -3)),
                       hn::IfThenElse(hn::Lt(b, set(d, 3)),
                                      hn::Mul(a, hn::MulAdd(b, set(d, 1.0 / 3), set(d, 0.5))), a)))

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
