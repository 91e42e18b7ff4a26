// Comparison of matrices in both precisions.
#pragma once
#include <gtest/gtest.h>

#include "taper/core/factory.h"

namespace taper::test {

struct Precision {
  DType dtype;
  double tolerance;
};
inline constexpr Precision kPrecisions[] = {{float32, 2e-4}, {float64, 1e-10}};

inline void expect_close(const Tensor& a, const Tensor& b, double tolerance) {
  ASSERT_EQ(a.shape(), b.shape());
  EXPECT_TRUE(allclose(a, b, tolerance, tolerance)) << (a - b).abs().max().item<double>();
}

}  // namespace taper::test
