// Attributes by name: Python's `m.name`, `m.name = value` and `del m.name`.
#include "nets.h"

namespace {

using namespace nets;

/// A module without listed members: all its members are registered by name.
struct Bare : nn::Module {
  TAPER_MODULE(Bare)
  Tensor forward(const Tensor& x) { return x; }
};
struct ReLU : Bare {
  TAPER_DERIVED_MODULE(ReLU, Bare)
  Tensor forward(const Tensor& x) { return x; }
};

nn::Parameter parameter(double v = 1) { return nn::Parameter(tensor({v})); }

/// Returns a module with a parameter p, a buffer b, a child c and a plain attribute a.
Bare filled() {
  Bare m;
  m.set_attr("p", parameter());
  m.register_buffer("b", ones({1}), false);
  m.set_attr("c", std::make_shared<ReLU>());
  m.set_attr("a", 1);
  return m;
}
std::string all_of(Bare& m) {
  return m.own_parameters().repr() + m.own_buffers().repr() + m.own_modules().repr() +
         m.non_persistent_buffers().repr();
}

// R4.1-01, R4.2-02, R4.2-06, R4.2-11
TEST(SetAttr, ParameterReplacesAnyKindAndComesLast) {
  for (const char* name : {"a", "b", "c"}) {
    Bare m = filled();
    m.set_attr(name, parameter(5));
    EXPECT_EQ(names(m.named_parameters()), std::string("p ") + name);
    EXPECT_EQ(m.has_attr("a"), true);
    EXPECT_EQ(m.own_buffers().size(), *name == 'b' ? 0u : 1u);
    EXPECT_EQ(m.own_modules().size(), *name == 'c' ? 0u : 1u);
    EXPECT_EQ(m.non_persistent_buffers().repr(), *name == 'b' ? "set()" : "{'b'}");
    EXPECT_EQ(m.attr<nn::Parameter>(name).item<float>(), 5);
  }
}

// R4.2-03
TEST(SetAttr, ParameterReplacesParameterInPlace) {
  Bare m = filled();
  m.set_attr("q", parameter());
  m.set_attr("p", nullptr);
  m.set_attr("p", parameter(7));
  EXPECT_EQ(names(m.named_parameters()), "p q");
  EXPECT_EQ(m.get_parameter("p").item<float>(), 7);
}

// R4.1-02, R4.2-04, R4.2-05, R4.2-09, R4.2-12
TEST(SetAttr, RejectsOtherValuesOverParameter) {
  Bare m = filled();
  const std::string rest = "' as parameter 'p' (torch.nn.Parameter or None expected)";
  const auto rejected = [&](auto v) { return error_text<TypeError>([&] { m.set_attr("p", v); }); };
  const std::string before = all_of(m);
  EXPECT_EQ(rejected(ones({1})), "cannot assign 'torch.FloatTensor" + rest);
  EXPECT_EQ(rejected(nn::Buffer(ones({1}))), "cannot assign 'torch.FloatTensor" + rest);
  EXPECT_EQ(rejected(1), "cannot assign 'int" + rest);
  EXPECT_EQ(rejected(Value::list()), "cannot assign 'list" + rest);
  EXPECT_EQ(rejected(Value::ordered_dict()), "cannot assign 'collections.OrderedDict" + rest);
  EXPECT_EQ(rejected(std::make_shared<ReLU>()), "cannot assign 'ReLU" + rest);
  EXPECT_EQ(rejected(ones({1}).to(float16)), "cannot assign 'torch.HalfTensor" + rest);
  EXPECT_EQ(rejected(ones({1}).to("meta")), "cannot assign 'torch.meta.FloatTensor" + rest);
  EXPECT_EQ(all_of(m), before);
  m.set_attr("p", nullptr);
  EXPECT_EQ(m.own_parameters().repr(), "{'p': None}");
  EXPECT_EQ(rejected(ones({1})), "cannot assign 'torch.FloatTensor" + rest);
}

// R4.1-03, R4.2-07
TEST(SetAttr, ModuleReplacesBuffersAndPlainAttributes) {
  Bare m = filled();
  m.set_attr("b", std::make_shared<ReLU>());
  m.set_attr("a", std::make_shared<ReLU>());
  EXPECT_EQ(names(m.named_children()), "c b a");
  EXPECT_EQ(m.own_buffers().size(), 0u);
  EXPECT_EQ(m.non_persistent_buffers().repr(), "set()");
  m.set_attr("c", std::make_shared<Bare>());  // replaces the child in its position
  EXPECT_EQ(m.str(), "Bare(\n  (c): Bare()\n  (b): ReLU()\n  (a): ReLU()\n)");
}

// R4.1-04, R4.2-09, R4.2-12
TEST(SetAttr, RejectsOtherValuesOverChild) {
  Bare m = filled();
  const std::string rest = "' as child module 'c' (torch.nn.Module or None expected)";
  EXPECT_EQ(error_text<TypeError>([&] { m.set_attr("c", 1.5); }), "cannot assign 'float" + rest);
  EXPECT_EQ(error_text<TypeError>([&] { m.set_attr("c", ones({1})); }),
            "cannot assign 'torch.FloatTensor" + rest);
  EXPECT_EQ(error_text<TypeError>([&] { m.set_attr("c", nn::Buffer(ones({1}))); }),
            "cannot assign 'torch.FloatTensor" + rest);
  m.set_attr("c", nullptr);
  EXPECT_EQ(m.own_modules().repr(), "{'c': None}");
}

// R4.1-05, R4.2-10, R4.2-12
TEST(SetAttr, BuffersPreservePersistenceUnlessBufferIsAssigned) {
  Bare m = filled();
  m.set_attr("b", zeros({2}));
  EXPECT_EQ(m.own_buffers().repr(), "{'b': tensor([0., 0.])}");
  EXPECT_EQ(m.non_persistent_buffers().repr(), "{'b'}");
  m.set_attr("b", nullptr);
  EXPECT_EQ(m.own_buffers().repr(), "{'b': None}");
  EXPECT_EQ(m.non_persistent_buffers().repr(), "{'b'}");
  m.set_attr("b", zeros({2}));
  EXPECT_EQ(keys(m.state_dict()), "p");
  m.set_attr("b", nn::Buffer(zeros({3})));
  EXPECT_EQ(m.non_persistent_buffers().repr(), "set()");
  EXPECT_EQ(keys(m.state_dict()), "p b");
  m.set_attr("new", nn::Buffer(zeros({3}), false));
  EXPECT_EQ(m.non_persistent_buffers().repr(), "{'new'}");
  EXPECT_EQ(error_text<TypeError>([&] { m.set_attr("b", 1); }),
            "cannot assign 'int' as buffer 'b' (torch.nn.Buffer, torch.Tensor or None expected)");
  EXPECT_EQ(names(m.named_buffers()), "b new");
}

// R4.2-08
TEST(SetAttr, RejectsBufferOverPlainAttribute) {
  Bare m = filled();
  EXPECT_EQ(error_text<KeyError>([&] { m.set_attr("a", nn::Buffer(ones({1}))); }),
            "attribute 'a' already exists");
}

// R4.1-06, R4.2-01, R4.2-13, R4.2-14, R1.1-18
TEST(SetAttr, OtherValuesArePlainAttributes) {
  Bare m = filled();
  const std::string before = all_of(m), state = m.state_dict().repr();
  m.set_attr("tensor", ones({1}));
  m.set_attr("none", nullptr);
  m.set_attr("list", Value::list({nn::value_of(std::make_shared<ReLU>())}));
  m.set_attr("dict", Value::dict({{"p", Value::parameter(parameter())}}));
  m.set_attr("text", "words");
  m.to(float64);
  EXPECT_EQ(m.attr<Tensor>("tensor").dtype(), float32);  // plain attributes are not converted
  EXPECT_TRUE(m.get_attr("none").is_none());
  EXPECT_EQ(m.get_attr("list").repr(), "[ReLU()]");
  EXPECT_EQ(m.attr<std::string>("text"), "words");
  EXPECT_EQ(names(m.named_parameters()), "p");
  EXPECT_EQ(names(m.named_modules()), " c");
  m.to(float32);
  EXPECT_EQ(all_of(m), before);
  EXPECT_EQ(m.state_dict().repr(), state);
}

// R4.2-15
TEST(SetAttr, RejectsDottedAndEmptyNamesExceptForModules) {
  Bare m;
  EXPECT_EQ(error_text<KeyError>([&] { m.set_attr("a.b", parameter()); }),
            "parameter name can't contain \".\"");
  EXPECT_EQ(error_text<KeyError>([&] { m.set_attr("", parameter()); }),
            "parameter name can't be empty string \"\"");
  EXPECT_EQ(error_text<KeyError>([&] { m.set_attr("a.b", nn::Buffer(ones({1}))); }),
            "buffer name can't contain \".\"");
  EXPECT_EQ(error_text<KeyError>([&] { m.set_attr("", nn::Buffer(ones({1}))); }),
            "buffer name can't be empty string \"\"");
  m.set_attr("", std::make_shared<ReLU>());
  m.set_attr("a.b", std::make_shared<ReLU>());
  EXPECT_EQ(m.str(), "Bare(\n  (): ReLU()\n  (a.b): ReLU()\n)");
}

TEST(SetAttr, FailureLeavesOldValue) {
  Bare m = filled();
  const nn::Parameter result = nn::Parameter::of(m.get_parameter("p") * 2);  // not a leaf
  EXPECT_THROW(m.set_attr("a", result), ValueError);
  EXPECT_EQ(m.attr<int>("a"), 1);
}

// Checks that names of listed members retain their kind: the members have C++ types.
TEST(SetAttr, MembersRetainTheirKind) {
  Net m;
  m.set_attr("first", std::make_shared<Scale>(9));
  EXPECT_EQ(m.first.weight.data<float>()[0], 9);
  EXPECT_EQ(error_text<TypeError>([&] { m.set_attr("first", parameter()); }),
            "cannot assign 'torch.FloatTensor' as child module 'first' (torch.nn.Module or None "
            "expected)");
  m.first.set_attr("weight", parameter(3));
  EXPECT_EQ(m.first.weight.item<float>(), 3);
  EXPECT_THROW(m.set_attr("first", std::make_shared<Bare>()), TypeError);
}

// R1.1-01
TEST(Attr, TrainingIsAttributeThatIsNotSaved) {
  Bare m;
  EXPECT_TRUE(m.training);
  EXPECT_EQ(m.attr<bool>("training"), true);
  m.set_attr("training", false);
  EXPECT_FALSE(m.training);
  EXPECT_THROW(m.set_attr("training", 1), TypeError);
  EXPECT_EQ(error_text<KeyError>([&] { m.register_parameter("training", nullptr); }),
            "attribute 'training' already exists");
  EXPECT_EQ(m.state_dict().repr(), "OrderedDict()");
}

// R4.3-01: each name refers to one entry, so the order of the lookup is visible only in its result.
TEST(Attr, FindsEveryKind) {
  Bare m = filled();
  EXPECT_EQ(m.get_attr("a").repr(), "1");
  EXPECT_TRUE(m.get_attr("p").is_parameter());
  EXPECT_TRUE(m.attr<nn::Parameter>("p").is_same(m.get_parameter("p")));
  EXPECT_TRUE(m.attr<nn::Buffer>("b").is_same(m.get_buffer("b")));
  EXPECT_EQ(&m.attr<ReLU>("c"), &m.get_submodule("c"));
  EXPECT_EQ(&m.attr<nn::Module>("c"), &m.get_submodule("c"));
  EXPECT_EQ(nn::module_of(m.get_attr("c")), &m.get_submodule("c"));
  m.attr<nn::Parameter>("p") = parameter(4);  // attr returns a reference
  EXPECT_EQ(m.get_parameter("p").item<float>(), 4);
  EXPECT_EQ(error_text<TypeError>([&] { (void)m.attr<nn::Parameter>("c"); }),
            "attr: 'c' is a 'ReLU', not a Parameter");
  EXPECT_THROW((void)m.attr<nn::Buffer>("p"), TypeError);
  EXPECT_THROW((void)m.attr<Net>("c"), TypeError);
}

// R4.3-02
TEST(Attr, ReturnsNoneForPresentNone) {
  Bare m;
  m.register_parameter("p", nullptr);
  m.register_buffer("b", nullptr);
  m.register_module("c", nullptr);
  for (const char* name : {"p", "b", "c"}) {
    EXPECT_TRUE(m.has_attr(name));
    EXPECT_TRUE(m.get_attr(name).is_none());
  }
  EXPECT_FALSE(m.attr<Tensor>("p").defined());
  EXPECT_EQ(error_text<TypeError>([&] { (void)m.attr<nn::Parameter>("p"); }),
            "attr: 'p' is None, not a Parameter");
}

// R4.3-03
TEST(Attr, ReportsClassAndNameIfMissing) {
  Net m;
  EXPECT_FALSE(m.has_attr("zzz"));
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_attr("zzz"); }),
            "'Net' object has no attribute 'zzz'");
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_attr("fist"); }),
            "'Net' object has no attribute 'fist'\n  no attribute 'fist': did you mean 'first'?");
}

