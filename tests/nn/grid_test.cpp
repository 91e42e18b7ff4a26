// grid_sample and affine_grid.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/nn/functional.h"
#include "taper/ops/random.h"

namespace taper {
namespace {

namespace F = nn::functional;

TEST(GridSample, IdentityReturnsTheImage) {
  manual_seed(1);
  const Tensor x = randn({2, 3, 4, 5}), theta = tensor({{1.f, 0.f, 0.f}, {0.f, 1.f, 0.f}});
  for (const bool align_corners : {false, true}) {
    const Tensor grid =
        F::affine_grid(theta.expand({2, 2, 3}), {2, 3, 4, 5}, {.align_corners = align_corners});
    EXPECT_EQ(grid.shape(), (Shape{2, 4, 5, 2}));
    for (const char* mode : {"bilinear", "nearest", "bicubic"})
      EXPECT_TRUE(allclose(F::grid_sample(x, grid, {.mode = mode, .align_corners = align_corners}),
                           x, 1e-4, 1e-5))
          << mode;
  }
}

TEST(GridSample, PadsOutsideOfTheImage) {
  const Tensor x = tensor({1.f, 2.f}).reshape({1, 1, 1, 2});
  const Tensor grid = tensor({2.f, 0.f}).reshape({1, 1, 1, 2});  // one pixel right of the image
  const auto sample = [&](const char* padding) {
    return F::grid_sample(x, grid, {.padding_mode = padding, .align_corners = false}).item<float>();
  };
  EXPECT_EQ(sample("zeros"), 0);
  EXPECT_EQ(sample("border"), 2);
  EXPECT_EQ(sample("reflection"), 1.5f);
  EXPECT_THROW(sample("wrap"), ValueError);
}

TEST(GridSample, ReadsNothingOutsideOfTheImage) {
  const Tensor x = ones({1, 1, 2, 2});
  constexpr float kInf = std::numeric_limits<float>::infinity(),
                  kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const float far : {1e30f, -1e30f, kInf, -kInf, kNaN})
    for (const char* mode : {"bilinear", "nearest", "bicubic"})
      for (const char* padding : {"zeros", "border", "reflection"}) {
        const Tensor y =
            F::grid_sample(x, full({1, 1, 1, 2}, far),
                           {.mode = mode, .padding_mode = padding, .align_corners = false});
        EXPECT_EQ(y.shape(), (Shape{1, 1, 1, 1}));
      }
}

TEST(GridSample, RejectsWrongShapes) {
  const F::GridSampleFuncOptions o{.align_corners = false};
  EXPECT_THROW(F::grid_sample(zeros({1, 1, 2, 2}), zeros({2, 1, 1, 2}), o), ShapeError);
  EXPECT_THROW(F::grid_sample(zeros({1, 1, 2, 2}), zeros({1, 1, 1, 3}), o), ShapeError);
  EXPECT_THROW(F::grid_sample(zeros({1, 1, 0, 2}), zeros({1, 1, 1, 2}), o), ShapeError);
  EXPECT_THROW(F::grid_sample(zeros({1, 1, 2}), zeros({1, 1, 1}), o), ShapeError);
  EXPECT_THROW(F::affine_grid(zeros({1, 2, 2}), {1, 1, 2, 2}, {.align_corners = false}),
               ShapeError);
  EXPECT_THROW(F::affine_grid(zeros({1, 2, 3}), {1, 1, 0, 2}, {.align_corners = false}),
               ShapeError);
}

TEST(GridSample, NearestHasNoGradientOfTheGridBesideInfinitePixels) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const DType dtype : {float32, float64}) {
    const Tensor image = tensor({{inf, 1.0}, {std::nan(""), 3.0}}, {.dtype = dtype})
                             .reshape({1, 1, 2, 2})
                             .requires_grad_();
    const Tensor grid = tensor({{-0.5, -0.5}, {-0.5, 0.5}, {0.5, 0.5}}, {.dtype = dtype})
                            .reshape({1, 1, 3, 2})
                            .requires_grad_();
    for (const bool create_graph : {false, true}) {
      const Tensor y = F::grid_sample(image, grid, {.mode = "nearest", .align_corners = false});
      const auto g = autograd::grad({y.sum()}, {image, grid}, {.create_graph = create_graph});
      EXPECT_TRUE(equal(g[0].flatten(), tensor({1.0, 0.0, 1.0, 1.0}, {.dtype = dtype})));
      EXPECT_TRUE(equal(g[1], zeros({1, 1, 3, 2}, {.dtype = dtype})));
    }
  }
}

}  // namespace
}  // namespace taper
