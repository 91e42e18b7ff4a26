// Inputs in another order than row-major, which CPU kernels receive as row-major copies.
#include <gtest/gtest.h>

#include "taper/taper.h"

namespace {

using namespace taper;

TEST(RowMajorCopies, GiveTheGradientsOfDenseOperands) {
  const Tensor x = randn({6, 7}), indices = randint(6, {9});
  const auto expect_same_gradient = [&](auto&& f) {
    const Tensor a = x.clone().set_requires_grad(), b = x.clone().set_requires_grad();
    const Tensor y = f(a);
    y.sum().backward();  // an expanded gradient
    f(b).backward(ones_like(y));
    EXPECT_TRUE(allclose(a.grad(), b.grad()));
  };
  expect_same_gradient([](const Tensor& t) { return cumsum(t, 1); });
  expect_same_gradient([](const Tensor& t) { return t.triu(); });
  expect_same_gradient([&](const Tensor& t) { return F::embedding(indices, t); });
  expect_same_gradient([](const Tensor& t) { return t.prod(1); });
}

TEST(RowMajorCopies, LeaveInPlaceOperandsInTheirMemory) {
  const Tensor base = randn({5, 4}), x = base.t();
  const Tensor expected = cumsum(x.contiguous(), 1);
  x.cumsum_(1);
  EXPECT_TRUE(allclose(x, expected));
  EXPECT_TRUE(allclose(base.t(), expected));
}

}  // namespace
