#include <sstream>

#include "nets.h"
#include "probe.h"
#include "taper/nn/parameter_dict.h"

namespace {

using namespace nets;

nn::ParameterList mixed() {
  return {ones({2, 3}), tensor(1.0), Value("x"), std::make_shared<Identity>(), nullptr};
}

// R7.4-01. A Tensor, or an argument other than a range, does not compile.
TEST(ParameterList, AcceptsRanges) {
  const std::vector<Tensor> tensors{ones({1}), ones({2})};
  nn::ParameterList p(tensors);
  p.extend(std::vector<nn::Parameter>(1));
  p += Value::list({ones({4})});
  EXPECT_EQ(names(p.named_parameters()), "0 1 2 3");
  EXPECT_EQ(error_text<TypeError>([&] { p.extend(Value(3)); }),
            "ParameterList.extend should be called with an iterable, but got int");
  EXPECT_EQ(error_text<TypeError>([&] { nn::ParameterList bad{Value(ones({2}))}; }),
            "");  // no error: the tensor is one element
  EXPECT_EQ(error_text<TypeError>([&] { p.extend(Value(ones({2}))); }),
            "ParameterList.extend should be called with an iterable, but got Tensor");
}

// R7.4-02
TEST(ParameterList, WrapsTensorsAndKeepsOtherValues) {
  nn::ParameterList p = mixed();
  EXPECT_TRUE(p[0].requires_grad());
  EXPECT_EQ(names(p.named_parameters()), "0 1");
  EXPECT_EQ(names(p.named_children()), "3");
  EXPECT_EQ(p.get(2).as_string(), "x");
  EXPECT_EQ(p.attr<std::string>("2"), "x");  // a plain attribute
  EXPECT_EQ(keys(p.state_dict()), "0 1");
  EXPECT_EQ(error_text<RuntimeError>([] { nn::ParameterList{tensor({1})}; }),
            "Only Tensors of floating point and complex dtype can require gradients");
  const nn::Parameter own(ones({1}), false);
  p.append(own);
  EXPECT_TRUE(p[-1].is_same(own));  // a Parameter is not wrapped
  EXPECT_TRUE(p.append(nn::Buffer(ones({1})))[-1].requires_grad());
}

// R7.4-03
TEST(ParameterList, IsIndexedAndSliced) {
  nn::ParameterList p = mixed();
  EXPECT_EQ(p[-4].shape(), Shape({}));
  EXPECT_EQ(error_text<IndexError>([&] { p[9]; }), "index 9 is out of range");
  EXPECT_THROW(p[2], TypeError);
  nn::ParameterList part = p[Slice{1, 3}];
  EXPECT_TRUE(part[0].is_same(p[1]));
  EXPECT_EQ(part.size(), 2u);
  nn::ParameterList two{ones({1}), ones({2})};
  std::int64_t elements = 0;
  for (nn::Parameter& each : two) elements += each.numel();
  EXPECT_EQ(elements, 3);
}

// R7.4-04
TEST(ParameterList, ReplacesItems) {
  nn::ParameterList p = mixed();
  p.set(0, zeros({4}));
  EXPECT_EQ(p[0].shape(), Shape({4}));
  EXPECT_TRUE(p[0].requires_grad());
  EXPECT_EQ(error_text<TypeError>([&] { p.set(0, 5); }),
            "cannot assign 'int' as parameter '0' (torch.nn.Parameter or None expected)");
  EXPECT_EQ(error_text<IndexError>([&] { p.set(9, 5); }), "index 9 is out of range");
  p.set(2, ones({1}));  // replaces a plain attribute
  EXPECT_EQ(names(p.named_parameters()), "0 1 2");
}

// R7.4-05
TEST(ParameterList, CountsEveryElement) {
  nn::ParameterList p = mixed();
  EXPECT_EQ(p.size(), 5u);
  EXPECT_EQ(p.own_parameters().size(), 2u);
  p.set(0, nullptr);  // the element remains, with the value None
  EXPECT_EQ(p.size(), 5u);
}

// R7.4-06
TEST(ParameterList, AppendAndExtendReturnList) {
  nn::ParameterList p;
  EXPECT_EQ(&p.append(ones({1})), &p);
  EXPECT_EQ(&p.extend({ones({1}), Value(3)}), &p);
  EXPECT_EQ(&(p += p), &p);
  EXPECT_EQ(p.size(), 6u);
  EXPECT_EQ(p.parameters().size(), 2u);
}

// R7.4-07
template <class L>
concept ParameterListHasMore = requires(L l) {
  l.insert(0, Tensor());
}
|| requires(L l) { l.erase(0); }
|| requires(L l) { l.pop(0); }
|| requires(L l) { l.remove(0); }
|| requires(L l) { l.clear(); }
|| requires(L l) { l + l; };
TEST(ParameterList, LacksListMethodsThatPythonLacks) {
  static_assert(!ParameterListHasMore<nn::ParameterList>);
}

// R7.4-08
TEST(ParameterList, RejectsCall) {
  nn::ParameterList p;
  nn::Module& m = p;
  EXPECT_EQ(error_message<RuntimeError>([&] { m(ones({1})); }),
            "ParameterList should not be called.");
  EXPECT_EQ(error_message<RuntimeError>([&] { m.call({}); }),
            "ParameterList should not be called.");
}

// R7.6-03, R7.6-04
TEST(ParameterList, PrintsItsElements) {
  nn::ParameterList p = mixed();
  EXPECT_EQ(p.str(),
            "ParameterList(\n"
            "    (0): Parameter containing: [torch.float32 of size 2x3]\n"
            "    (1): Parameter containing: [torch.float32 of size ]\n"
            "    (2): Object of type: str\n"
            "    (3): Object of type: Identity\n"
            "    (4): Object of type: NoneType\n"
            "  (3): Identity()\n"
            ")");
  EXPECT_EQ(nn::ParameterList{ones({2})}.str(),
            "ParameterList(  (0): Parameter containing: [torch.float32 of size 2])");
  EXPECT_EQ(nn::ParameterList().str(), "ParameterList()");
  p = nn::ParameterList();
  p.register_buffer("0", ones({2}).to(float64));
  nn::ParameterDict d({{"a", ones({2})}, {"bcd", 5}, {"h", ones({1}).to("meta").to(float16)}});
  EXPECT_EQ(d.str(),
            "ParameterDict(\n"
            "    (a): Parameter containing: [torch.FloatTensor of size 2]\n"
            "    (bcd): Object of type: int\n"
            "    (h): Parameter containing: [torch.meta.HalfTensor of size 1]\n"
            ")");
  EXPECT_EQ(nn::ParameterDict().str(), "ParameterDict()");
}

TEST(ParameterList, PrintsTensorThatIsNotParameter) {
  nn::ParameterList p{Value("text")};
  p.set_attr("0", ones({2}));  // bypasses the list, as Python's setattr does
  EXPECT_EQ(p.str(), "ParameterList(  (0): Tensor containing: [torch.float32 of size 2])");
}

// R7.6-05: the probe backend represents CUDA.
TEST(ParameterList, PrintsDevice) {
  load_probe();
  nn::ParameterList p{ones({2})};
  p.to("probe:1");
  EXPECT_EQ(p.str(),
            "ParameterList(  (0): Parameter containing: [torch.float32 of size 2 (probe:1)])");
  EXPECT_EQ(p.to_empty("meta").str(),
            "ParameterList(  (0): Parameter containing: [torch.float32 of size 2])");
}

TEST(ParameterList, ClonesAndMovesPreserveElements) {
  nn::ParameterList p = mixed();
  nn::ParameterList copy = p.clone();
  EXPECT_EQ(copy.str(), p.str());
  EXPECT_FALSE(copy[0].is_same(p[0]));
  nn::ParameterList moved = std::move(p);
  EXPECT_EQ(moved.str(), copy.str());
}

}  // namespace
