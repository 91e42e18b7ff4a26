#include <gtest/gtest.h>

#include "taper/autograd/grad_mode.h"

namespace {

using namespace taper;

// A disabled inference mode enables gradients in any outer mode, as in PyTorch.
TEST(InferenceMode, DisabledModeEnablesGrad) {
  const NoGrad without;
  {
    const taper::InferenceMode outer;
    const taper::InferenceMode inner(false);
    EXPECT_TRUE(is_grad_enabled());
    EXPECT_FALSE(is_inference_mode_enabled());
  }
  EXPECT_FALSE(is_grad_enabled());
}

}  // namespace
