// narrow with a start that is a tensor.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

using test::error_text;

TEST(Narrow, ReadsStartFromTensor) {
  const Tensor x = arange(6).view({2, 3});
  EXPECT_TRUE(equal(x.narrow(1, tensor(1), 2), x.narrow(1, 1, 2)));
  EXPECT_TRUE(equal(x.narrow(1, tensor(-1, {.dtype = int8}), 1), x.narrow(1, 2, 1)));
  EXPECT_TRUE(x.narrow(0, tensor(1), 1).shares_storage_with(x));
  EXPECT_THROW(x.narrow(1, tensor(3), 1), IndexError);
}

TEST(Narrow, RejectsStartsThatAreNotIntegers) {
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(error_text<ValueError>([&] { x.narrow(1, tensor({1}), 1); }),
            "narrow: start must be an 0-dim integral Tensor: got shape [1] and dtype int64");
  EXPECT_THROW(x.narrow(1, tensor(1.), 1), ValueError);
  EXPECT_THROW(x.narrow(1, tensor(true), 1), ValueError);
}

}  // namespace
}  // namespace taper
