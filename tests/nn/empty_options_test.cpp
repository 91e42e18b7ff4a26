// Layers whose arguments are all optional accept empty braces.
#include <gtest/gtest.h>

#include "taper/nn/nn.h"

namespace {

using namespace taper;

TEST(EmptyOptions, AreTheDefaults) {
  EXPECT_EQ(nn::Dropout({}).str(), nn::Dropout().str());
  EXPECT_EQ(nn::Flatten({}).str(), nn::Flatten().str());
  EXPECT_EQ(nn::GELU({}).str(), nn::GELU().str());
  EXPECT_EQ(nn::PReLU({}).str(), nn::PReLU().str());
  EXPECT_EQ(nn::CrossEntropyLoss({}).ignore_index, -100);
  EXPECT_EQ(nn::LazyBatchNorm2d({}).eps, nn::LazyBatchNorm2d().eps);
  EXPECT_EQ(nn::Dropout({.p = 0.25}).str(), nn::Dropout(0.25).str());
}

}  // namespace
