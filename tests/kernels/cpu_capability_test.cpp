// The limit of the instruction set by TAPER_CPU_CAPABILITY.
#include "taper/core/cpu_capability.h"

#include <gtest/gtest.h>

#include <cstring>

#include "kernels/targets.h"
#include "support/program.h"
#include "taper/core/factory.h"
#include "taper/nn/nn.h"

namespace taper {
namespace {

/// Returns the bits of the gradient of a small network, as text.
std::string bits_of_step() {
  manual_seed(0);
  nn::Sequential net{nn::Conv2d(3, 24, 3), nn::GELU(),    nn::Conv2d(24, 24, 3),
                     nn::SiLU(),           nn::Flatten(), nn::Linear(24 * 8 * 8, 10)};
  const Tensor loss = F::cross_entropy(net(rand({8, 3, 12, 12})), arange(8));
  loss.backward();
  std::uint64_t hash = 14695981039346656037u;
  for (const Tensor& p : net.parameters()) {
    const Tensor gradient = p.grad();
    for (const float x : gradient.data<float>()) {
      std::uint32_t bits;
      std::memcpy(&bits, &x, sizeof bits);
      hash = (hash ^ bits) * 1099511628211u;
    }
  }
  return std::to_string(hash);
}

// Run by the other tests in a separate process.
TEST(CpuCapability, DISABLED_PrintsResults) {
  std::printf("capability %s bits %s\n", std::string(get_cpu_capability()).c_str(),
              bits_of_step().c_str());
}

test::ProgramResult run_with(const char* capability) {
  return test::run_program({"/proc/self/exe", "--gtest_also_run_disabled_tests",
                            "--gtest_filter=CpuCapability.DISABLED_PrintsResults"},
                           {{"TAPER_CPU_CAPABILITY", capability}});
}

TEST(CpuCapability, IsLimitedByEnvironment) {
  std::string expected;
  test::for_each_target([&] {
    if (hwy::SupportedTargets() & HWY_AVX2)
      expected = "capability AVX2 bits " + bits_of_step() + "\n";
  });
  if (expected.empty()) GTEST_SKIP() << "the processor does not have AVX2";
  const test::ProgramResult run = run_with("avx2");
  EXPECT_NE(run.out.find(expected), std::string::npos) << run.out << "expected " << expected;
  EXPECT_NE(run_with("default").out.find("capability DEFAULT"), std::string::npos);
}

TEST(CpuCapability, WarnsOfUnknownValues) {
  const test::ProgramResult run = run_with("sse9");
  EXPECT_NE(run.err.find("TAPER_CPU_CAPABILITY: expected avx512, avx2 or default, got 'sse9'"),
            std::string::npos)
      << run.err;
  EXPECT_NE(run.out.find("capability " + std::string(get_cpu_capability())), std::string::npos);
}

}  // namespace
}  // namespace taper
