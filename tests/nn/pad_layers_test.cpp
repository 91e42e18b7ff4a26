// Padding layers.
#include "nets.h"
#include "taper/nn/functional.h"
#include "taper/nn/padding.h"

namespace {

using namespace nets;

// R8.2-24, R8.2-25, R8.2-26
TEST(PadLayers, PrintAsPyTorch) {
  EXPECT_EQ(nn::ReflectionPad2d(2).str(), "ReflectionPad2d((2, 2, 2, 2))");
  EXPECT_EQ(nn::ZeroPad2d(1).str(), "ZeroPad2d((1, 1, 1, 1))");
  EXPECT_EQ(nn::ReplicationPad1d({1, 2}).str(), "ReplicationPad1d((1, 2))");
  EXPECT_EQ(nn::ConstantPad1d(2, 3.5).str(), "ConstantPad1d(padding=(2, 2), value=3.5)");
  EXPECT_EQ(nn::CircularPad1d(2).str(), "CircularPad1d((2, 2))");
}

TEST(PadLayers, MatchPadFunction) {
  const Tensor x = tensor({{1.0, 2.0, 3.0}});
  EXPECT_TRUE(equal(nn::ReflectionPad1d({1, 2})(x), tensor({{2.0, 1.0, 2.0, 3.0, 2.0, 1.0}})));
  EXPECT_TRUE(equal(nn::ReplicationPad1d({1, 2})(x), tensor({{1.0, 1.0, 2.0, 3.0, 3.0, 3.0}})));
  EXPECT_TRUE(equal(nn::CircularPad1d({1, 2})(x), tensor({{3.0, 1.0, 2.0, 3.0, 1.0, 2.0}})));
  EXPECT_TRUE(equal(nn::ZeroPad1d({1, -1})(x), tensor({{0.0, 1.0, 2.0}})));
  EXPECT_TRUE(equal(nn::ConstantPad1d({0, 1}, 7)(x), tensor({{1.0, 2.0, 3.0, 7.0}})));
  const Tensor y = ones({1, 2, 3, 4, 5});
  EXPECT_EQ(nn::ConstantPad3d(1, 0.5)(y).shape(), Shape({1, 2, 5, 6, 7}));
  EXPECT_EQ(nn::ReplicationPad3d({0, 1, 0, 2, 0, 3})(y).shape(), Shape({1, 2, 6, 6, 6}));
}

TEST(PadLayers, RejectInvalidInputs) {
  EXPECT_EQ(error_message<ValueError>([] {
              nn::CircularPad2d(1)(ones({2, 2}));
            }),
            "expected 3D or 4D input (got 2D input)");
  EXPECT_THROW(nn::ReflectionPad1d(3)(ones({1, 2})), ShapeError);
  EXPECT_THROW(nn::ZeroPad1d({1, 2, 3})(ones({1, 2})), ValueError);
}

}  // namespace