// R4.4-01
TEST(DelAttr, DeletesEveryKind) {
  Bare m = filled();
  m.register_parameter("none", nullptr);
  for (const char* name : {"p", "b", "c", "a", "none"}) {
    m.del_attr(name);
    EXPECT_FALSE(m.has_attr(name));
    EXPECT_EQ(error_text<AttributeError>([&] { m.del_attr(name); }),
              std::string("'Bare' object has no attribute '") + name + "'");
  }
  EXPECT_EQ(all_of(m), "{}{}{}set()");
}

struct WithOptional : nn::Module {
  std::optional<Scale> maybe{Scale(1)};
  Scale fixed{1};
  nn::Parameter p = parameter();
  TAPER_MODULE(WithOptional, maybe, fixed, p)
  Tensor forward(const Tensor& x) { return x; }
};

TEST(DelAttr, DeletedMembersBecomeNone) {
  WithOptional m;
  m.del_attr("maybe");
  m.del_attr("p");
  EXPECT_FALSE(m.maybe);
  EXPECT_EQ(names(m.named_parameters()), "fixed.weight");
  EXPECT_EQ(error_text<TypeError>([&] { m.del_attr("fixed"); }),
            "cannot delete 'fixed': a non-optional member of class WithOptional");
}

// R1.1-02, R1.1-03, R1.1-04, R1.1-17
TEST(ModuleIntrospection, PrintsAsPythonDictionaries) {
  EXPECT_EQ(all_of(*std::make_unique<Bare>()), "{}{}{}set()");
  Bare m = filled();
  m.register_parameter("none", nullptr);
  m.register_module("gone", nullptr);
  EXPECT_EQ(m.own_parameters().repr(),
            "{'p': Parameter containing:\ntensor([1.], requires_grad=True), 'none': None}");
  EXPECT_EQ(m.own_buffers().repr(), "{'b': tensor([1.])}");
  EXPECT_EQ(m.own_modules().repr(), "{'c': ReLU(), 'gone': None}");
  EXPECT_EQ(m.non_persistent_buffers().repr(), "{'b'}");
  Net net;  // the dicts do not contain entries of children
  EXPECT_EQ(net.own_parameters().repr(), "{}");
  EXPECT_EQ(net.own_modules().repr(), "{'first': Scale(size=2), 'class': Scale(size=2)}");
}

