#include "nets.h"

namespace {

using namespace nets;

// R2.1-06, R2.1-07, R2.1-08, R2.1-09, R2.1-11, R2.1-12, R1.1-02
TEST(RegisterParameter, ChecksNamesAndKeepsPlaces) {
  Net m;
  nn::Parameter& p = m.register_parameter("p", nn::Parameter(zeros({3})));
  EXPECT_EQ(names(m.named_parameters()), "p first.weight class.weight");
  EXPECT_EQ(text_of<KeyError>([&] { m.register_parameter("a.b", p); }),
            "parameter name can't contain \".\"");
  EXPECT_EQ(text_of<KeyError>([&] { m.register_parameter("", p); }),
            "parameter name can't be empty string \"\"");
  EXPECT_EQ(text_of<KeyError>([&] { m.register_parameter("first", p); }),
            "attribute 'first' already exists");
  m.register_parameter("q", nn::Parameter(zeros({1})));
  m.register_parameter("p", nullptr);  // present, but None
  EXPECT_EQ(names(m.named_parameters()), "q first.weight class.weight");
  m.register_parameter("p", nn::Parameter(zeros({4})));
  EXPECT_EQ(names(m.named_parameters()), "p q first.weight class.weight");
  EXPECT_EQ(p.shape(), Shape({4}));  // the reference stays valid
}

TEST(RegisterParameter, ReplacesListedMembers) {
  Scale m;
  m.register_parameter("weight", nn::Parameter(zeros({5})));
  EXPECT_EQ(m.weight.shape(), Shape({5}));
  m.register_parameter("weight", nullptr);
  EXPECT_EQ(names(m.named_parameters()), "");
  m.register_parameter("weight", nn::Parameter(zeros({6})));
  EXPECT_EQ(m.get_parameter("weight").shape(), Shape({6}));
}

// R2.1-01, R2.1-02, R2.1-03, R2.1-04, R2.1-05, R1.1-03, R1.1-04
TEST(RegisterBuffer, ChecksNamesAndPersistence) {
  Net m;
  m.register_buffer("b", zeros({3}));
  EXPECT_EQ(text_of<KeyError>([&] { m.register_buffer("a.b", zeros({1})); }),
            "buffer name can't contain \".\"");
  EXPECT_EQ(text_of<KeyError>([&] { m.register_buffer("", zeros({1})); }),
            "buffer name can't be empty string \"\"");
  EXPECT_EQ(text_of<KeyError>([&] { m.register_buffer("first", zeros({1})); }),
            "attribute 'first' already exists");
  m.register_buffer("c", zeros({1}), false);
  m.register_buffer("b", ones({2}));
  EXPECT_EQ(names(m.named_buffers()), "b c first.mean class.mean");
  EXPECT_EQ(keys(m.state_dict()), "b first.weight first.mean class.weight class.mean");
  m.register_buffer("b", ones({2}), false);
  EXPECT_EQ(keys(m.state_dict()), "first.weight first.mean class.weight class.mean");
  m.register_buffer("b", nullptr);
  EXPECT_FALSE(m.get_buffer("b"));
}

// R2.1-13, R2.1-14, R2.1-15, R2.1-16, R2.1-17, R1.1-17
TEST(RegisterModule, SharesAndReplaces) {
  Net m;
  const auto shared = std::make_shared<Scale>(5);
  m.add_module("x", shared);
  m.register_module("y", shared);
  auto& taken = m.register_module("z", Scale(6));
  EXPECT_EQ(taken.weight.data<float>()[0], 6);
  m.register_module("none", nullptr);
  EXPECT_EQ(names(m.named_children()), "first class x z");
  EXPECT_EQ(names(m.named_modules({.remove_duplicate = false})), " first class x y z");
  EXPECT_EQ(text_of<KeyError>([&] { m.register_module("a.b", shared); }),
            "module name can't contain \".\", got: a.b");
  EXPECT_EQ(text_of<KeyError>([&] { m.register_module("", shared); }),
            "module name can't be empty string \"\"");
  m.register_buffer("buffer", zeros({1}));
  EXPECT_EQ(text_of<KeyError>([&] { m.register_module("buffer", shared); }),
            "attribute 'buffer' already exists");
  m.register_module("x", std::make_shared<Identity>());  // keeps its place
  EXPECT_EQ(names(m.named_children()), "first class x y z");
  m.register_module("first", std::make_shared<Scale>(9));  // into the member
  EXPECT_EQ(m.first.weight.data<float>()[0], 9);
  EXPECT_THROW(m.register_module("first", std::make_shared<Identity>()), TypeError);
}

// R2.2-01, R2.2-02, R2.2-03
TEST(Access, SubmodulesByPath) {
  Net m;
  auto inner = std::make_shared<Net>();
  m.register_module("inner", inner);
  m.register_module("none", nullptr);
  EXPECT_EQ(&m.get_submodule(""), &m);
  EXPECT_EQ(&m.get_submodule("inner.class"), &inner->class_);
  EXPECT_EQ(text_of<AttributeError>([&] { m.get_submodule("inner.nope.x"); }),
            "Net has no attribute `nope`");
  EXPECT_EQ(text_of<AttributeError>([&] { m.get_submodule("inner."); }), "Net has no attribute ``");
  EXPECT_EQ(text_of<AttributeError>([&] { m.get_submodule("first.weight"); }),
            "`weight` is not an nn.Module");
  EXPECT_EQ(text_of<AttributeError>([&] { m.get_submodule("none"); }),
            "`none` is not an nn.Module");
}

// R2.2-06, R2.2-07
TEST(Access, ParametersAndBuffersByPath) {
  Net m;
  EXPECT_TRUE(m.get_parameter("first.weight").is_same(m.first.weight));
  EXPECT_TRUE(m.get_buffer("class.mean").is_same(m.class_.mean));
  EXPECT_EQ(text_of<AttributeError>([&] { m.get_parameter("first.nope"); }),
            "Scale has no attribute `nope`");
  EXPECT_EQ(text_of<AttributeError>([&] { m.get_parameter("first.mean"); }),
            "`mean` is not an nn.Parameter");
  EXPECT_EQ(text_of<AttributeError>([&] { m.get_buffer("first.weight"); }),
            "`weight` is not a buffer");
}

}  // namespace
