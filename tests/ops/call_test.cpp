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

template <class T> Value value_at(AttributeRef a) {
  return Value(*static_cast<const T*>(a.address));
}
template <class T> Value optional_at(AttributeRef a) {
  const auto& v = *static_cast<const std::optional<T>*>(a.address);
  return v ? Value(*v) : Value();
}
/// Returns the value with which Attributes::set reproduces an attribute, or an empty list, which it
/// rejects, if the attribute is opaque.
Value value_of(AttributeRef a) {
  using Kind = AttributeRef::Kind;
  switch (a.kind) {
    case Kind::integer: return value_at<std::int64_t>(a);
    case Kind::floating: return value_at<double>(a);
    case Kind::boolean: return value_at<bool>(a);
    case Kind::shape: return value_at<Shape>(a);
    case Kind::scalar: return value_at<Scalar>(a);
    case Kind::string: return value_at<std::string>(a);
    case Kind::dtype: return value_at<DType>(a);
    case Kind::optional_integer: return optional_at<std::int64_t>(a);
    case Kind::optional_floating: return optional_at<double>(a);
    case Kind::optional_shape: return optional_at<Shape>(a);
    case Kind::optional_scalar: return optional_at<Scalar>(a);
    case Kind::optional_dtype: return optional_at<DType>(a);
    case Kind::opaque: break;
  }
  return Value::list({});  // rejected by Attributes::set
}

struct NamedValue {
  std::string name;
  Value value;
  bool is_opaque;
};
std::vector<NamedValue> values_of(const OpDescriptor& op, const void* attributes) {
  std::vector<NamedValue> all;
  op.fields(
      const_cast<void*>(attributes),
      [](void* context, std::string_view name, AttributeRef a) {
        static_cast<std::vector<NamedValue>*>(context)->push_back(
            {std::string(name), value_of(a), a.kind == AttributeRef::Kind::opaque});
      },
      &all);
  return all;
}

TEST(Attributes, AcceptValuesOfSamplesByName) {
  for (const optest::OpCase& c : optest::all_cases()) {
    const void* const sample = c.sample.attributes.get();
    Attributes built(*c.op);
    for (const NamedValue& a : values_of(*c.op, sample))
      if (a.is_opaque)
        EXPECT_THROW(built.set(a.name, a.value), TypeError) << c.name() << " " << a.name;
      else
        built.set(a.name, a.value);
    EXPECT_EQ(print_op(*c.op, built.get()), print_op(*c.op, sample));
  }
}

TEST(Attributes, AreCopiedByValue) {
  Attributes original(*find_op("add"));
  original.set("alpha", 2);
  Attributes copy(*find_op("add"), original.get());
  copy.set("alpha", 3);
  EXPECT_EQ(print_op(*find_op("add"), original.get()), "add(alpha=2)");
  EXPECT_EQ(print_op(*find_op("add"), copy.get()), "add(alpha=3)");
}

TEST(Attributes, RejectUnknownNamesAndWrongKinds) {
  Attributes attributes(*find_op("sum"));
  EXPECT_EQ(error_text<TypeError>([&] { attributes.set("dims", 1); }),
            "sum: got an unexpected keyword argument 'dims'");
  EXPECT_TRUE(error_text<TypeError>([&] {
                attributes.set("keepdim", "yes");
              }).starts_with("sum: argument 'keepdim': "));
}

TEST(Cost, IsBySizeUnlessOpDefinesIt) {
  const Tensor a = ones({6, 4}), b = ones({4, 5});
  const auto cost = [](const char* op, std::initializer_list<Tensor> inputs) {
    const std::vector<OpInput> ins(inputs.begin(), inputs.end());
    const OpDescriptor& descriptor = *find_op(op);
    const Attributes attributes(descriptor);
    std::vector<Tensor> outs(static_cast<std::size_t>(descriptor.output_count));
    dispatch(descriptor, attributes.get(), ins, outs.data());
    return cost_of(descriptor, attributes.get(), ins, outs);
  };
  EXPECT_EQ(cost("add", {a, a}).bytes, 4 * 24 * 3);
  EXPECT_EQ(cost("add", {a, a}).flops, 24);
  EXPECT_EQ(cost("mm", {a, b}).flops, 2 * 6 * 4 * 5);
  EXPECT_EQ(cost("mm", {a, b}).bytes, 4 * (24 + 20 + 30));
}

}  // namespace
}  // namespace taper
