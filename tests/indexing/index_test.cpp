// x[{...}] with tensors: reads, writes, masks, rejected indices, names of nodes.
#include <gtest/gtest.h>

#include "support/contains.h"
#include "support/error_text.h"
#include "support/tensors.h"
#include "support/warning_capture.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

using test::arange_shaped, test::contains, test::error_text, test::WarningCapture;

std::string name(const Tensor& t) { return t.grad_fn().name(); }

const Tensor kMask = tensor({true, false, true});

TEST(Index, ReadsByTensorIndices) {
  const Tensor x = arange_shaped({3, 4});
  EXPECT_EQ(x[tensor({2, -3})].str(),
            "tensor([[ 8.,  9., 10., 11.],\n        [ 0.,  1.,  2.,  3.]])");
  EXPECT_EQ((x[{tensor({0, 1}), tensor({3, -1})}].str()), "tensor([3., 7.])");
  EXPECT_EQ((x[{tensor({{0}, {2}}), tensor({1, 2})}].str()),
            "tensor([[ 1.,  2.],\n        [ 9., 10.]])");
  EXPECT_EQ((x[{Slice{0, 2}, tensor({1, 1}, {.dtype = int32})}].str()),
            "tensor([[1., 1.],\n        [5., 5.]])");
  EXPECT_EQ(x[kMask].sum().item<float>(), 44);
  EXPECT_EQ(x[x > 9].str(), "tensor([10., 11.])");
  EXPECT_EQ(x[tensor(1)].str(), "tensor([4., 5., 6., 7.])");
  EXPECT_TRUE(Tensor(x[tensor(1)]).shares_storage_with(x));
  EXPECT_EQ(x.index({kMask, 1}).str(), "tensor([1., 9.])");
}

TEST(Index, AcceptsASliceAndAnyIntegerWithoutBraces) {
  const Tensor x = arange_shaped({3, 2});
  EXPECT_TRUE(equal(x[Slice{1, 3}], x[{Slice{1, 3}}]));
  x[Slice{0, 1}] = 7;
  EXPECT_TRUE(equal(x[std::size_t{0}], full({2}, 7.0)));
  EXPECT_TRUE(equal(x[static_cast<unsigned char>(2)], x[-1]));
}

TEST(Index, PlacesIndexedDimensionsAsPyTorch) {
  const Tensor x = zeros({3, 4, 5, 6}), i = tensor({0, 1}), mask = ones({4, 5}) > 0;
  const auto shape = [](const Tensor& t) { return t.shape().str(); };
  EXPECT_EQ(shape(x[{Slice{}, i, i}]), "[3, 2, 6]");
  EXPECT_EQ(shape(x[{i, Slice{}, i}]), "[2, 4, 6]");
  EXPECT_EQ(shape(x[{i, 0, i}]), "[2, 6]");
  EXPECT_EQ(shape(x[{i, newaxis, i}]), "[2, 1, 5, 6]");
  EXPECT_EQ(shape(x[{ellipsis, i.view({1, 2})}]), "[3, 4, 5, 1, 2]");
  EXPECT_EQ(shape(x[{Slice{}, mask, newaxis}]), "[3, 20, 1, 6]");
  EXPECT_EQ(shape(x[{Slice{}, mask, 0}]), "[3, 20]");
  EXPECT_EQ(shape(x[tensor(true)]), "[1, 3, 4, 5, 6]");
  EXPECT_EQ(shape(x[tensor(false)]), "[0, 3, 4, 5, 6]");
  EXPECT_EQ(shape(tensor(3.)[tensor(true)]), "[1]");
}

TEST(Index, WritesThroughTemporaries) {
  Tensor x = arange_shaped({3, 4});
  x[kMask] = 1.5;
  EXPECT_EQ(x.sum().item<float>(), 8 * 1.5 + 22);
  x[x > 4.5] = tensor({7, 8, 9});  // the values are converted to the dtype of x
  EXPECT_EQ(x[1].str(), "tensor([4., 7., 8., 9.])");
  x[{tensor({0, 2}), tensor({0, 3})}] = tensor({-1., -2.});
  EXPECT_EQ((x[{0, 0}].item<float>()), -1);
  EXPECT_EQ((x[{2, 3}].item<float>()), -2);
  x[{Slice{}, tensor({1})}] = 0;
  EXPECT_EQ((x[{Slice{}, 1}].str()), "tensor([0., 0., 0.])");
  x[{1, Slice{2}}] = ones({1, 1, 2});
  EXPECT_EQ(x[1].str(), "tensor([4., 0., 1., 1.])");
  x[0] = ones({1, 4});
  x[tensor({1, 2})] = x[tensor({0, 0})];
  EXPECT_EQ(x.str(),
            "tensor([[1., 1., 1., 1.],\n        [1., 1., 1., 1.],\n        [1., 1., 1., 1.]])");
}

