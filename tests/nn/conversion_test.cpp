#include "nets.h"

namespace {

using namespace nets;

struct Counted : nn::Module {
  Scale layer{2};
  nn::Buffer count{zeros({}, {.dtype = int64})};
  Tensor plain = ones({2});
  TAPER_MODULE(Counted, layer, count)
  Tensor forward(const Tensor& x) { return layer(x); }
};

// R2.5-02, R6.1-01, R6.1-02, R6.1-03, R6.1-06, R6.1-07, R6.1-08, R6.1-09, R6.2-04, R6.2-11,
// R4.2-01, R5.5-07
TEST(To, DtypeChangesFloatingTensorsAndKeepsParameters) {
  Counted m;
  m(row(1, 2)).sum().backward();
  const Tensor before = m.layer.weight, grad = m.layer.weight.grad();
  EXPECT_EQ(&m.to(float64), &m);
  EXPECT_TRUE(m.layer.weight.is_same(before));
  EXPECT_EQ(before.dtype(), float64);
  EXPECT_TRUE(before.requires_grad());
  EXPECT_TRUE(before.grad().is_same(grad));
  EXPECT_EQ(grad.dtype(), float64);
  EXPECT_EQ(m.layer.mean.dtype(), float64);
  EXPECT_EQ(m.count.dtype(), int64);
  EXPECT_EQ(m.plain.dtype(), float32);
  m.to(zeros({1}));
  EXPECT_EQ(before.dtype(), float32);
  EXPECT_EQ(before.data<float>()[1], 2);
  m(row(1, 2)).sum().backward();
  EXPECT_EQ(grad.data<float>()[1], 4);  // accumulated in the same object
}

// R6.1-13
TEST(To, TiedParametersStayTied) {
  Net net;
  net.class_.weight = net.first.weight;
  net.to(float64);
  EXPECT_TRUE(net.class_.weight.is_same(net.first.weight));
  EXPECT_EQ(net.first.weight.dtype(), float64);
}

TEST(To, KeepsTheStaticTypeAndChains) {
  auto net = Net().to(Device::cpu()).to(float64).eval();
  static_assert(std::is_same_v<decltype(net), Net>);
  EXPECT_EQ(net.first.weight.dtype(), float64);
  EXPECT_FALSE(net.training);
}

// R6.2-05
TEST(To, RefusesIntegerDtypes) {
  Net net;
  EXPECT_EQ(text_of<TypeError>([&] { net.to(int32); }),
            "nn.Module.to only accepts floating point or complex dtypes, but got desired "
            "dtype=torch.int32");
  EXPECT_THROW(net.to(tensor({1})), TypeError);
}

// R6.1-11, R6.1-04, R6.2-08
TEST(To, MetaReplacesParametersAndHasNoWayBack) {
  Counted m;
  const Tensor before = m.layer.weight;
  m.to("meta");
  EXPECT_FALSE(m.layer.weight.is_same(before));
  EXPECT_TRUE(m.layer.weight.device().is_meta());
  EXPECT_TRUE(m.layer.weight.requires_grad());
  EXPECT_TRUE(m.count.device().is_meta());
  EXPECT_EQ(
      text_of<NotImplementedError>([&] { m.to(Device::cpu()); }),
      "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead "
      "of torch.nn.Module.to() when moving module from meta to a different device.");
}

TEST(To, ADeviceThatIsNotThereLeavesTheModuleAlone) {
  Net net;
  EXPECT_THROW(net.to(Device::cuda()), Error);
  EXPECT_TRUE(net.first.weight.device().is_cpu());
}

}  // namespace
