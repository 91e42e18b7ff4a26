// GuardedLaunch, which all kernel tests use, detects faulty kernels.
#include "ops/guarded_launch.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "taper/core/shape.h"

namespace taper::optest {
namespace {

using KernelFunction = void (*)(const void*, const KernelArgs&);

/// Runs `kernel` on a 2 x 2 tensor with one unused element between its rows. Returns the memory.
template <class T> std::array<T, 5> launch_guarded(KernelFunction kernel, DType dtype) {
  static const Shape shape{2, 2}, strides{3, 1};
  std::array<T, 5> memory{};
  OpDescriptor op{};
  op.info.name = "faulty";
  op.reference_kernel = kernel;
  const View out{reinterpret_cast<std::byte*>(memory.data()), &shape, &strides, 4, dtype, nullptr};
  GuardedLaunch().launch(op, nullptr, {{}, {&out, 1}, dtype});
  return memory;
}
float* floats(const KernelArgs& k) { return reinterpret_cast<float*>(k.out[0].data); }
void fill(const KernelArgs& k) {
  for (const int i : {0, 1, 3, 4}) floats(k)[i] = 1;
}

TEST(GuardedLaunchTest, CopiesElementsBack) {
  const auto out =
      launch_guarded<float>([](const void*, const KernelArgs& k) { fill(k); }, DType::f32);
  EXPECT_EQ(out, (std::array<float, 5>{1, 1, 0, 1, 1}));
}

TEST(GuardedLaunchTest, PoisonsUnwrittenElements) {
  const auto out =
      launch_guarded<float>([](const void*, const KernelArgs& k) { floats(k)[0] = 1; }, DType::f32);
  EXPECT_EQ(out[0], 1);
  EXPECT_TRUE(std::isnan(out[1]) && std::isnan(out[3]) && std::isnan(out[4]));
}

TEST(GuardedLaunchTest, DetectsWritesOutsideElements) {
  const auto run = [](KernelFunction kernel) { (void)launch_guarded<float>(kernel, DType::f32); };
  EXPECT_NONFATAL_FAILURE(run([](const void*, const KernelArgs& k) { fill(k), floats(k)[-1] = 1; }),
                          "the kernel of faulty wrote at byte -4 of output 0");
  EXPECT_NONFATAL_FAILURE(run([](const void*, const KernelArgs& k) { fill(k), floats(k)[5] = 1; }),
                          "the kernel of faulty wrote at byte 20 of output 0");
  EXPECT_NONFATAL_FAILURE(run([](const void*, const KernelArgs& k) { fill(k), floats(k)[2] = 1; }),
                          "the kernel of faulty wrote at byte 8 of output 0");
}

TEST(GuardedLaunchTest, DetectsInvalidBools) {
  EXPECT_NONFATAL_FAILURE(
      (void)launch_guarded<unsigned char>([](const void*, const KernelArgs&) {}, DType::bool_),
      "the kernel of faulty left or wrote an invalid bool in output 0");
}

}  // namespace
}  // namespace taper::optest
