// Differentiable collectives.
#include "taper/dist/functional.h"

#include <gtest/gtest.h>

#include "dist/support.h"
#include "taper/autograd/autograd.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::error_text;
using test::floats;
using test::on_ranks;

TEST(Functional, GradientOfAllReduceIsAllReduce) {
  on_ranks(2, [](int rank) {
    const Tensor x = full({2}, static_cast<float>(rank + 1), {.requires_grad = true});
    const Tensor y = functional::all_reduce(x);
    EXPECT_TRUE(equal(y.detach(), floats({3, 3})));
    (y * static_cast<float>(rank + 1)).sum().backward();
    EXPECT_TRUE(equal(x.grad(), floats({3, 3})));
  });
}

TEST(Functional, IsDifferentiableTwice) {
  on_ranks(2, [](int rank) {
    const Tensor x = full({1}, static_cast<float>(rank + 1), {.requires_grad = true});
    // y = (x0 + x1)^2 on each rank; the sum over ranks has the gradient 4 (x0 + x1).
    const Tensor y = functional::all_reduce(x).square().sum();
    const Tensor g = autograd::grad(y, x, {.create_graph = true});
    EXPECT_FLOAT_EQ(g.item<float>(), 12);
    g.sum().backward();
    EXPECT_FLOAT_EQ(x.grad().item<float>(), 8);
  });
}

TEST(Functional, AllGatherAndReduceScatterAreAdjoint) {
  on_ranks(3, [](int rank) {
    const Tensor x = full({2}, static_cast<float>(rank), {.requires_grad = true});
    const Tensor y = functional::all_gather_tensor(x);
    EXPECT_TRUE(equal(y.detach(), floats({0, 0, 1, 1, 2, 2})));
    (y * arange(6.0)).sum().backward();
    const auto r = static_cast<float>(rank);
    EXPECT_TRUE(equal(x.grad(), floats({6 * r, 6 * r + 3})));
    const Tensor z = arange(6.0).requires_grad_();
    const Tensor w = functional::reduce_scatter_tensor(z, ReduceOp::avg);
    w.sum().backward();
    EXPECT_TRUE(allclose(z.grad(), full({6}, 1.0f / 3)));
  });
}

TEST(Functional, SplitsAlongAnyDimension) {
  on_ranks(2, [](int rank) {
    const Tensor x = arange(4.0).view({1, 4});
    EXPECT_TRUE(equal(functional::reduce_scatter_tensor(x, ReduceOp::sum, 1),
                      rank == 0 ? tensor({{0.0, 2.0}}) : tensor({{4.0, 6.0}})));
    EXPECT_EQ(functional::all_gather_tensor(x, 1).shape(), (Shape{1, 8}));
    EXPECT_TRUE(contains(error_text([&] { functional::reduce_scatter_tensor(x); }),
                         "size 1 of dimension 0 is not divisible by 2 ranks"));
  });
}

TEST(Functional, AllToAllAcceptsRanksWithoutRows) {
  on_ranks(2, [](int rank) {
    // Rank 0 sends two rows to rank 1 and receives none.
    const Tensor x = full({rank == 0 ? 2 : 0, 3}, 2.0f, {.requires_grad = true});
    const Tensor y = rank == 0 ? functional::all_to_all_single(x, {0, 0}, {0, 2})
                               : functional::all_to_all_single(x, {2, 0}, {0, 0});
    EXPECT_EQ(y.shape(), (Shape{rank == 0 ? 0 : 2, 3}));
    (y * 5).sum().backward();
    if (rank == 0) { EXPECT_TRUE(equal(x.grad(), full({2, 3}, 5.0f))); }
  });
}

TEST(Functional, RejectsProductsThatRequireGradients) {
  on_ranks(1, [](int) {
    EXPECT_TRUE(contains(error_text([] {
                           functional::all_reduce(ones({1}, {.requires_grad = true}),
                                                  ReduceOp::product);
                         }),
                         "product is not differentiable"));
  });
}

}  // namespace
}  // namespace taper::distributed
