// matmul and linear for all ranks, against loops; names of nodes; errors.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/linalg/functions.h"
#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/memory.h"
#include "taper/ops/linalg.h"

namespace taper {
namespace {

using test::error_text;

Tensor counted(const Shape& shape, DType dtype = DType::f32) {
  return (arange(shape.numel(), {.dtype = DType::i64}).reshape(shape) * 7 + 3)
      .to(DType::f64)
      .mul(0.01)
      .to(dtype);
}

/// Computes the product by its definition: sums of elementwise products over a dimension along
/// which both were broadcast.
Tensor by_definition(Tensor a, Tensor b) {
  const bool row = a.dim() == 1, column = b.dim() == 1;
  if (row) a = a.unsqueeze(0);
  if (column) b = b.unsqueeze(1);
  Tensor y = (a.unsqueeze(-1) * b.unsqueeze(-3)).sum(-2);
  if (column) y = y.squeeze(-1);
  if (row) y = y.squeeze(column ? -1 : -2);
  return y;
}

struct Ranks {
  Shape a, b, result;
  std::string node, inner;
};
class Matmul : public testing::TestWithParam<Ranks> {};

TEST_P(Matmul, SumsProducts) {
  const auto& [sa, sb, result, node, inner] = GetParam();
  const Tensor a = counted(sa, DType::f64).requires_grad_(),
               b = counted(sb, DType::f64).requires_grad_();
  const Tensor y = matmul(a, b);
  EXPECT_EQ(y.shape(), result);
  EXPECT_TRUE(allclose(y, by_definition(a, b), 1e-12, 1e-12));
  EXPECT_EQ(y.grad_fn().name(), node);
  if (!inner.empty()) { EXPECT_EQ(y.grad_fn().next_functions()[0].first, inner); }
  const Tensor weight = counted(result, DType::f64) + Scalar(-0.2);
  const auto got = autograd::grad((y * weight).sum(), {a, b});
  const auto expected = autograd::grad((by_definition(a, b) * weight).sum(), {a, b});
  EXPECT_TRUE(allclose(got[0], expected[0], 1e-12, 1e-12));
  EXPECT_TRUE(allclose(got[1], expected[1], 1e-12, 1e-12));
  EXPECT_FALSE(y.is_view());
}

INSTANTIATE_TEST_SUITE_P(
    Ranks, Matmul,
    testing::Values(Ranks{{3}, {3}, {}, "DotBackward0", ""},
                    Ranks{{2, 3}, {3}, {2}, "MvBackward0", ""},
                    Ranks{{2, 3}, {3, 4}, {2, 4}, "MmBackward0", ""},
                    Ranks{{5, 2, 3}, {3, 4}, {5, 2, 4}, "UnsafeViewBackward0", "MmBackward0"},
                    Ranks{{5, 2, 3}, {3}, {5, 2}, "UnsafeViewBackward0", "MvBackward0"},
                    Ranks{{3}, {5, 3, 2}, {5, 2}, "UnsafeViewBackward0", "BmmBackward0"},
                    Ranks{{2, 3}, {5, 3, 4}, {5, 2, 4}, "UnsafeViewBackward0", "BmmBackward0"},
                    Ranks{{5, 2, 3}, {5, 3, 4}, {5, 2, 4}, "UnsafeViewBackward0", "BmmBackward0"},
                    Ranks{{4, 1, 2, 3}, {5, 3, 4}, {4, 5, 2, 4}, "UnsafeViewBackward0", ""},
                    Ranks{{4, 5, 2, 3}, {3, 6}, {4, 5, 2, 6}, "UnsafeViewBackward0", ""},
                    Ranks{{5, 2, 0}, {5, 0, 4}, {5, 2, 4}, "UnsafeViewBackward0", ""},
                    Ranks{{0, 2, 3}, {3, 4}, {0, 2, 4}, "UnsafeViewBackward0", ""}));

TEST(Matmul, RowTimesMatrixReturnsRow) {
  EXPECT_TRUE(allclose(matmul(counted({3}), counted({3, 2})),
                       by_definition(counted({3}), counted({3, 2}))));
}

TEST(Matmul, IntegersAreExactAndWrap) {
  const Tensor a = full({2, 2}, std::int64_t{1} << 40, {.dtype = DType::i64});
  EXPECT_TRUE(equal(matmul(a, a), zeros({2, 2}, {.dtype = DType::i64})));
  const Tensor b = counted({3, 4}, DType::i32);
  EXPECT_EQ(matmul(b.t(), b).dtype(), DType::i32);
}

TEST(Matmul, ReadsTransposedViewsWithoutCopy) {
  const Tensor a = counted({64, 96}), b = counted({64, 32});
  const auto before = memory::stats().allocations;
  const Tensor y = a.t().mm(b);
  EXPECT_EQ(memory::stats().allocations, before + 1);  // only the result is allocated
  EXPECT_TRUE(allclose(y, a.t().contiguous().mm(b)));
}

TEST(MatmulErrors, MatchPyTorch) {
  const auto z = [](const Shape& s, DType t = DType::f32) { return zeros(s, {.dtype = t}); };
  EXPECT_EQ(error_text<ShapeError>([&] {
              mm(z({2, 3}), z({4, 5}));
            }),
            "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)");
  EXPECT_EQ(error_text<ShapeError>([&] {
              mm(z({2, 3, 4}), z({4, 5}));
            }),
            "mm: self must be a matrix, got 3-D tensor");
  EXPECT_EQ(error_text<ShapeError>([&] {
              mv(z({2, 3}), z({4}));
            }),
            "mv: size mismatch, got input (2), mat (2x3), vec (4)");
  EXPECT_EQ(
      error_text<ShapeError>([&] { dot(z({2}), z({4})); }),
      "dot: inconsistent tensor size, expected tensor [2] and src [4] to have the same number "
      "of elements, but got 2 and 4 elements respectively");
  EXPECT_EQ(error_text<ShapeError>([&] {
              bmm(z({2, 3, 4}), z({3, 4, 5}));
            }),
            "bmm: Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: "
            "[3, 4].");
  EXPECT_EQ(error_text<ShapeError>([&] { matmul(z({}), z({3})); }),
            "matmul: both arguments to matmul need to be at least 1D, but they are 0D and 1D");
  EXPECT_EQ(error_text<ShapeError>([&] {
              matmul(z({2, 2, 3}), z({5, 3, 4}));
            }).substr(0, 42),
            "matmul: The size of tensor a (2) must matc");
  EXPECT_EQ(error_text<ShapeError>([&] {
              linear(z({2, 4}), z({4, 3}), z({4}));
            }),
            "linear: mat1 and mat2 shapes cannot be multiplied (2x4 and 3x4)");
  EXPECT_EQ(error_text<ShapeError>([&] {
              linear(z({}), z({4, 3}));
            }),
            "linear: both arguments to linear need to be at least 1D, but they are 0D and 2D");
  EXPECT_EQ(error_text<DTypeError>([&] {
              linear(z({2, 3}, DType::f64), z({4, 3}), z({4}));
            }),
            "linear: mat1 and mat2 must have the same dtype, but got Double and Float");
  EXPECT_THROW(linear(z({2, 3}), z({4, 3}), z({5})), ShapeError);
  EXPECT_THROW(mm(z({2, 2}, DType::bool_), z({2, 2}, DType::bool_)), NotImplementedError);
  EXPECT_THROW(addmm(z({5}), z({2, 3}), z({3, 4})), ShapeError);
}

// The names of the nodes are those of scenario 48.
TEST(Linear, HasNodesOfPyTorch) {
  const Tensor x = tensor({{1., 2.}}).requires_grad_(), w = ones({3, 2}).requires_grad_();
  EXPECT_EQ(matmul(x, w.t()).grad_fn().name(), "MmBackward0");
  EXPECT_EQ(linear(x, w).grad_fn().name(), "MmBackward0");
  EXPECT_EQ(linear(x, w, ones({3})).grad_fn().name(), "AddmmBackward0");
  const Tensor deep = linear(x.expand({4, 5, 2}), w, ones({3}));
  EXPECT_EQ(deep.grad_fn().name(), "UnsafeViewBackward0");
  EXPECT_EQ(deep.grad_fn().next_functions()[0].first, "AddmmBackward0");
}

TEST(Linear, CachesPackedWeightUntilItIsWritten) {
  manual_seed(3);
  const Tensor x = randn({20, 300}), w = randn({200, 300}), b = randn({200});
  const Tensor by_rows = (x.unsqueeze(1) * w).sum(-1) + b;
  memory::reset_reorders();
  const Tensor first = linear(x, w, b);
  EXPECT_TRUE(allclose(first, by_rows, 1e-4, 1e-4));
  EXPECT_EQ(memory::reorders().weights, 0u) << "one product alone keeps nothing";
  EXPECT_TRUE(equal(linear(x, w, b), first));
  EXPECT_TRUE(equal(linear(x, w, b), first));
  EXPECT_EQ(memory::reorders().weights, 1u);
  EXPECT_TRUE(equal(linear(x.narrow(0, 0, 9), w, b), first.narrow(0, 0, 9)));
  EXPECT_TRUE(allclose(linear(x.narrow(0, 0, 1), w, b), first.narrow(0, 0, 1), 1e-4, 1e-4));
  EXPECT_TRUE(allclose(linear(x, w.narrow(0, 50, 120), b.narrow(0, 50, 120)),
                       first.narrow(1, 50, 120), 1e-4, 1e-4))
      << "another part of the same storage";
  for (int i = 0; i < 3; ++i) {
    w.data().mul_(2);  // not recorded by autograd, but still a write
    EXPECT_TRUE(allclose(linear(x, w, b) - b, (first - b) * std::exp2(i + 1), 1e-4, 1e-3));
  }
  EXPECT_EQ(memory::reorders().weights, 1u) << "a weight that changes is not kept";
}

TEST(Linear, CachesPackedWeightsOfBfloat16) {
  manual_seed(3);
  const Tensor x = randn({20, 300}).to(DType::bf16), w = randn({200, 300}).to(DType::bf16),
               b = randn({200}).to(DType::bf16);
  const Tensor exact = linear(x.to(DType::f64), w.to(DType::f64), b.to(DType::f64));
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(allclose(linear(x, w, b).to(DType::f64), exact, 1.0 / 256, 1e-3)) << i;
  EXPECT_TRUE(equal(linear(x.narrow(0, 0, 9), w, b), linear(x, w, b).narrow(0, 0, 9)));
  w.data().mul_(2);
  EXPECT_TRUE(
      allclose(linear(x, w).to(DType::f64), (exact - b.to(DType::f64)) * 2, 1.0 / 256, 2e-3))
      << "a stale packed form was used";
}

TEST(Linear, AcceptsInputsOfEveryRank) {
  const Tensor w = counted({4, 3}), b = counted({4});
  for (const Shape& s : {Shape{3}, Shape{2, 3}, Shape{5, 2, 3}, Shape{0, 3}, Shape{2, 0, 3}}) {
    const Tensor x = counted(s);
    EXPECT_TRUE(allclose(linear(x, w, b), by_definition(x, w.t()) + b)) << s.str();
    EXPECT_TRUE(allclose(linear(x, w), by_definition(x, w.t()))) << s.str();
  }
  EXPECT_TRUE(allclose(linear(counted({2, 3}), counted({3})), counted({2, 3}).mv(counted({3}))));
  EXPECT_EQ(linear(zeros({2, 3, 0}), zeros({4, 0}), b).shape(), (Shape{2, 3, 4}));
}

}  // namespace
}  // namespace taper
