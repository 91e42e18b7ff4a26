// Calling ops by name, and the attributes and cost that an op's table provides.
#include "ops/call.h"

#include <gtest/gtest.h>

#include "ops/attributes.h"
#include "ops/cost.h"
#include "ops/op_cases.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/taper.h"

namespace taper {
namespace {

using test::contains, test::error_text;

Value arguments(std::initializer_list<std::pair<Value, Value>> entries) {
  return Value::dict(entries);
}

template <class E> std::string error_of(std::string_view op, const Value& args) {
  return error_text<E>([&] { (void)call(op, args.as_dict()); });
}

TEST(Dispatch, ReportsTheNameOfAMissingInput) {
  const Tensor x = ones({2, 2}), none;
  EXPECT_EQ(error_text<ValueError>([&] { x.add(none); }),
            "add: argument 'other' is an undefined tensor");
  EXPECT_EQ(error_text<ValueError>([&] { none.exp(); }),
            "exp: argument 'input' is an undefined tensor");
  EXPECT_EQ(error_text<ValueError>([&] {
              cat({x, x, none});
            }),
            "cat: argument 'tensors' is an undefined tensor");
  EXPECT_EQ(error_text<ValueError>([&] { x.addcmul(x, none); }),
            "addcmul: argument 'tensor2' is an undefined tensor");
}

TEST(CallByName, AcceptsArgumentNamesOfPyTorch) {
  const Tensor x = tensor({1.f, 2.f}), y = tensor({10.f, 20.f});
  const auto add = arguments({{"input", x}, {"other", y}, {"alpha", 2}});
  EXPECT_TRUE(equal(call("add", add.as_dict())[0], tensor({21.f, 42.f})));
  const auto plain = arguments({{"input", x}, {"other", 0.5}});
  EXPECT_TRUE(equal(call("mul", plain.as_dict())[0], tensor({0.5f, 1.f})));
  const auto joined = arguments({{"tensors", Value::list({x, y})}, {"dim", 0}});
  EXPECT_EQ(call("cat", joined.as_dict())[0].shape(), Shape({4}));
  const auto max = arguments({{"input", y}, {"dim", -1}, {"keepdim", true}});
  const auto both = call("max", max.as_dict());
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[1].item<std::int64_t>(), 1);
  const auto summed = arguments({{"input", ones({2, 3})}, {"dim", Value::list({0})}});
  EXPECT_EQ(call("sum", summed.as_dict())[0].shape(), Shape({3}));
}

TEST(CallByName, WritesInPlaceAndIsRecorded) {
  const Tensor x = tensor({1.f, 2.f});
  const Value two = arguments({{"input", x}, {"other", 1}});
  call("add_", two.as_dict());
  EXPECT_TRUE(equal(x, tensor({2.f, 3.f})));
  const Tensor w = tensor({3.f}, {.requires_grad = true});
  const Value one = arguments({{"input", w}});
  call("exp", one.as_dict())[0].sum().backward();
  EXPECT_TRUE(allclose(w.grad(), w.detach().exp()));
}

TEST(CallByName, RejectsInvalidArguments) {
  const Tensor x = ones({2});
  EXPECT_EQ(error_of<KeyError>("nothing", arguments({})), "call: unknown op 'nothing'");
  EXPECT_EQ(error_of<TypeError>("add", arguments({{"input", x}})),
            "add: missing a required argument: 'other'");
  EXPECT_EQ(error_of<TypeError>("add", arguments({{"input", x}, {"other", x}, {"beta", 1}})),
            "add: got an unexpected keyword argument 'beta'");
  EXPECT_TRUE(contains(error_of<TypeError>("sum", arguments({{"input", x}, {"keepdim", "yes"}})),
                       "sum: argument 'keepdim': "));
}

TEST(Attributes, CopyAndRejectUnknownNames) {
  for (const optest::OpCase& c : optest::all_cases()) {
    Attributes copy(*c.op, c.sample.attributes.get());
    EXPECT_EQ(print_op(*c.op, copy.get()), print_op(*c.op, c.sample.attributes.get()));
    EXPECT_THROW(copy.set("no such name", 1), TypeError);
  }
}

TEST(Cost, IsBySizeUnlessOpDefinesIt) {
  const Tensor a = ones({6, 4}), b = ones({4, 5});
  const auto cost = [](const char* op, std::initializer_list<Tensor> inputs) {
    const std::vector<OpInput> ins(inputs.begin(), inputs.end());
    const OpDescriptor& table = *find_op(op);
    const Attributes attributes(table);
    std::vector<Tensor> outs(static_cast<std::size_t>(table.output_count));
    dispatch(table, attributes.get(), ins, outs.data());
    return cost_of(table, attributes.get(), ins, outs);
  };
  EXPECT_EQ(cost("add", {a, a}).bytes, 4 * 24 * 3);
  EXPECT_EQ(cost("add", {a, a}).flops, 24);
  EXPECT_EQ(cost("mm", {a, b}).flops, 2 * 6 * 4 * 5);
  EXPECT_EQ(cost("mm", {a, b}).bytes, 4 * (24 + 20 + 30));
}

}  // namespace
}  // namespace taper
