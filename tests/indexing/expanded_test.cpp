// Writes to tensors whose elements share memory: those of one value are allowed, as in PyTorch.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "support/contains.h"
#include "support/error_text.h"
#include "support/warning_capture.h"
#include "taper/nn/init.h"
#include "taper/optim/sgd.h"
#include "taper/taper.h"

namespace taper {
namespace {

using test::contains, test::error_text, test::WarningCapture;

Tensor expanded() { return full({1}, 0.5).expand({3}); }

constexpr const char* kSharedMemory =
    "unsupported operation: more than one element of the written-to tensor refers to a single "
    "memory location";

TEST(ExpandedTensor, IsFilled) {
  const WarningCapture warnings;
  EXPECT_EQ(expanded().fill_(2).str(), "tensor([2., 2., 2.])");
  EXPECT_EQ(expanded().zero_().str(), "tensor([0., 0., 0.])");
  EXPECT_EQ(nn::init::constant_(expanded(), 3).str(), "tensor([3., 3., 3.])");
  const Tensor x = expanded();
  x[{Slice{0, 2}}] = 4;
  EXPECT_EQ(x.str(), "tensor([4., 4., 4.])");
  x[1] = 5;
  EXPECT_EQ(x.str(), "tensor([5., 5., 5.])");
  const Tensor square = zeros({1, 1}).expand({3, 3});
  square.fill_diagonal_(6);
  EXPECT_EQ(square[1].str(), "tensor([6., 6., 6.])");
  EXPECT_EQ(warnings.count(), 0u);
}

TEST(ExpandedTensor, IsFilledOncePerElementInMemory) {
  const Tensor one = zeros({1}), two = zeros({2, 1});
  one.expand({std::numeric_limits<std::int64_t>::max()}).fill_(2);
  two.expand({2, std::int64_t{1} << 40})[1].fill_(3);
  EXPECT_EQ(one.str(), "tensor([2.])");
  EXPECT_EQ(two.str(), "tensor([[0.],\n        [3.]])");
}

TEST(ExpandedTensor, IsWrittenInOrderWithAWarning) {
  WarningCapture warnings;
  const Tensor mask = tensor({true, false, true}), index = tensor({0, 1, 2}),
               values = tensor({1.0, 2.0, 3.0});
  EXPECT_EQ(expanded().masked_fill_(mask, 2).str(), "tensor([2., 2., 2.])");
  EXPECT_EQ(warnings.last(),
            "Use of masked_fill_ on expanded tensors is deprecated. Please clone() the tensor "
            "before performing this operation. This also applies to advanced indexing e.g. "
            "tensor[mask] = scalar");
  EXPECT_EQ(expanded().masked_fill_(mask, tensor(2.0)).str(), "tensor([2., 2., 2.])");
  EXPECT_EQ(expanded().masked_fill_(tensor({true, false, false}), 2).str(), "tensor([2., 2., 2.])");
  EXPECT_EQ(expanded().masked_fill_(mask.logical_xor(mask), 2).str(),
            "tensor([0.5000, 0.5000, 0.5000])");
  EXPECT_EQ(expanded().index_fill_(0, index, 2).str(), "tensor([2., 2., 2.])");
  EXPECT_EQ(
      warnings.last(),
      "Use of index_fill_ on expanded tensors is deprecated. Please clone() the tensor before "
      "performing this operation. This also applies to advanced indexing e.g. tensor[mask] = "
      "scalar");
  EXPECT_EQ(expanded().index_fill_(0, index, tensor(2.0)).str(), "tensor([2., 2., 2.])");
  EXPECT_EQ(expanded().index_put_({index}, values).str(), "tensor([3., 3., 3.])");
  EXPECT_EQ(warnings.last(),
            "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before "
            "performing this operation. This also applies to advanced indexing e.g. "
            "tensor[indices] = tensor");
  EXPECT_EQ(expanded().index_put_({index}, values, true).str(), "tensor([6.5000, 6.5000, 6.5000])");
  const Tensor x = expanded();
  x[mask] = 4;
  EXPECT_EQ(x.str(), "tensor([4., 4., 4.])");
  x[index] = 5;
  EXPECT_EQ(x.str(), "tensor([5., 5., 5.])");
  x[mask] = tensor({6.0, 7.0});
  EXPECT_EQ(x.str(), "tensor([7., 7., 7.])");
  EXPECT_EQ(warnings.count(), 11u);
}

TEST(ExpandedTensor, AcceptsThreshold) {
  EXPECT_EQ(threshold_(expanded(), 1, 2).str(), "tensor([2., 2., 2.])");
  EXPECT_EQ(threshold_(expanded(), 0, 2).str(), "tensor([0.5000, 0.5000, 0.5000])");
}

TEST(ExpandedTensor, RejectsWritesOfDifferentValues) {
  const Tensor x = expanded(), y = tensor({1.0, 2.0, 3.0}), index = tensor({0, 1, 2});
  const auto rejects = [](auto&& write) {
    EXPECT_TRUE(contains(error_text<RuntimeError>(write), kSharedMemory));
  };
  rejects([&] { x.copy_(y); });
  rejects([&] { x.fill_(tensor(2.0)); });
  rejects([&] { x[{Slice{0, 2}}] = tensor(2.0); });
  rejects([&] { x.add_(1); });
  rejects([&] { x.mul_(0); });
  rejects([&] { x.neg_(); });
  rejects([&] { x.clamp_(0, 1); });
  rejects([&] { x.relu_(); });
  rejects([&] { x.uniform_(); });
  rejects([&] { x.bernoulli_(0.5); });
  rejects([&] { x.scatter_(0, index, 2); });
  rejects([&] { x.scatter_add_(0, index, y); });
  rejects([&] { x.index_add_(0, index, y); });
  rejects([&] { x.index_copy_(0, index, y); });
  rejects([&] { x.masked_scatter_(index > 0, y); });
  // PyTorch writes the triangle in parallel, with an undefined result.
  rejects([&] { zeros({1, 1}).expand({3, 3}).tril_(); });
  EXPECT_EQ(x.str(), "tensor([0.5000, 0.5000, 0.5000])");
}

TEST(ExpandedTensor, WithoutElementsAcceptsAnyWrite) {
  const Tensor x = ones({1, 0}).expand({3, 0});
  EXPECT_EQ(x.add_(1).shape(), Shape({3, 0}));
  EXPECT_EQ(x.uniform_().shape(), Shape({3, 0}));
  EXPECT_EQ(x.copy_(ones({3, 0})).shape(), Shape({3, 0}));
}

TEST(ExpandedTensor, IsAGradientThatIsZeroed) {
  nn::Parameter p(ones({3}));
  p.set_grad(ones({1}).expand({3}));
  optim::SGD optimizer({p}, {.lr = 1});
  optimizer.zero_grad(false);
  EXPECT_EQ(p.grad().str(), "tensor([0., 0., 0.])");
}

}  // namespace
}  // namespace taper
