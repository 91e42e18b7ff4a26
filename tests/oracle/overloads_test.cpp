// Signatures and the selection of overloads in taper_oracle.
#include "functions/overloads.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "cases/outcome.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper::oracle {
namespace {

const Tensor kTensor = zeros({2});

TEST(Signature, BindsArgumentsByPositionAndName) {
  const Signature s("f(Tensor input, int dim, Tensor index, *, Number alpha=1)");
  EXPECT_EQ(s.name(), "f");
  const auto bound = s.bind({kTensor, 0, kTensor}, {{"alpha", 2.5}});
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->at("dim").as_int(), 0);
  EXPECT_EQ(bound->at("alpha").as_double(), 2.5);
  EXPECT_TRUE(s.bind({kTensor}, {{"index", kTensor}, {"dim", 1}}));
  EXPECT_FALSE(s.bind({kTensor, 0}, {})) << "missing argument";
  EXPECT_FALSE(s.bind({kTensor, 0, kTensor, 1}, {})) << "keyword-only argument by position";
  EXPECT_FALSE(s.bind({kTensor, 0, kTensor}, {{"dim", 1}})) << "given twice";
  EXPECT_FALSE(s.bind({kTensor, 0, kTensor}, {{"beta", 1}})) << "unknown name";
  EXPECT_FALSE(s.bind({kTensor, true, kTensor}, {})) << "a bool is not an int";
}

TEST(Signature, OmitsNoneOfParametersWithDefault) {
  const Signature s("f(int? dim, Number? min=None, None mode=None)");
  const auto bound = s.bind({Value(), Value(), Value()}, {});
  ASSERT_TRUE(bound);
  EXPECT_TRUE(bound->at("dim").is_none());
  EXPECT_EQ(bound->size(), 1u);
  EXPECT_FALSE(s.bind({0, 1, "floor"}, {}));
}

TEST(Signature, CollectsRemainingIntegers) {
  const Signature s("f(Tensor input, int... size)");
  EXPECT_EQ(s.bind({kTensor, 2, 3}, {})->at("size").as_size(), (Shape{2, 3}));
  EXPECT_EQ(s.bind({kTensor, Value::list({2, 3})}, {})->at("size").as_size(), (Shape{2, 3}));
  EXPECT_FALSE(s.bind({kTensor, 2, 2.5}, {}));
}

TEST(Signature, RejectsMalformedText) {
  EXPECT_THROW(Signature("f(Tensor input"), std::logic_error);
  EXPECT_THROW(Signature("f(Tnsor input)"), std::logic_error);
}

TEST(Overloads, AreSelectedByTypes) {
  const auto op = [](const std::string& name, Values positional, NamedValues named = {}) {
    return bind_call(name, std::move(positional), std::move(named)).op;
  };
  EXPECT_EQ(op("torch.pow", {kTensor, 2}), "pow");
  EXPECT_EQ(op("Tensor.pow_", {kTensor, kTensor}), "pow_tensor_");
  EXPECT_EQ(op("torch.pow", {2, kTensor}), "pow_number");
  EXPECT_EQ(op("torch.max", {kTensor}), "max_all");
  EXPECT_EQ(op("Tensor.max", {kTensor, 0}), "max");
  EXPECT_EQ(op("torch.div", {kTensor, 2}, {{"rounding_mode", Value()}}), "div");
  EXPECT_EQ(op("torch.div", {kTensor, 2}, {{"rounding_mode", "floor"}}), "div_mode");
  EXPECT_EQ(op("torch.tan", {kTensor}), "tan");
}

TEST(Overloads, OfMethodsMayHaveTheirOwnOrder) {
  const Tensor mask = kTensor > 0;
  const auto condition = [&](const char* name, Values arguments) {
    return bind_call(name, std::move(arguments), {}).named.at("condition").as_tensor();
  };
  EXPECT_TRUE(condition("torch.where", {mask, kTensor, 0}).is_same(mask));
  EXPECT_TRUE(condition("Tensor.where", {kTensor, mask, 0}).is_same(mask));
}

TEST(Overloads, RejectUnknownArguments) {
  EXPECT_THROW(bind_call("torch.gather", {kTensor, 0, kTensor}, {{"sparse_grad", true}}),
               Unsupported);
  EXPECT_THROW(bind_call("torch.gather", {kTensor, kTensor, 0}, {}), TypeError);
}

}  // namespace
}  // namespace taper::oracle
