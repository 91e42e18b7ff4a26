// Memory formats, views of other dtypes, resizing, conversions: values of PyTorch.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/core/factory.h"
#include "taper/core/value.h"
#include "taper/ops/random.h"

namespace taper {
namespace {

using test::error_text;

TEST(MemoryFormat, ClonesWithStridesOfFormat) {
  const Tensor x = arange(24).reshape({1, 2, 3, 4});
  const Tensor y = x.contiguous(channels_last);
  EXPECT_EQ(y.strides(), (Shape{24, 1, 8, 2}));
  EXPECT_TRUE(equal(x, y));
  EXPECT_TRUE(y.is_contiguous(channels_last));
  EXPECT_FALSE(y.is_contiguous());
  EXPECT_TRUE(y.contiguous(channels_last).is_same(y));
  EXPECT_EQ(y.clone(preserve_format).strides(), y.strides());
  EXPECT_EQ(y.clone(contiguous_format).strides(), x.strides());
  EXPECT_EQ(zeros({2, 3}).t().clone(preserve_format).strides(), (Shape{1, 3}));
  EXPECT_EQ(zeros({2, 3, 4}).permute({2, 0, 1}).slice(0, 0, 4, 2).clone(preserve_format).strides(),
            (Shape{1, 6, 2}));
  EXPECT_EQ(zeros({3, 1}).expand({3, 4}).clone(preserve_format).strides(), (Shape{4, 1}));
  EXPECT_EQ(zeros({1, 2, 3, 4, 5}).to(channels_last_3d).strides(), (Shape{120, 1, 40, 10, 2}));
}

TEST(MemoryFormat, DimensionsOfSizeOneAreAmbiguous) {
  const Tensor x = zeros({2, 1, 3, 4});
  EXPECT_TRUE(x.contiguous(channels_last).is_same(x));
  EXPECT_EQ(x.to(channels_last).strides(), (Shape{12, 1, 4, 1}));
  EXPECT_TRUE(zeros({2, 3, 1, 1}).is_contiguous(channels_last));
  EXPECT_FALSE(zeros({0, 3, 2, 2}).is_contiguous(channels_last));
  EXPECT_FALSE(zeros({2, 3}).is_contiguous(channels_last));
}

TEST(MemoryFormat, IsDifferentiable) {
  const Tensor x = randn({1, 2, 3, 4}).set_requires_grad();
  const Tensor weight = randn({1, 2, 3, 4});
  (x.contiguous(channels_last) * weight).sum().backward();
  EXPECT_TRUE(equal(x.grad(), weight));
}

TEST(MemoryFormat, RejectsOtherRanks) {
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(error_text<RuntimeError>([&] { static_cast<void>(x.contiguous(channels_last)); }),
            "required rank 4 tensor to use channels_last format");
  EXPECT_THROW(static_cast<void>(x.clone(channels_last_3d)), RuntimeError);
  EXPECT_THROW(static_cast<void>(x.t().contiguous(preserve_format)), RuntimeError);
  EXPECT_THROW(empty({2, 3}, {}, preserve_format), RuntimeError);
}

TEST(MemoryFormat, AppliesToFactories) {
  const Tensor like = zeros({1, 2, 3, 4}).to(channels_last);
  EXPECT_EQ(empty({1, 2, 3, 4}, {}, channels_last).strides(), (Shape{24, 1, 8, 2}));
  EXPECT_EQ(ones_like(like, {}, preserve_format).strides(), like.strides());
  EXPECT_TRUE(equal(ones_like(like, {}, preserve_format), ones({1, 2, 3, 4})));
  manual_seed(1);
  const Tensor filled = rand_like(like, {}, default_generator(), preserve_format);
  manual_seed(1);
  // Drawn in the order of memory.
  EXPECT_TRUE(equal(filled.permute({0, 2, 3, 1}), rand({1, 3, 4, 2})));
}

TEST(To, CopiesOnRequest) {
  const Tensor x = zeros({2, 3}).t();
  EXPECT_TRUE(x.to(float32, {}).is_same(x));
  const Tensor copy = x.to(float32, {.copy = true});
  EXPECT_FALSE(copy.shares_storage_with(x));
  EXPECT_EQ(copy.strides(), x.strides());
  EXPECT_EQ(zeros({1, 2, 3, 4}).to(float64, {.memory_format = channels_last}).strides(),
            (Shape{24, 1, 8, 2}));
}

TEST(ViewAsDType, ReinterpretsBytes) {
  const Tensor x = tensor({{1.f, 2.f}, {3.f, 4.f}});
  EXPECT_EQ(x.view(int32).str(),
            "tensor([[1065353216, 1073741824],\n        [1077936128, 1082130432]], "
            "dtype=torch.int32)");
  EXPECT_EQ(x.view(int16).shape(), (Shape{2, 4}));
  EXPECT_EQ(tensor({5}).view({}).str(), "tensor(5)");  // the shape of a 0-dimensional tensor
  EXPECT_EQ(x.view(float64).shape(), (Shape{2, 1}));
  EXPECT_TRUE(equal(x.view(uint8).view(float32), x));
  x.view(int32).fill_(0);
  EXPECT_TRUE(equal(x, zeros({2, 2})));
  EXPECT_FALSE(zeros({2}).set_requires_grad().view(int32).requires_grad());
  EXPECT_TRUE(zeros({2}).set_requires_grad().view(float32).requires_grad());
}

TEST(ViewAsDType, RejectsWhatDoesNotFit) {
  const auto text = [](const Tensor& x, DType dtype) {
    return error_text<ShapeError>([&] { static_cast<void>(x.view(dtype)); });
  };
  EXPECT_EQ(text(zeros({3}), float64),
            "view: self.size(-1) must be divisible by 2 to view Float as Double (different element "
            "sizes), but got 3");
  EXPECT_EQ(text(zeros({5}).slice(0, 1, 5), float64),
            "view: self.storage_offset() must be divisible by 2 to view Float as Double (different "
            "element sizes), but got 1");
  EXPECT_EQ(text(zeros({2, 4}).t(), int16),
            "view: self.stride(-1) must be 1 to view Float as Short (different element sizes), but "
            "got 4");
  EXPECT_EQ(text(zeros({}), float64),
            "view: self.dim() cannot be 0 to view Float as Double (different element sizes)");
  EXPECT_THROW(static_cast<void>(zeros({4, 5}).slice(1, 0, 4).view(float64)), ShapeError);
}

TEST(Resize, ChangesShapeInPlace) {
  const Tensor x = tensor({1.f, 2.f, 3.f}), view = x.slice(0, 1, 3);
  x.resize_({2, 2});
  EXPECT_EQ(x.shape(), (Shape{2, 2}));
  EXPECT_EQ(x[0].str(), "tensor([1., 2.])");
  x.fill_(7);
  EXPECT_EQ(view.str(), "tensor([7., 7.])");  // views share the larger storage
  x.resize_({1});
  EXPECT_EQ(x.str(), "tensor([7.])");
  x.resize_as_(zeros({4}));
  EXPECT_EQ(x.str(), "tensor([7., 7., 7., 7.])");  // shrinking preserved the elements
  EXPECT_EQ(zeros({0}).resize_({1, 2, 3, 4}, channels_last).strides(), (Shape{24, 1, 8, 2}));
}

TEST(Resize, RejectsGradientsAndForeignMemory) {
  const Tensor leaf = zeros({2}).set_requires_grad();
  EXPECT_EQ(error_text<RuntimeError>([&] { leaf.resize_({3}); }),
            "resize_: cannot resize variables that require grad");
  float memory[2] = {1, 2};
  const Tensor external = from_blob(memory, {2});
  EXPECT_THROW(external.resize_({3}), RuntimeError);
  EXPECT_EQ(external.resize_({1}).numel(), 1);
  EXPECT_THROW(zeros({2}).resize_({std::int64_t{1} << 62}), ShapeError);
  EXPECT_THROW(zeros({2}).resize_({-1}), ShapeError);
}

TEST(ToList, NestsLists) {
  EXPECT_EQ(tensor({{1, 2}, {3, 4}}).t().tolist().repr(), "[[1, 3], [2, 4]]");
  EXPECT_EQ(tensor({1.5f, 2.f}).tolist().repr(), "[1.5, 2.0]");
  EXPECT_EQ(tensor({true, false}).tolist().repr(), "[True, False]");
  EXPECT_EQ(tensor(3).tolist().repr(), "3");
  EXPECT_EQ(zeros({2, 0}).tolist().repr(), "[[], []]");
}

TEST(Factory, EmptyStrided) {
  EXPECT_EQ(empty_strided({2, 3}, {1, 2}).strides(), (Shape{1, 2}));
  EXPECT_THROW(empty_strided({2}, {1, 2}), ShapeError);
  EXPECT_THROW(empty_strided({2}, {-1}), ShapeError);
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_THROW(empty_strided({large, large}, {1, large}), ShapeError);
  EXPECT_EQ(zeros({1}, {.dtype = int32}).new_empty_strided({2}, {3}).dtype(), int32);
}

TEST(Factory, LogspaceAndScalars) {
  EXPECT_EQ(logspace(0, 2, 3).str(), "tensor([  1.,  10., 100.])");
  EXPECT_EQ(logspace(0, 2, 3, -2).str(), "tensor([ 1., -2.,  4.])");
  EXPECT_EQ(logspace(0, 5, 4, 2, {.dtype = int32}).str(),
            "tensor([ 1,  3, 10, 32], dtype=torch.int32)");
  EXPECT_THROW(logspace(0, 2, -1), ValueError);
  EXPECT_EQ(scalar_tensor(3).dtype(), float32);
  EXPECT_EQ(scalar_tensor(3, {.dtype = int64}).item<int>(), 3);
}

TEST(Factory, ConversionsReturnTheTensorIfPossible) {
  const Tensor x = tensor({1.f, 2.f});
  EXPECT_TRUE(as_tensor(x).is_same(x));
  EXPECT_EQ(as_tensor(x, {.dtype = float64}).dtype(), float64);
  EXPECT_EQ(as_tensor({1, 2}).dtype(), int64);
  EXPECT_EQ(as_tensor(std::vector<double>{1, 2}).dtype(), float64);
  EXPECT_TRUE(asarray(x).is_same(x));
  EXPECT_FALSE(asarray(x, {.copy = true}).shares_storage_with(x));
  EXPECT_THROW(asarray(x, {.dtype = float64, .copy = false}), ValueError);
  const Tensor leaf = zeros({2}).set_requires_grad();
  EXPECT_FALSE(asarray(leaf, {.requires_grad = false}).requires_grad());
  EXPECT_TRUE(asarray(x, {.requires_grad = true}).requires_grad());
  EXPECT_FALSE(x.requires_grad());
}

TEST(DefaultDevice, AppliesToFactories) {
  EXPECT_EQ(get_default_device(), Device::cpu());
  set_default_device(Device::meta());
  const Tensor x = zeros({2}), y = tensor({1, 2}), z = arange(3), r = rand({2});
  const Tensor host = zeros({2}, {.device = Device::cpu()});
  set_default_device(Device::cpu());
  for (const Tensor& t : {x, y, z, r}) EXPECT_TRUE(t.device().is_meta());
  EXPECT_TRUE(host.device().is_cpu());
  EXPECT_THROW(set_default_device(Device::cuda()), DeviceError);
  EXPECT_EQ(get_default_device(), Device::cpu());
}

TEST(Attributes, SizesInBytes) {
  const Tensor x = zeros({2, 3}, {.dtype = float64});
  EXPECT_EQ(x.ndim(), 2);
  EXPECT_EQ(x.itemsize(), 8u);
  EXPECT_EQ(x.nbytes(), 48u);
}

}  // namespace
}  // namespace taper
