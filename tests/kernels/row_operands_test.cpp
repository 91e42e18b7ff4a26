// Elementwise ops whose operands are broadcast along rows, or stored with gaps between rows.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "kernels/targets.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"

namespace {

using namespace taper;

/// Compares an op on operands of any layout with its result for contiguous copies.
template <class Op> void expect_as_contiguous(const char* name, const Op& op) {
  // The sizes of rows are below and above those from which rows are computed in place.
  for (const std::int64_t row : {1, 15, 16, 17, 130, 1000}) {
    SCOPED_TRACE(std::string(name) + ", rows of " + std::to_string(row));
    const Shape shape{3, 5, row};
    const Tensor x = randn(shape), numbers = randn({3, 5, 1}), rows = randn({5, row}),
                 planes = randn({3, 1, row}), padded = randn({3, 5, row + 3}).narrow(2, 1, row),
                 swapped = randn({5, 3, row}).transpose(0, 1), columns = randn({row, 5}).t();
    for (const Tensor& other : {numbers, rows, planes, padded, swapped, columns}) {
      const Tensor copy = other.expand(shape).contiguous();
      EXPECT_TRUE(equal(op(x, other), op(x, copy)));
      EXPECT_TRUE(equal(op(other, x), op(copy, x)));
      EXPECT_TRUE(
          equal(op(other, numbers.expand(shape)), op(copy, numbers.expand(shape).contiguous())));
    }
    Tensor written = zeros({3, 5, row + 3});
    written.narrow(2, 2, row).copy_(x);
    written.narrow(2, 2, row).mul_(numbers);
    EXPECT_TRUE(equal(written.narrow(2, 2, row), x * numbers.expand(shape).contiguous()));
    EXPECT_EQ(written.narrow(2, 0, 2).abs().sum().item<float>(), 0);
  }
}

TEST(RowOperands, GiveTheResultsOfContiguousOnes) {
  manual_seed(5);
  test::for_each_target([] {
    expect_as_contiguous("mul", [](const Tensor& a, const Tensor& b) { return a * b; });
    expect_as_contiguous("sub", [](const Tensor& a, const Tensor& b) { return a - b; });
    expect_as_contiguous("div", [](const Tensor& a, const Tensor& b) { return a / b; });
    expect_as_contiguous("lt", [](const Tensor& a, const Tensor& b) { return a < b; });
    expect_as_contiguous("mul of float64", [](const Tensor& a, const Tensor& b) {
      return a.to(DType::f64) * b.to(DType::f64);
    });
    expect_as_contiguous("mul of bfloat16 and float32",
                         [](const Tensor& a, const Tensor& b) { return a.to(DType::bf16) * b; });
    expect_as_contiguous("lerp", [](const Tensor& a, const Tensor& b) { return a.lerp(b, a); });
  });
}

}  // namespace
