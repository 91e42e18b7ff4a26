// Norms of matrices by the names of torch.norm.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/ops/decomposition.h"

namespace {

using namespace taper;

TEST(NuclearNorm, IsSumOfSingularValues) {
  manual_seed(2);
  const Tensor x = randn({2, 3}), batch = randn({2, 3, 4});
  EXPECT_TRUE(allclose(x.norm("nuc"), linalg::svdvals(x).sum()));
  EXPECT_TRUE(equal(nuclear_norm(x), x.norm("nuc")));
  EXPECT_TRUE(equal(nuclear_norm(batch), batch.norm("nuc", {1, 2})));
  EXPECT_TRUE(allclose(nuclear_norm(batch, {0, 2}), nuclear_norm(batch.transpose(0, 1))));
  EXPECT_EQ(norm(batch, "nuc", {0, -1}, true).shape(), Shape({1, 3, 1}));
  EXPECT_EQ(nuclear_norm(x, true).shape(), Shape({1, 1}));
  EXPECT_EQ(norm(x, "nuc", {}, false, float64).dtype(), float64);
  const Tensor leaf = eye(2).requires_grad_();
  leaf.norm("nuc").backward();
  EXPECT_TRUE(allclose(leaf.grad(), eye(2)));
}

TEST(FrobeniusNorm, IsTwoNorm) {
  manual_seed(2);
  const Tensor x = randn({2, 3, 4});
  EXPECT_TRUE(equal(x.norm("fro"), x.norm()));
  EXPECT_TRUE(equal(x.norm("fro", 1, true), x.norm(2, 1, true)));
  EXPECT_TRUE(equal(frobenius_norm(x, {}), x.norm()));
  EXPECT_TRUE(equal(frobenius_norm(x, {0, 1}, true), x.norm(2, {0, 1}, true)));
  EXPECT_EQ(norm(x, "fro", {}, false, float64).dtype(), float64);
}

TEST(NuclearNorm, RejectsInvalidArguments) {
  const Tensor x = ones({2, 2, 2});
  EXPECT_THROW(x.norm("nuc"), ShapeError);
  EXPECT_THROW(x.norm("nuc", 1), ShapeError);
  EXPECT_THROW(x.norm("fro", {0, 1, 2}), ShapeError);
  EXPECT_THROW(frobenius_norm(x, {0, 1, 2}), ShapeError);
  EXPECT_THROW(nuclear_norm(x, {1, 1}), ValueError);
  EXPECT_THROW(nuclear_norm(ones({2})), ShapeError);
  EXPECT_THROW(ones({2, 2}).norm("abc"), ValueError);
  EXPECT_THROW(ones({2, 2}).to(int64).norm("nuc"), DTypeError);
}

}  // namespace
