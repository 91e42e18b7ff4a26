// Runs calls of ops drawn from a fixed sequence of inputs.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "target.h"

namespace taper::fuzz {
namespace {

TEST(OpCalls, ReturnOrThrowClearErrors) {
  constexpr int kCalls = 4000;
  std::mt19937 random(15);
  for (int i = 0; i < kCalls; ++i) {
    std::array<std::byte, 8> input;
    for (std::byte& b : input) b = static_cast<std::byte>(random() & 0xff);
    ASSERT_NO_THROW(op(input)) << "call " << i;
  }
}

}  // namespace
}  // namespace taper::fuzz
