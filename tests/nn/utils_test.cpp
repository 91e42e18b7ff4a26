// Utilities for parameters of modules: clipping, vectors, fusion.
#include <cmath>

#include "nets.h"
#include "taper/core/parallel.h"
#include "taper/nn/utils/clip_grad.h"
#include "taper/nn/utils/convert_parameters.h"
#include "taper/nn/utils/fusion.h"

namespace {

using namespace nets;
namespace utils = nn::utils;

std::vector<Tensor> graded(std::initializer_list<Tensor> grads) {
  std::vector<Tensor> parameters;
  for (const Tensor& g : grads) {
    parameters.push_back(zeros_like(g).requires_grad_());
    parameters.back().set_grad(g.clone());
  }
  return parameters;
}

// R9.4-01, R9.4-10
TEST(ClipGradNorm, ScalesByTotalNorm) {
  auto p = graded({tensor({3.f, 0.f}), tensor({{4.f}})});
  p.push_back(zeros({5}).requires_grad_());
  const Tensor total = utils::clip_grad_norm_(p, 1.0);
  EXPECT_EQ(total.item<float>(), 5.f);
  EXPECT_TRUE(allclose(p[0].grad(), tensor({0.6f, 0.f})));
  EXPECT_TRUE(allclose(p[1].grad(), tensor({{0.8f}})));
  EXPECT_FALSE(p[2].grad().defined());
  const Tensor before = p[0].grad().clone();
  utils::clip_grad_norm_(p, 1e6);
  EXPECT_TRUE(equal(p[0].grad(), before)) << "a small norm is left as it is";
  EXPECT_EQ(utils::get_total_norm(std::vector<Tensor>{}).item<float>(), 0.f);
  EXPECT_EQ(utils::clip_grad_norm_(zeros({2}).requires_grad_(), 1.0).item<float>(), 0.f);
  utils::clip_grads_with_norm_(p, 1.0, tensor(2.f));
  EXPECT_TRUE(allclose(p[0].grad(), before * 0.5, 1e-5));
}

TEST(ClipGradNorm, SupportsEveryLayoutAndDtype) {
  manual_seed(1);
  const Tensor large = randn({300, 400});
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    const auto p =
        graded({large.to(dtype), large.to(dtype).t(), large.narrow(1, 3, 100).to(dtype)});
    p[1].set_grad(large.to(dtype).t());
    const double expected = std::sqrt(2 * large.square().sum().item<double>() +
                                      large.narrow(1, 3, 100).square().sum().item<double>());
    const double tolerance = dtype == DType::bf16 ? 2e-2 : 1e-5;
    EXPECT_NEAR(utils::clip_grad_norm_(p, 1.0).item<double>() / expected, 1, tolerance);
    EXPECT_NEAR(utils::get_total_norm(std::vector<Tensor>{p[0].grad(), p[1].grad(), p[2].grad()})
                    .item<double>(),
                1, tolerance);
  }
  set_num_threads(1);
  const Tensor one = utils::get_total_norm(std::vector<Tensor>{large});
  set_num_threads(2);
  EXPECT_TRUE(equal(utils::get_total_norm(std::vector<Tensor>{large}), one));
}

// R9.4-10
TEST(ClipGradNorm, RejectsNonFiniteNormOnRequest) {
  const auto p = graded({tensor({1.f, NAN})});
  EXPECT_EQ(error_text<RuntimeError>(
                [&] { utils::clip_grad_norm_(p, 1.0, {.error_if_nonfinite = true}); }),
            "The total norm of order 2.0 for gradients from `parameters` is non-finite, so it "
            "cannot be clipped. To disable this error and scale the gradients by the non-finite "
            "norm anyway, set `error_if_nonfinite=False`");
  EXPECT_EQ(p[0].grad()[0].item<float>(), 1.f) << "nothing was scaled";
  EXPECT_TRUE(std::isnan(utils::clip_grad_norm_(p, 1.0).item<float>()));
  EXPECT_TRUE(std::isnan(p[0].grad()[0].item<float>()));
}

// R9.4-01
TEST(ClipGradValue, ClampsGradients) {
  const auto p = graded({tensor({-3.f, 0.05f, 3.f})});
  const Tensor grad = p[0].grad();
  utils::clip_grad_value_(p, 0.1);
  EXPECT_TRUE(equal(grad, tensor({-0.1f, 0.05f, 0.1f}))) << "in place";
}

// R9.4-02
TEST(ParametersToVector, RoundTripsThroughVectorToParameters) {
  nn::Linear l(3, 2);
  const Tensor v = utils::parameters_to_vector(l.parameters());
  EXPECT_EQ(v.shape(), Shape({8}));
  EXPECT_TRUE(equal(v.narrow(0, 0, 6).view({2, 3}), l.weight));
  v.sum().backward();
  EXPECT_TRUE(equal(l.bias->grad(), ones({2})));
  const Tensor given = arange(8).to(DType::f32);
  utils::vector_to_parameters(given, l.parameters());
  EXPECT_TRUE(equal(l.weight, given.narrow(0, 0, 6).view({2, 3})));
  given.zero_();
  EXPECT_EQ((*l.bias)[1].item<float>(), 7.f) << "elements are copied";
  const Tensor before = l.weight.detach().clone();
  EXPECT_EQ(error_text<ValueError>([&] { utils::vector_to_parameters(ones({7}), l.parameters()); }),
            "vector_to_parameters: got a vector of shape [7], expected [8], the elements of all "
            "parameters");
  EXPECT_TRUE(equal(l.weight, before));
}

// R9.4-03
TEST(FuseConvBn, MatchesConvFollowedByBatchNorm) {
  manual_seed(2);
  nn::Conv2d conv(3, 4, 3, {.bias = false});
  nn::BatchNorm2d bn(4);
  const Tensor x = randn({2, 3, 6, 6});
  for (int i = 0; i < 3; ++i) bn(conv(randn({4, 3, 6, 6}) * 2 + 1));
  EXPECT_EQ(error_text<RuntimeError>([&] { utils::fuse_conv_bn_eval(conv, bn); }),
            "Fusion only for eval!");
  conv.eval(), bn.eval();
  const Tensor before = conv.weight.detach().clone();
  nn::Conv2d fused = utils::fuse_conv_bn_eval(conv, bn);
  EXPECT_TRUE(allclose(fused(x), bn(conv(x)), 1e-4, 1e-5));
  EXPECT_TRUE(equal(conv.weight, before));
  EXPECT_TRUE(fused.weight.requires_grad());
  EXPECT_FALSE(fused.bias->requires_grad()) << "there was no bias to train";
  nn::Linear linear(4, 3);
  linear.eval();
  EXPECT_THROW(utils::fuse_linear_bn_eval(linear, bn), ValueError);
  nn::BatchNorm2d untracked(4, {.track_running_stats = false});
  untracked.eval();
  EXPECT_THROW(utils::fuse_conv_bn_eval(conv, untracked), ValueError);
}

}  // namespace
