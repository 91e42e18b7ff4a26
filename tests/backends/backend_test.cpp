// The backend ABI, tested with the probe backend: loading, memory, kernels, fallback, transfers,
// mixed devices.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "probe.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/memory.h"
#include "taper_paths.h"

namespace taper {
namespace {

using test::contains, test::error_text;

int kernel_calls() {
  void* library = dlopen(TAPER_PROBE_BACKEND, RTLD_NOW | RTLD_LOCAL);
  const auto f = reinterpret_cast<int (*)()>(dlsym(library, "probe_kernel_calls"));
  const int n = f();
  dlclose(library);
  return n;
}
class DeviceBackend : public testing::Test {
 protected:
  void SetUp() override { probe(); }
};

TEST_F(DeviceBackend, RegistersMatchingKernelsAndReportsRejectedOnes) {
  EXPECT_EQ(probe().device_type, "probe");
  EXPECT_EQ(probe().devices, 2);
  EXPECT_EQ(probe().kernels, (std::vector<std::string>{"add", "mul"}));
  ASSERT_EQ(probe().rejected.size(), 1u);
  EXPECT_EQ(probe().rejected[0],
            "sum(input; axis: int) -> output, expected " + backend::op_schema("sum"));
  EXPECT_THROW(backend::load(TAPER_PROBE_BACKEND), DeviceError);
  EXPECT_THROW(backend::load("/nonexistent/libtaper_none.so"), IoError);
}

TEST_F(DeviceBackend, ReportsUnknownDevices) {
  EXPECT_EQ(error_text([] { zeros({2}, {.device = "cuda:1"}); }),
            "device cuda:1: no backend for 'cuda' is loaded (built-in devices: cpu, meta)");
  EXPECT_EQ(error_text([] { zeros({2}, {.device = "probe:2"}); }),
            "device probe:2: invalid device index: got 2, expected less than 2");
  EXPECT_THROW(Device("probe:x"), DeviceError);
  EXPECT_THROW(Device(""), DeviceError);
}

TEST_F(DeviceBackend, CopiesTensorsToDeviceAndBack) {
  const Tensor x = arange(6.0).view({2, 3});
  const Tensor there = x.to("probe:1");
  EXPECT_EQ(there.device().str(), "probe:1");
  EXPECT_TRUE(equal(there.cpu(), x));
  EXPECT_TRUE(equal(there.to("probe:0").cpu(), x));
  EXPECT_TRUE(equal(x.t().to("probe:0").cpu(), x.t()));
  EXPECT_EQ(there[1][2].item<float>(), 5);
  EXPECT_EQ(error_text([&] { there.data<float>(); }),
            "data: the elements are on probe:1; copy them with to(\"cpu\") first");
}

TEST_F(DeviceBackend, RunsOwnKernelsAndFallsBackToCpu) {
  const Tensor a = arange(6.0).view({2, 3}), b = full({3}, 2.0);
  const Tensor pa = a.to("probe:0"), pb = b.to("probe:0");
  const int before = kernel_calls();
  EXPECT_TRUE(equal((pa + pb).cpu(), a + b));
  EXPECT_TRUE(equal((pa.t() * pa.t()).cpu(), a.t() * a.t()));
  EXPECT_EQ(kernel_calls(), before + 2);
  EXPECT_TRUE(equal(pa.sum({1}).cpu(), a.sum({1})));  // the rejected kernel must not run
  EXPECT_EQ(kernel_calls(), before + 2);
  EXPECT_TRUE(equal((pa * 2).cpu(), a * 2));  // `other` is a Python number: the kernel declines
  pa.slice(1, 0, 3, 2).fill_(-1);             // gaps between written elements keep their values
  a.slice(1, 0, 3, 2).fill_(-1);
  EXPECT_TRUE(equal(pa.cpu(), a));
}

TEST_F(DeviceBackend, GradientsFlowOnAndAcrossDevices) {
  const Tensor x = tensor({1., 2., 3.}, {.requires_grad = true});
  const Tensor y = x.to("probe:0");
  (y * y).sum().backward();
  EXPECT_TRUE(x.grad().device().is_cpu());
  EXPECT_TRUE(equal(x.grad(), tensor({2., 4., 6.})));
  const Tensor leaf = tensor({1., 2.}).to("probe:1").set_requires_grad();
  (leaf * leaf * leaf).sum().backward();
  EXPECT_EQ(leaf.grad().device().str(), "probe:1");
  EXPECT_TRUE(equal(leaf.grad().cpu(), tensor({3., 12.})));
}

TEST_F(DeviceBackend, RejectsMixedDevices) {
  const Tensor cpu = ones({2}), p0 = cpu.to("probe:0"), p1 = cpu.to("probe:1");
  EXPECT_EQ(
      error_text([&] { cpu + p0; }),
      "add: Expected all tensors to be on the same device, but found at least two devices, cpu "
      "and probe:0!");
  EXPECT_EQ(error_text([&] { p0* p1; }),
            "mul: Expected all tensors to be on the same device, but found at least two devices, "
            "probe:0 and probe:1!");
  EXPECT_TRUE(
      equal((p0 * tensor(3.0)).cpu(), full({2}, 3.0)));  // an operand can be a 0-dim CPU tensor
  EXPECT_TRUE(equal((tensor(3.0) * p0).cpu(), full({2}, 3.0)));
  p0.copy_(full({2}, 4.0));  // copy_ accepts a tensor of another device
  EXPECT_TRUE(equal(p0.cpu(), full({2}, 4.0)));
}

TEST_F(DeviceBackend, CountsAndReleasesMemory) {
  const auto before = memory::stats("probe:1").allocated;
  {
    const Tensor t = zeros({1000}, {.device = "probe:1"});
    EXPECT_EQ(memory::stats("probe:1").allocated, before + 4000);
  }
  EXPECT_EQ(memory::stats("probe:1").allocated, before);
  const std::string text = error_text([] { zeros({1 << 25}, {.device = "probe:1"}); });
  EXPECT_TRUE(
      contains(text, "probe:1: allocating 134217728 bytes: the probe has 64 MiB per device"));
}

}  // namespace
}  // namespace taper