TEST(Index, ChangesInPlace) {
  const Tensor x = arange_shaped({4});
  x[x > 1] *= 10;
  x[tensor({0, 0})] += 5;  // adds 5 once, as in Python
  x[{Slice{1, 2}}] -= 3;
  EXPECT_EQ(x.str(), "tensor([ 5., -2., 20., 30.])");
}

TEST(Index, NamedResultsAreOrdinaryTensors) {
  const Tensor x = arange_shaped({4});
  auto y = x[x > 1];
  y = y + 1;
  EXPECT_EQ(y.str(), "tensor([3., 4.])");
  EXPECT_EQ(x.str(), "tensor([0., 1., 2., 3.])");
}

TEST(Index, PutReplacesOrAccumulates) {
  const Tensor x = zeros({3}), i = tensor({0, 0, 2}), v = tensor({1., 2., 3.});
  EXPECT_EQ(x.index_put({i}, v).str(), "tensor([2., 0., 3.])");
  EXPECT_EQ(x.index_put({i}, v, true).str(), "tensor([3., 0., 3.])");
  EXPECT_EQ(x.index_put_({kMask}, tensor(4.), true).str(), "tensor([4., 0., 4.])");
  EXPECT_EQ(arange_shaped({2, 3}).index_put({1, tensor({0})}, tensor({9.})).str(),
            "tensor([[0., 1., 2.],\n        [9., 4., 5.]])");
}

TEST(Index, RejectsInvalidIndices) {
  const Tensor x = arange_shaped({3, 4});
  const auto read = [&](const Tensor& i) { return error_text<IndexError>([&] { return x[i]; }); };
  EXPECT_TRUE(contains(read(tensor({5})), "index 5 is out of bounds for dimension 0 with size 3"));
  EXPECT_TRUE(
      contains(read(tensor({-4})), "index -4 is out of bounds for dimension 0 with size 3"));
  EXPECT_TRUE(contains(read(tensor(7)), "index 7 is out of bounds for dimension 0 with size 3"));
  EXPECT_TRUE(contains(
      read(ones({4}) > 0),
      "The shape of the mask [4] at index 0 does not match the shape of the indexed tensor "
      "[3, 4] at index 0"));
  EXPECT_TRUE(
      contains(read(ones({3, 3}) > 0), "The shape of the mask [3, 3] at index 1 does not match"));
  EXPECT_TRUE(contains(read(tensor({0.5})),
                       "tensors used as indices must be long, int, byte or bool tensors"));
  const auto rejected = [&](std::initializer_list<Index> i) {
    return error_text<IndexError>([&] { return x.index(i); });
  };
  EXPECT_TRUE(contains(rejected({Slice{}, tensor({5})}),
                       "index 5 is out of bounds for dimension 1 with size 4"));
  EXPECT_TRUE(contains(rejected({0, 9}), "index 9 is out of bounds for dimension 1 with size 4"));
  EXPECT_TRUE(
      contains(rejected({0, 0, tensor({0})}), "too many indices for tensor of dimension 2"));
  EXPECT_TRUE(contains(
      rejected({tensor({0, 1}), tensor({0, 1, 2})}),
      "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]"));
  EXPECT_TRUE(contains(error_text<IndexError>([&] { return x[0][0][0]; }),
                       "invalid index of a 0-dim tensor"));
}

TEST(Index, RejectedWritesChangeNothing) {
  const Tensor x = arange_shaped({3, 4}), before = x.clone();
  EXPECT_TRUE(contains(
      error_text<ShapeError>([&] {
        return x[tensor({0, 1})] = ones({3}), 0;
      }),
      "shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of "
      "shape [2, 4]"));
  EXPECT_TRUE(contains(error_text<IndexError>([&] {
                         return x[tensor({0, 9})] = 1, 0;
                       }),
                       "index 9 is out of"));
  EXPECT_TRUE(contains(error_text<DTypeError>([&] {
                         return x.index_put_({tensor({0})}, ones({4}, {.dtype = float64}));
                       }),
                       "Index put requires the source and destination dtypes match"));
  EXPECT_TRUE(equal(x, before));
}

