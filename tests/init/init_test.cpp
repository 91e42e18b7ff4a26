// Properties of initializers. Their values are compared with PyTorch's in
// tests/oracle/training_test.cpp.
#include "taper/nn/init.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <utility>

#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"

namespace {

using namespace taper;
namespace init = nn::init;

TEST(Init, LeavesNoHistory) {
  const Tensor weight = zeros({4, 6}, {.requires_grad = true});
  init::kaiming_uniform_(weight);
  init::orthogonal_(weight);
  init::sparse_(weight, 0.5);
  init::eye_(weight);
  EXPECT_TRUE(weight.is_leaf());
  EXPECT_TRUE(weight.requires_grad());
  EXPECT_TRUE(is_grad_enabled());
}

TEST(Init, KeepsMetaTensorsOnMeta) {
  const Tensor t = empty({4, 4, 3}, {.device = Device::meta()});
  manual_seed(1);
  const auto before = get_rng_state();
  init::normal_(t);
  init::xavier_uniform_(t);
  init::orthogonal_(t);
  init::dirac_(t);
  init::ones_(t);
  EXPECT_EQ(get_rng_state(), before);
}

TEST(Init, OrthogonalReturnsOrthogonalVectors) {
  for (const auto& [rows, columns] : {std::pair{60, 40}, {40, 60}, {1, 7}, {7, 1}}) {
    const Tensor t = empty({rows, columns}, {.dtype = float64});
    init::orthogonal_(t, 2);
    const auto q = t.data<double>();
    const bool wide = rows < columns;
    const int n = std::min(rows, columns), m = std::max(rows, columns);
    const auto at = [&](int i, int k) {  // element k of the i-th orthogonal vector
      return q[static_cast<std::size_t>(wide ? i * m + k : k * n + i)];
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double dot = 0;
        for (int k = 0; k < m; ++k) dot += at(i, k) * at(j, k);
        EXPECT_NEAR(dot, i == j ? 4 : 0, 1e-12);
      }
  }
}

TEST(Init, WritesThroughViews) {
  const Tensor whole = zeros({5, 8}), view = whole.t();
  init::sparse_(view, 0.25, 1);
  const auto elements = whole.data<float>();
  EXPECT_EQ(std::count(elements.begin(), elements.end(), 0.0f), 5 * 2);
  init::eye_(view);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(elements[i], i % 9 == 0 ? 1 : 0);
}

}  // namespace
