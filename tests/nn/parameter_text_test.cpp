#include <gtest/gtest.h>

#include <sstream>

#include "taper/core/factory.h"
#include "taper/nn/functional_call.h"
#include "taper/nn/linear.h"

namespace {

using namespace taper;

template <class T> std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

const std::string kWeight = "Parameter containing:\ntensor([[1., 2.]], requires_grad=True)";

nn::Linear linear() {
  nn::Linear m(2, 1, {.bias = false});
  m.weight = nn::Parameter(tensor({{1.f, 2.f}}));
  return m;
}

TEST(ParameterText, IterationPrintsParametersAsPython) {
  nn::Linear m = linear();
  for (auto& [name, p] : m.named_parameters()) {
    EXPECT_EQ(printed(p), kWeight);
    EXPECT_EQ(p.str(), kWeight);
  }
  for (const Tensor& p : m.parameters()) EXPECT_EQ(printed(p), kWeight);
  const Tensor handle = m.weight;
  EXPECT_EQ(printed(handle), kWeight);
  EXPECT_EQ(printed(Value(handle)), kWeight);
  EXPECT_EQ(printed(m.weight), kWeight);
}

TEST(ParameterText, ResultsAndAliasesPrintAsTensors) {
  nn::Linear m = linear();
  EXPECT_EQ(printed(m.weight.detach()), "tensor([[1., 2.]])");
  EXPECT_EQ(printed(m.weight.data()), "tensor([[1., 2.]])");
  EXPECT_EQ(printed(m.weight * 2), "tensor([[2., 4.]], grad_fn=<MulBackward0>)");
  EXPECT_EQ(printed(m.state_dict()["weight"].as_tensor()), "tensor([[1., 2.]])");
  const Tensor plain = tensor({{1.f, 2.f}});
  const nn::Parameter made(plain);
  EXPECT_EQ(printed(plain), "tensor([[1., 2.]])");
}

TEST(ParameterText, SurvivesConversionCloneAndLoading) {
  nn::Linear m = linear();
  m.to(float64).to(float32);
  EXPECT_EQ(printed(m.named_parameters()[0].value), kWeight);
  EXPECT_EQ(printed(m.clone().named_parameters()[0].value), kWeight);
  m.load_state_dict(linear().state_dict(), {.assign = true});
  EXPECT_EQ(printed(m.named_parameters()[0].value), kWeight);
}

TEST(ParameterText, TensorsOfFunctionalCallPrintAsTensors) {
  nn::Linear m = linear();
  const Tensor mine = tensor({{3.f, 4.f}});
  (void)nn::functional_call(m, Value::dict({{"weight", mine}}), ones({1, 2}));
  EXPECT_EQ(printed(mine), "tensor([[3., 4.]])");
  EXPECT_EQ(printed(m.named_parameters()[0].value), kWeight);
}

}  // namespace
