// Convolutions of small sizes with every combination of kernel, stride, padding, dilation and
// groups, against the reference kernel, which computes float64.
#include <gtest/gtest.h>

#include <string>

#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/parallel.h"
#include "taper/ops/conv.h"

namespace taper {
namespace {

/// Integers from -3 to 3, of which products and small sums are exact in float32.
Tensor small_integers(const Shape& shape, std::int64_t seed) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return ((arange(count) * 5 + seed) % 7 - 3).to(float32).reshape(shape);
}

/// A function of input and weight.
using Convolve = Tensor (*)(const Tensor& x, const Tensor& w, const Shape& stride,
                            const Shape& padding, const Shape& dilation, std::int64_t groups);

/// Compares the result and both gradients with those in float64.
void expect_reference(Convolve convolve, const Tensor& input, const Tensor& weight,
                      const Shape& stride, const Shape& padding, const Shape& dilation,
                      std::int64_t groups) {
  const auto results = [&](DType dtype) {
    const Tensor x = input.to(dtype).clone().requires_grad_();
    const Tensor w = weight.to(dtype).clone().requires_grad_();
    const Tensor y = convolve(x, w, stride, padding, dilation, groups);
    const Tensor g = small_integers(y.shape(), 3).to(dtype);
    y.backward(g);
    return std::vector<Tensor>{y.detach(), x.grad(), w.grad()};
  };
  const std::vector<Tensor> got = results(float32), expected = results(float64);
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(equal(got[i].to(float64), expected[i]))
        << "result " << i << " for input " << input.shape().str() << ", weight "
        << weight.shape().str() << ", stride " << stride.str() << ", padding " << padding.str()
        << ", dilation " << dilation.str() << ", groups " << groups;
}

/// Calls f(input size, kernel size, stride, padding, dilation) for all combinations in which the
/// kernel fits into the padded input.
template <class F> void for_each_combination(F&& f) {
  for (const std::int64_t input : {1, 2, 5})
    for (const std::int64_t kernel : {1, 2, 4})
      for (const std::int64_t stride : {1, 2, 3, 4, 9})
        for (const std::int64_t padding : {0, 1, 2, 5})
          for (const std::int64_t dilation : {1, 2, 5})
            if (dilation * (kernel - 1) + 1 <= input + 2 * padding)
              f(input, kernel, stride, padding, dilation);
}

Tensor convolve_1d(const Tensor& x, const Tensor& w, const Shape& stride, const Shape& padding,
                   const Shape& dilation, std::int64_t groups) {
  return conv1d(x, w, {},
                {.stride = stride, .padding = padding, .dilation = dilation, .groups = groups});
}
Tensor convolve_2d(const Tensor& x, const Tensor& w, const Shape& stride, const Shape& padding,
                   const Shape& dilation, std::int64_t groups) {
  return conv2d(x, w, {},
                {.stride = stride, .padding = padding, .dilation = dilation, .groups = groups});
}
Tensor convolve_3d(const Tensor& x, const Tensor& w, const Shape& stride, const Shape& padding,
                   const Shape& dilation, std::int64_t groups) {
  return conv3d(x, w, {},
                {.stride = stride, .padding = padding, .dilation = dilation, .groups = groups});
}

TEST(ConvolutionSizes, MatchReferenceInOneDimension) {
  for (const std::int64_t batch : {1, 9})
    for (const std::int64_t groups : {1, 2, 4})
      for_each_combination([&](std::int64_t input, std::int64_t kernel, std::int64_t stride,
                               std::int64_t padding, std::int64_t dilation) {
        expect_reference(convolve_1d, small_integers({batch, 4, input}, 1),
                         small_integers({4, 4 / groups, kernel}, 2), {stride}, {padding},
                         {dilation}, groups);
      });
}

TEST(ConvolutionSizes, MatchReferenceInEachOfTwoAndThreeDimensions) {
  const auto in_dim = [](std::size_t rank, std::size_t dim, std::int64_t other,
                         std::int64_t value) {
    Shape sizes = Shape::filled(rank, other);
    sizes[dim] = value;
    return sizes;
  };
  const auto with_channels = [](std::int64_t a, std::int64_t b, const Shape& sizes) {
    Shape all{a, b};
    for (const std::int64_t size : sizes) all.push_back(size);
    return all;
  };
  for (const std::size_t rank : {std::size_t{2}, std::size_t{3}})
    for (std::size_t dim = 0; dim < rank; ++dim)
      for_each_combination([&](std::int64_t input, std::int64_t kernel, std::int64_t stride,
                               std::int64_t padding, std::int64_t dilation) {
        expect_reference(rank == 2 ? convolve_2d : convolve_3d,
                         small_integers(with_channels(2, 4, in_dim(rank, dim, 3, input)), 1),
                         small_integers(with_channels(6, 2, in_dim(rank, dim, 2, kernel)), 2),
                         in_dim(rank, dim, 2, stride), in_dim(rank, dim, 1, padding),
                         in_dim(rank, dim, 1, dilation), 2);
      });
}

TEST(ConvolutionSizes, TransposedMatchesReference) {
  for (const std::int64_t batch : {1, 9})
    for (const std::int64_t groups : {1, 2})
      for (const std::int64_t output_padding : {0, 1, 2, 4})
        for_each_combination([&](std::int64_t input, std::int64_t kernel, std::int64_t stride,
                                 std::int64_t padding, std::int64_t dilation) {
          const std::int64_t size =
              (input - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1;
          if (size < 1 || output_padding >= std::max(stride, dilation)) return;
          const auto results = [&](DType dtype) {
            const Tensor x = small_integers({batch, 4, input}, 1).to(dtype).requires_grad_();
            const Tensor w = small_integers({4, 4 / groups, kernel}, 2).to(dtype).requires_grad_();
            const Tensor y = conv_transpose1d(x, w, {},
                                              {.stride = {stride},
                                               .padding = {padding},
                                               .output_padding = {output_padding},
                                               .groups = groups,
                                               .dilation = {dilation}});
            y.backward(small_integers(y.shape(), 3).to(dtype));
            return std::vector<Tensor>{y.detach(), x.grad(), w.grad()};
          };
          const std::vector<Tensor> got = results(float32), expected = results(float64);
          for (std::size_t i = 0; i < got.size(); ++i)
            ASSERT_TRUE(equal(got[i].to(float64), expected[i]))
                << "result " << i << " for input " << input << ", kernel " << kernel << ", stride "
                << stride << ", padding " << padding << ", dilation " << dilation
                << ", output_padding " << output_padding << ", groups " << groups;
        });
}

// Each pair has equal sizes but for the number of outputs, and runs in one thread.
TEST(ConvolutionSizes, DistinguishCallsThatDifferInTheNumberOfOutputs) {
  const Tensor w = ones({4, 2, 1});
  const Tensor many = conv1d(ones({16, 4, 1}), w, {}, {.padding = 1, .groups = 2});
  EXPECT_EQ(many.shape(), (Shape{16, 4, 3}));
  const Tensor one = conv1d(ones({16, 4, 1}), w, {}, {.stride = 3, .padding = 1, .groups = 2});
  EXPECT_TRUE(equal(one, zeros({16, 4, 1})));
  const Tensor image =
      conv2d(ones({16, 4, 1, 1}), ones({4, 1, 4, 4}), {}, {.stride = 3, .padding = 2, .groups = 4});
  EXPECT_TRUE(equal(image, ones({16, 4, 1, 1})));
}

// The packed form of a weight depends on the number of groups.
TEST(ConvolutionSizes, DistinguishNumbersOfGroupsOfOneWeight) {
  const Tensor w = small_integers({32, 16, 3}, 2);
  for (int i = 0; i < 2; ++i)
    for (const std::int64_t groups : {1, 2, 4})
      expect_reference(convolve_1d, small_integers({2, 16 * groups, 40}, 1), w, {1}, {1}, {1},
                       groups);
}

}  // namespace
}  // namespace taper
