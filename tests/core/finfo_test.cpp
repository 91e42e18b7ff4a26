// finfo, iinfo and the settings of determinism and precision.
#include "taper/core/finfo.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/contains.h"
#include "support/error_text.h"
#include "support/warning_capture.h"
#include "taper/core/deterministic.h"
#include "taper/core/error.h"

namespace {

using namespace taper;
using taper::test::contains, taper::test::error_text, taper::test::WarningCapture;

TEST(Finfo, StatesLimits) {
  const finfo f32(float32);
  EXPECT_EQ(f32.eps, std::numeric_limits<float>::epsilon());
  EXPECT_EQ(f32.max, std::numeric_limits<float>::max());
  EXPECT_EQ(f32.min, std::numeric_limits<float>::lowest());
  EXPECT_EQ(f32.tiny, std::numeric_limits<float>::min());
  EXPECT_EQ(finfo(float64).max, std::numeric_limits<double>::max());
  EXPECT_EQ(finfo(float64).smallest_normal, std::numeric_limits<double>::min());
  EXPECT_EQ(finfo(float16).max, 65504);
  EXPECT_EQ(finfo(float16).eps, 0.0009765625);
  EXPECT_EQ(finfo(bfloat16).max, 3.3895313892515355e+38);
  EXPECT_EQ(finfo(bfloat16).bits, 16);
  EXPECT_EQ(finfo().dtype, float32);
  EXPECT_EQ(f32.str(),
            "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, "
            "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)");
  EXPECT_TRUE(contains(error_text<TypeError>([] { (void)finfo(int8); }), "Use iinfo"));
}

TEST(Iinfo, StatesLimits) {
  EXPECT_EQ(iinfo(int8).min, -128);
  EXPECT_EQ(iinfo(int64).max, 9223372036854775807u);
  EXPECT_EQ(iinfo(uint64).max, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(iinfo(uint16).bits, 16);
  EXPECT_EQ(iinfo(int32).str(), "iinfo(min=-2.14748e+09, max=2.14748e+09, dtype=int32)");
  EXPECT_TRUE(contains(error_text<TypeError>([] { (void)iinfo(float32); }), "Use finfo"));
  EXPECT_TRUE(contains(error_text<TypeError>([] { (void)iinfo(bool_); }), "got bool"));
}

TEST(Deterministic, StoresMode) {
  use_deterministic_algorithms(true, true);
  EXPECT_TRUE(are_deterministic_algorithms_enabled());
  EXPECT_TRUE(is_deterministic_algorithms_warn_only_enabled());
  EXPECT_EQ(get_deterministic_debug_mode(), 1);
  set_deterministic_debug_mode("error");
  EXPECT_FALSE(is_deterministic_algorithms_warn_only_enabled());
  EXPECT_EQ(get_deterministic_debug_mode(), 2);
  EXPECT_THROW(set_deterministic_debug_mode(3), ValueError);
  EXPECT_THROW(set_deterministic_debug_mode("on"), ValueError);
  EXPECT_EQ(get_deterministic_debug_mode(), 2);
  set_deterministic_debug_mode(0);
  EXPECT_FALSE(are_deterministic_algorithms_enabled());
}

TEST(Float32MatmulPrecision, StoresPrecision) {
  EXPECT_EQ(get_float32_matmul_precision(), "highest");
  set_float32_matmul_precision("medium");
  const WarningCapture warnings;
  set_float32_matmul_precision("low");
  EXPECT_TRUE(contains(warnings.last(), "low is not one of"));
  EXPECT_EQ(get_float32_matmul_precision(), "medium");
  set_float32_matmul_precision("highest");
}

}  // namespace