TEST(Index, SelfAssignmentReadsBeforeWriting) {
  const Tensor x = arange_shaped({3}), turned = tensor({1, 2, 0});
  x[turned] = x;
  EXPECT_EQ(x.str(), "tensor([2., 0., 1.])");
  x.scatter_(0, turned, x);
  EXPECT_EQ(x.str(), "tensor([1., 2., 0.])");
  x.masked_scatter_(tensor({false, true, true}), x);
  EXPECT_EQ(x.str(), "tensor([1., 1., 2.])");
}

TEST(Index, WarnsOfByteMasks) {
  const WarningCapture warnings;
  EXPECT_EQ(arange_shaped({3})[tensor({1, 0, 1}, {.dtype = uint8})].str(), "tensor([0., 2.])");
  EXPECT_TRUE(contains(warnings.last(), "torch.uint8 is now deprecated"));
}

TEST(Index, GradientsAccumulateForRepeatedIndices) {
  const Tensor x = tensor({1., 2., 3.}, {.requires_grad = true});
  x[tensor({0, 0, 2})].mul(tensor({1., 10., 100.})).sum().backward();
  EXPECT_EQ(x.grad().str(), "tensor([ 11.,   0., 100.])");
}

TEST(Index, WritesAreRecorded) {
  const Tensor x = arange_shaped({3}).requires_grad_(),
               v = tensor({5., 6.}, {.requires_grad = true});
  const Tensor y = x * 2;
  y[kMask] = v;
  (y * tensor({1., 10., 100.})).sum().backward();
  EXPECT_EQ(x.grad().str(), "tensor([ 0., 20.,  0.])");
  EXPECT_EQ(v.grad().str(), "tensor([  1., 100.])");
  const Tensor z = arange_shaped({2, 3}) * x;
  z[{0, tensor({1})}] = 0.;  // writes through a view
  x.set_grad({});
  z.sum().backward();
  EXPECT_EQ(x.grad().str(), "tensor([3., 4., 7.])");
}

TEST(Index, NodesHaveNamesOfPyTorch) {
  const Tensor x = ones({3, 4}, {.requires_grad = true}), i = tensor({0, 2});
  EXPECT_EQ(name(x[i]), "IndexBackward0");
  EXPECT_EQ(name(x[kMask]), "IndexBackward0");
  EXPECT_EQ(name(x.index_put({i}, ones({2, 4}))), "IndexPutBackward0");
  const auto written = [&](auto&& write) {
    const Tensor y = x * 1;
    write(y);
    return name(y);
  };
  EXPECT_EQ(written([&](const Tensor& y) { y[i] = 1.; }), "IndexFillBackward0");
  EXPECT_EQ(written([&](const Tensor& y) { y[kMask] = 1.; }), "MaskedFillBackward0");
  EXPECT_EQ(written([&](const Tensor& y) { y[kMask] = tensor(1.); }), "IndexPutBackward0");
  EXPECT_EQ(written([&](const Tensor& y) { y[i] = ones({2, 4}); }), "IndexPutBackward0");
  EXPECT_EQ(written([&](const Tensor& y) { y[{0, i}] = 1.; }), "CopySlices");
}

TEST(Index, InfersShapesOnMeta) {
  const Tensor x = zeros({3, 4}, {.device = Device::meta()});
  EXPECT_EQ(x[tensor({0, 1, 1})].shape(), (Shape{3, 4}));
  EXPECT_EQ((x[{Slice{}, zeros({2, 2}, {.dtype = int64, .device = Device::meta()})}].shape()),
            (Shape{3, 2, 2}));
  x[tensor({0})] = 1;
  EXPECT_TRUE(
      contains(error_text<NotImplementedError>([&] { return x[x > 0]; }), "depends on data"));
}

TEST(Index, RejectsWriteThroughReassignedResult) {
  Tensor x = zeros({3});
  IndexProxy selected = x[tensor({0, 1})];
  selected = ones({2});
  EXPECT_TRUE(contains(error_text<RuntimeError>([&] { std::move(selected) = 2; }),
                       "the result of indexing was assigned another tensor"));
  EXPECT_TRUE(equal(x, zeros({3})));
}

}  // namespace
}  // namespace taper