TEST(ModuleIntrospection, ModuleValueFollowsMovedModule) {
  auto net = std::make_unique<Net>();
  const Value children = net->own_modules();
  EXPECT_EQ(nn::module_of(children["first"]), &net->first);
  Net moved = std::move(*net);
  EXPECT_EQ(nn::module_of(children["first"]), &moved.first);
  EXPECT_TRUE(children["first"] == moved.own_modules()["first"]);
  const auto shared = std::make_shared<Scale>();
  EXPECT_EQ(nn::shared_module_of(nn::value_of(shared)), shared);
  { const Net last = std::move(moved); }
  EXPECT_EQ(nn::module_of(children["first"]), nullptr);
  EXPECT_EQ(children["first"].repr(), "<destroyed module>");
}

// R2.8-05
TEST(ModuleIntrospection, ModulesCompareByIdentity) {
  const auto a = std::make_shared<Scale>(1), b = std::make_shared<Scale>(1);
  EXPECT_TRUE(nn::value_of(a) == nn::value_of(a));
  EXPECT_FALSE(nn::value_of(a) == nn::value_of(b));
  EXPECT_EQ(nn::value_of(a).hash(), nn::value_of(a).hash());
  EXPECT_EQ(Value::set({nn::value_of(a), nn::value_of(b), nn::value_of(a)}).size(), 2u);
}

}  // namespace
