// DistributedDataParallel: comparison of modules and calls between ranks, and the order of buckets.
#include <gtest/gtest.h>

#include "dist/support.h"
#include "taper/autograd/autograd.h"
#include "taper/core/generator.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::errors_on_ranks;
using test::on_ranks;

/// Expects the same error on both ranks if each constructs DistributedDataParallel of its module.
template <class Make> void expect_difference(const Make& make, const std::string& text) {
  const auto errors = errors_on_ranks(2, [&](int rank) {
    const auto net = make(rank);
    const DistributedDataParallel ddp(*net);
  });
  for (const std::string& error : errors)
    EXPECT_EQ(error, "parameters and buffers differ between ranks: number " + text);
}

TEST(ModuleComparison, NamesParametersOfAnotherName) {
  expect_difference(
      [](int rank) {
        const auto net = std::make_shared<nn::ModuleDict>();
        net->set(rank == 0 ? "a" : "b", nn::Linear(2, 1));
        return net;
      },
      "0 is 'a.weight' float32 [1, 2] on rank 0 and 'b.weight' float32 [1, 2] on rank 1");
}

TEST(ModuleComparison, NamesParametersOfAnotherType) {
  expect_difference(
      [](int rank) {
        const auto net = std::make_shared<nn::Linear>(2, 1);
        if (rank == 1) net->to(float64);
        return net;
      },
      "0 is 'weight' float32 [1, 2] on rank 0 and 'weight' float64 [1, 2] on rank 1");
}

TEST(ModuleComparison, NamesAMissingLastParameter) {
  expect_difference(
      [](int rank) {
        return std::make_shared<nn::Linear>(2, 1, nn::LinearOptions{.bias = rank == 0});
      },
      "1 is 'bias' float32 [1] on rank 0 and none on rank 1");
}

TEST(ModuleComparison, NamesBuffers) {
  expect_difference(
      [](int rank) {
        const auto net = std::make_shared<nn::Linear>(2, 1, nn::LinearOptions{.bias = false});
        net->register_buffer("mask", zeros({2 + rank}, {.dtype = int64}));
        return net;
      },
      "1 is 'mask' int64 [2] on rank 0 and 'mask' int64 [3] on rank 1");
}

TEST(DebugMode, NamesParametersOfReductionsThatDiffer) {
  const auto errors = errors_on_ranks(2, [](int rank) {
    set_debug_level(DebugLevel::detail);
    nn::Linear net(2, 1 + rank);
    const DistributedDataParallel ddp(net, {.init_sync = false});
    net(ones({1, 2})).sum().backward();
  });
  for (int rank = 0; rank < 2; ++rank)
    EXPECT_EQ(errors[static_cast<std::size_t>(rank)],
              "rank " + std::to_string(rank) +
                  ": collectives do not match at call 1: rank 0 called all_reduce(sum) of float32 "
                  "[3] in bucket 0 (weight, bias), rank 1 called all_reduce(sum) of float32 [6] in "
                  "bucket 0 (weight, bias)");
}

/// Two layers, of which one computes first.
struct TwoBranches : nn::Module {
  nn::Linear left{4, 4}, right{4, 4};
  bool starts_left = true;
  TAPER_MODULE(TwoBranches, left, right)
  Tensor forward(const Tensor& x) { return starts_left ? right(left(x)) : left(right(x)); }
};

// Gradients of the layers arrive in opposite orders on the ranks, in each order on rank 0, whose
// order determines the buckets.
TEST(Buckets, ReduceGradientsThatArriveInDifferentOrders) {
  for (const int starts_left : {0, 1})
    for (const DistributedDataParallelOptions& options :
         {DistributedDataParallelOptions{.bucket_cap_mb = 1e-5},
          {.bucket_cap_mb = 5e-5},
          {.bucket_cap_mb = 1e-5, .find_unused_parameters = true},
          {.bucket_cap_mb = 1e-5, .gradient_as_bucket_view = true},
          {.bucket_cap_mb = 1e-5, .static_graph = true}})
      on_ranks(2,
               [&](int rank) {
                 manual_seed(1);
                 TwoBranches net;
                 net.starts_left = rank == starts_left;
                 const DistributedDataParallel ddp(net, options);
                 for (int step = 0; step < 3; ++step) {
                   manual_seed(static_cast<std::uint64_t>(10 * step + rank));
                   const Tensor x = randn({3, 4});
                   const auto expected =
                       autograd::grad(net.forward(x).square().sum(), net.parameters());
                   for (const Tensor& g : expected) all_reduce(g, {.op = ReduceOp::avg});
                   net.zero_grad();
                   net(x).square().sum().backward();
                   const std::vector<Tensor> params = net.parameters();
                   for (std::size_t i = 0; i < params.size(); ++i)
                     EXPECT_TRUE(allclose(params[i].grad(), expected[i], 1e-5, 1e-5))
                         << "step " << step << ", parameter " << i;
                 }
               },
               {.timeout = Timeout(20)});
}

TEST(Buckets, ContainGradientsAsViews) {
  on_ranks(2, [](int rank) {
    for (const bool are_views : {false, true}) {
      nn::Linear net(2, 1);
      const DistributedDataParallel ddp(net, {.gradient_as_bucket_view = are_views});
      for (int step = 0; step < 3; ++step) {
        net.zero_grad(/*set_to_none=*/step == 1);
        net(full({1, 2}, static_cast<float>(rank))).sum().backward();
        EXPECT_EQ(net.weight.grad().shares_storage_with(net.bias->grad()), are_views) << step;
        EXPECT_TRUE(equal(net.weight.grad(), full({1, 2}, 0.5f)));
        EXPECT_TRUE(equal(net.bias->grad(), ones({1})));
      }
    }
  });
}

TEST(Buckets, LeaveGradientsThatAreKept) {
  on_ranks(2, [](int rank) {
    nn::Linear net(2, 1);
    const DistributedDataParallel ddp(net);
    const auto compute_gradients = [&](float x) {
      net(full({1, 2}, x * static_cast<float>(rank))).sum().backward();
    };
    std::vector<Tensor> kept;
    for (int step = 1; step <= 4; ++step) {
      const bool keeps_alias = step % 2 == 0;
      compute_gradients(static_cast<float>(step));
      kept.push_back(keeps_alias ? net.weight.grad().detach()[0] : net.weight.grad());
      net.zero_grad();
    }
    compute_gradients(9);
    const Tensor grad = net.weight.grad();
    compute_gradients(2);  // accumulates
    EXPECT_TRUE(equal(grad, full({1, 2}, 5.5f)));
    for (int step = 1; step <= 4; ++step)
      EXPECT_TRUE(equal(kept[static_cast<std::size_t>(step - 1)].flatten(),
                        full({2}, 0.5f * static_cast<float>(step))))
          << step;
  });
}

TEST(Buckets, AcceptGradientsOfConvertedParameters) {
  on_ranks(2, [](int rank) {
    for (const bool are_views : {false, true}) {
      nn::Linear net(2, 1);
      const DistributedDataParallel ddp(net, {.gradient_as_bucket_view = are_views});
      for (const DType dtype : {DType::f32, DType::bf16, DType::f64, DType::f32}) {
        net.to(dtype);
        net.zero_grad();
        net(full({1, 2}, static_cast<float>(rank)).to(dtype)).sum().backward();
        EXPECT_TRUE(equal(net.weight.grad(), full({1, 2}, 0.5f).to(dtype))) << dtype;
      }
    }
  });
}

}  // namespace
}  // namespace taper::distributed
