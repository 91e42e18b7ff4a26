// Callbacks at the end of a backward pass.
#include <gtest/gtest.h>

#include "support/contains.h"
#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

TEST(QueueCallback, RunsAfterAllGradients) {
  const Tensor a = ones({2}, {.requires_grad = true}), b = ones({2}, {.requires_grad = true});
  std::vector<int> order;
  const Tensor y = a * 2;
  y.register_hook([&](const Tensor&) {
    autograd::queue_callback([&] {
      EXPECT_TRUE(a.grad().defined() && b.grad().defined());
      order.push_back(1);
      autograd::queue_callback([&] { order.push_back(3); });
    });
    autograd::queue_callback([&] { order.push_back(2); });
    return Tensor();
  });
  (y * b).sum().backward();
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(QueueCallback, RunsAtTheEndOfTheOutermostPass) {
  const Tensor a = ones({1}, {.requires_grad = true}), b = ones({1}, {.requires_grad = true});
  bool ran = false;
  const Tensor y = a * 2;
  y.register_hook([&](const Tensor&) {
    const EnableGrad enabled;
    const Tensor z = b * 3;
    z.register_hook([&](const Tensor&) {
      autograd::queue_callback([&] {
        EXPECT_TRUE(a.grad().defined());
        ran = true;
      });
      return Tensor();
    });
    z.sum().backward();
    EXPECT_FALSE(ran);
    return Tensor();
  });
  y.sum().backward();
  EXPECT_TRUE(ran);
}

TEST(QueueCallback, DoesNotRunIfThePassFails) {
  const Tensor a = ones({1}, {.requires_grad = true});
  bool ran = false;
  const Tensor y = a * 2;
  y.register_hook([&](const Tensor&) -> Tensor {
    autograd::queue_callback([&] { ran = true; });
    throw ValueError("stop");
  });
  EXPECT_EQ(test::error_text([&] {
              y.sum().backward();
              return 0;
            }),
            "stop");
  (a * 2).sum().backward();
  EXPECT_FALSE(ran);
}

TEST(QueueCallback, RejectsCallsOutsideOfPasses) {
  EXPECT_TRUE(test::contains(test::error_text([] {
                               autograd::queue_callback([] {});
                               return 0;
                             }),
                             "during backward pass"));
}

}  // namespace
}  // namespace taper
