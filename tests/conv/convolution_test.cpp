// Convolutions: results, names of nodes, error messages.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/autograd/gradcheck.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/core/memory.h"
#include "taper/ops/conv.h"

namespace taper {
namespace {

using test::error_text;

Tensor drawn(const Shape& s, DType t = DType::f32) { return randn(s, {.dtype = t}); }

/// Computes the convolution by its definition: the sum of shifted inputs over the kernel's
/// positions.
Tensor by_definition(const Tensor& x, const Tensor& w, std::int64_t stride, std::int64_t dilation,
                     const Shape& out) {
  Tensor y = zeros(out, {.dtype = x.dtype()});
  for (std::int64_t u = 0; u < w.size(2); ++u)
    for (std::int64_t v = 0; v < w.size(3); ++v) {
      const Tensor part =
          x.slice(2, u * dilation, u * dilation + (out[2] - 1) * stride + 1, stride)
              .slice(3, v * dilation, v * dilation + (out[3] - 1) * stride + 1, stride);
      y = y + (part.unsqueeze(1) * w.select(3, v).select(2, u).unsqueeze(-1).unsqueeze(-1)).sum(2);
    }
  return y;
}

TEST(Convolution, SumsOverKernel) {
  manual_seed(1);
  for (const std::int64_t channels : {1, 3, 20, 32})
    for (const std::int64_t stride : {1, 2})
      for (const std::int64_t dilation : {1, 2}) {
        const Tensor x = drawn({2, channels, 9, 11}), w = drawn({4, channels, 3, 2}),
                     b = drawn({4});
        const Tensor y = conv2d(x, w, b, {.stride = stride, .dilation = dilation});
        const Tensor expected =
            by_definition(x, w, stride, dilation, y.shape()) + b.view({4, 1, 1});
        EXPECT_TRUE(allclose(y, expected, 1e-4, 1e-4)) << channels << stride << dilation;
      }
}

TEST(Convolution, SupportsGroupsUnbatchedInputsAndOtherRanks) {
  manual_seed(2);
  const Tensor x = drawn({2, 4, 6, 6}), w = drawn({6, 2, 3, 3});
  const Tensor grouped = conv2d(x, w, {}, {.groups = 2});
  const Tensor halves = cat(
      {conv2d(x.slice(1, 0, 2), w.slice(0, 0, 3)), conv2d(x.slice(1, 2, 4), w.slice(0, 3, 6))}, 1);
  EXPECT_TRUE(allclose(grouped, halves, 1e-5, 1e-5));
  const Tensor one = conv2d(x[0], drawn({3, 4, 3, 3}));
  EXPECT_EQ(one.shape(), (Shape{3, 4, 4}));
  const Tensor line = drawn({2, 3, 9}), w1 = drawn({4, 3, 3});
  EXPECT_TRUE(allclose(conv1d(line, w1),
                       conv2d(line.unsqueeze(2), w1.unsqueeze(2)).squeeze(Dims{2}), 1e-5, 1e-5));
  const Tensor volume = drawn({1, 2, 3, 5, 5}), w3 = drawn({4, 2, 1, 3, 3});
  const Tensor planes = conv3d(volume, w3);
  EXPECT_TRUE(
      allclose(planes.select(2, 1), conv2d(volume.select(2, 1), w3.squeeze(Dims{2})), 1e-5, 1e-5));
}

TEST(Convolution, SamePaddingPreservesSizes) {
  const Tensor x = drawn({1, 2, 7, 6}), w = drawn({3, 2, 4, 3});
  const Tensor y = conv2d(x, w, {}, {.padding = "same", .dilation = {1, 2}});
  EXPECT_EQ(y.shape(), (Shape{1, 3, 7, 6}));
  // A kernel of extent four with dilation 1 requires three zeros: one before and two after the
  // input.
  const Tensor padded = zeros({1, 2, 10, 10});
  padded.slice(2, 1, 8).slice(3, 2, 8).copy_(x);
  EXPECT_TRUE(allclose(y, conv2d(padded, w, {}, {.dilation = {1, 2}}), 1e-5, 1e-5));
  EXPECT_EQ(conv2d(x, w, {}, {.padding = "valid"}).shape(), (Shape{1, 3, 4, 4}));
}

TEST(Convolution, IsExactForIntegers) {
  const Tensor x = arange(2 * 16, {.dtype = DType::i64}).view({1, 2, 4, 4});
  const Tensor y = conv2d(x, ones({1, 2, 2, 2}, {.dtype = DType::i64}));
  EXPECT_EQ(y.dtype(), DType::i64);
  EXPECT_EQ(y[0][0][0][0].item<std::int64_t>(), 0 + 1 + 4 + 5 + 16 + 17 + 20 + 21);
}

TEST(Convolution, HasNodesOfPyTorch) {
  const Tensor x = drawn({1, 1, 4, 4}).requires_grad_(), w = drawn({2, 1, 3, 3}).requires_grad_(),
               b = drawn({2}).requires_grad_();
  const Tensor y = conv2d(x, w, b);
  EXPECT_EQ(y.grad_fn().name(), "ConvolutionBackward0");
  EXPECT_EQ(y.grad_fn().next_functions().size(), 3u);
  const Tensor g = autograd::grad(y.sum(), x, {.create_graph = true});
  EXPECT_EQ(g.grad_fn().name(), "ConvolutionBackwardBackward0");
}

TEST(Convolution, LeavesWeightsRowMajorAndCachesTheirPackedForm) {
  manual_seed(3);
  const Tensor x = drawn({2, 32, 12, 12}), w = drawn({32, 32, 3, 3});
  memory::reset_reorders();
  const Tensor first = conv2d(x, w);
  const auto packings = memory::reorders().weights;
  EXPECT_TRUE(equal(conv2d(x, w), first));
  EXPECT_EQ(memory::reorders().weights, packings) << "packed twice";
  EXPECT_EQ(memory::reorders().activations, 1u) << "a plain input is turned once";
  w.mul_(2);
  EXPECT_TRUE(allclose(conv2d(x, w), first * 2, 1e-5, 1e-5)) << "a stale packed form was used";
  w.data().mul_(0.5);  // not recorded by autograd, but still a write
  EXPECT_TRUE(allclose(conv2d(x, w), first, 1e-5, 1e-5));
  x.mul_(4);
  EXPECT_TRUE(allclose(conv2d(x, w), first * 4, 1e-5, 1e-5)) << "a stale turned input was used";
  const auto before_reading = memory::reorders().weights;
  EXPECT_EQ(w.data<float>()[0], *w.const_data_ptr<float>());
  EXPECT_TRUE(allclose(conv2d(x, w), first * 4, 1e-5, 1e-5));
  EXPECT_EQ(memory::reorders().weights, before_reading) << "reading discarded the packed form";
  w.mutable_data<float>()[0] +=
      1;  // a writable pointer has been handed out, so no packed form can be cached
  const Tensor y = conv2d(x, w);
  w.mutable_data<float>()[0] -= 1;
  EXPECT_FALSE(allclose(conv2d(x, w), y, 1e-5, 1e-5));
}

TEST(Convolution, AcceptsStridesBeyondTheInput) {
  const Tensor x = ones({2, 3, 5, 6}), w = ones({4, 3, 3, 3});
  const Tensor y = conv2d(x, w, std::nullopt, {.stride = INT64_MAX});
  EXPECT_TRUE(equal(y, full({2, 4, 1, 1}, 27)));
}

TEST(ConvolutionErrors, MatchPyTorch) {
  const Tensor x = zeros({2, 4, 8, 8}), w = zeros({4, 3, 3, 3}), b = zeros({4});
  const Tensor ok = zeros({2, 3, 8, 8});
  EXPECT_EQ(error_text<ShapeError>([&] { conv2d(x, w, b); }),
            "conv2d: Given groups=1, weight of size [4, 3, 3, 3], expected input[2, 4, 8, 8] to "
            "have 3 channels, but got 4 channels instead");
  EXPECT_EQ(error_text<ShapeError>([&] {
              conv2d(zeros({3, 5}), w, b);
            }),
            "conv2d: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of "
            "size: [3, 5]");
  EXPECT_EQ(error_text<ShapeError>([&] {
              conv2d(zeros({1, 3, 2, 5}), w, b);
            }),
            "conv2d: Calculated padded input size per channel: (2 x 5). Kernel size: (3 x 3). "
            "Kernel size can't be greater than actual input size");
  EXPECT_EQ(error_text<DTypeError>([&] { conv2d(ok.to(DType::f64), w, b); }),
            "conv2d: Input type (double) and bias type (float) should be the same");
  EXPECT_EQ(error_text<ShapeError>([&] { conv2d(ok, w, zeros({5})); }),
            "conv2d: Given weight of size [4, 3, 3, 3], expected bias to be 1-dimensional with 4 "
            "elements, but got bias of size [5] instead");
  EXPECT_EQ(error_text<ShapeError>([&] { conv2d(ok, w, b, {.padding = -1}); }),
            "conv2d: negative padding is not supported: got padding=[-1]");
  EXPECT_EQ(error_text<ShapeError>([&] { conv2d(ok, w, b, {.stride = 0}); }),
            "conv2d: non-positive stride is not supported: got stride=[0, 0]");
  EXPECT_EQ(error_text<ShapeError>([&] { conv2d(ok, w, b, {.dilation = 0}); }),
            "conv2d: dilation should be greater than zero, but got [0]");
  EXPECT_EQ(error_text<ShapeError>([&] {
              conv2d(ok, zeros({4, 3, 3}));
            }),
            "conv1d: expected stride to be a single integer value or a list of 1 values to match "
            "the convolution dimensions, but got stride=[1, 1]");
  EXPECT_THROW(conv2d(ok, w, b, {.groups = 0}), ShapeError);
  EXPECT_THROW(conv2d(ok, zeros({0, 3, 3, 3})), ShapeError);
  EXPECT_THROW(conv2d(ok, zeros({4, 3, 0, 3})), ShapeError);
  EXPECT_THROW(conv2d(ok, zeros({2, INT64_MAX, 0, 3}), std::nullopt, {.groups = 2}), ShapeError);
  EXPECT_THROW(conv2d(zeros({2, 3, 0, 8}), w, b, {.padding = 2}), ShapeError);
  EXPECT_THROW(conv2d(ok, w, b, {.padding = "full"}), ValueError);
  EXPECT_THROW(conv2d(ok, w, b, {.stride = 2, .padding = "same"}), ValueError);
  EXPECT_THROW(conv2d(ok, w, b, {.dilation = INT64_MAX}), ShapeError);
  EXPECT_THROW(conv2d(ok, w, b, {.padding = INT64_MAX}), ShapeError);
  // The result is small, but a padded input would have 2^66 elements per channel.
  const std::int64_t far = std::int64_t{1} << 32;
  EXPECT_THROW(conv2d(ok, w, b, {.stride = far / 2, .padding = far}), ShapeError);
  EXPECT_EQ(conv2d(zeros({0, 3, 8, 8}), w, b).shape(), (Shape{0, 4, 6, 6}));
}

}  // namespace
}  // namespace taper
