#include "nets.h"
#include "taper/nn/registration_hooks.h"

namespace {

using namespace nets;

// R2.1-06, R2.1-07, R2.1-08, R2.1-09, R2.1-11, R2.1-12, R1.1-02
TEST(RegisterParameter, ChecksNamesAndPreservesOrder) {
  Net m;
  nn::Parameter& p = m.register_parameter("p", nn::Parameter(zeros({3})));
  EXPECT_EQ(names(m.named_parameters()), "p first.weight class.weight");
  EXPECT_EQ(error_text<KeyError>([&] { m.register_parameter("a.b", p); }),
            "parameter name can't contain \".\"");
  EXPECT_EQ(error_text<KeyError>([&] { m.register_parameter("", p); }),
            "parameter name can't be empty string \"\"");
  EXPECT_EQ(error_text<KeyError>([&] { m.register_parameter("first", p); }),
            "attribute 'first' already exists");
  m.register_parameter("q", nn::Parameter(zeros({1})));
  m.register_parameter("p", nullptr);  // the entry remains, with the value None
  EXPECT_EQ(names(m.named_parameters()), "q first.weight class.weight");
  m.register_parameter("p", nn::Parameter(zeros({4})));
  EXPECT_EQ(names(m.named_parameters()), "p q first.weight class.weight");
  EXPECT_EQ(p.shape(), Shape({4}));  // the reference remains valid
}

// R2.1-10
TEST(RegisterParameter, RejectsPlainTensors) {
  Net m;
  EXPECT_EQ(error_text<TypeError>([&] { m.register_parameter("q", zeros({1})); }),
            "cannot assign 'torch.FloatTensor' object to parameter 'q' (torch.nn.Parameter or None "
            "required)");
  EXPECT_EQ(error_text<TypeError>([&] { m.register_parameter("q", Value(3)); }),
            "cannot assign 'int' object to parameter 'q' (torch.nn.Parameter or None required)");
  EXPECT_THROW(m.register_parameter("a.b", zeros({1})), KeyError);  // the name is checked first
  EXPECT_FALSE(m.has_attr("q"));
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
  EXPECT_EQ(error_text<KeyError>([&] { m.register_buffer("a.b", zeros({1})); }),
            "buffer name can't contain \".\"");
  EXPECT_EQ(error_text<KeyError>([&] { m.register_buffer("", zeros({1})); }),
            "buffer name can't be empty string \"\"");
  EXPECT_EQ(error_text<KeyError>([&] { m.register_buffer("first", zeros({1})); }),
            "attribute 'first' already exists");
  m.register_buffer("c", zeros({1}), false);
  m.register_buffer("b", ones({2}));
  EXPECT_EQ(names(m.named_buffers()), "b c first.mean class.mean");
  EXPECT_EQ(keys(m.state_dict()), "b first.weight first.mean class.weight class.mean");
  m.register_buffer("b", ones({2}), false);
  EXPECT_EQ(keys(m.state_dict()), "first.weight first.mean class.weight class.mean");
  m.register_buffer("b", nullptr);
  EXPECT_FALSE(m.get_buffer("b").defined());
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
  EXPECT_EQ(error_text<KeyError>([&] { m.register_module("a.b", shared); }),
            "module name can't contain \".\", got: a.b");
  EXPECT_EQ(error_text<KeyError>([&] { m.register_module("", shared); }),
            "module name can't be empty string \"\"");
  m.register_buffer("buffer", zeros({1}));
  EXPECT_EQ(error_text<KeyError>([&] { m.register_module("buffer", shared); }),
            "attribute 'buffer' already exists");
  m.register_module("x", std::make_shared<Identity>());  // replaces the child in its position
  EXPECT_EQ(names(m.named_children()), "first class x y z");
  m.register_module("first", std::make_shared<Scale>(9));  // replaces the member
  EXPECT_EQ(m.first.weight.data<float>()[0], 9);
  EXPECT_THROW(m.register_module("first", std::make_shared<Identity>()), TypeError);
}

// R2.2-01, R2.2-02, R2.2-03
TEST(Access, FindsSubmodulesByPath) {
  Net m;
  auto inner = std::make_shared<Net>();
  m.register_module("inner", inner);
  m.register_module("none", nullptr);
  EXPECT_EQ(&m.get_submodule(""), &m);
  EXPECT_EQ(&m.get_submodule("inner.class"), &inner->class_);
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_submodule("inner.nope.x"); }),
            "Net has no attribute `nope`");
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_submodule("inner."); }),
            "Net has no attribute ``");
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_submodule("first.weight"); }),
            "`weight` is not an nn.Module");
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_submodule("none"); }),
            "`none` is not an nn.Module");
}

// R2.2-06, R2.2-07
TEST(Access, FindsParametersAndBuffersByPath) {
  Net m;
  EXPECT_TRUE(m.get_parameter("first.weight").is_same(m.first.weight));
  EXPECT_TRUE(m.get_buffer("class.mean").is_same(m.class_.mean));
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_parameter("first.nope"); }),
            "Scale has no attribute `nope`");
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_parameter("first.mean"); }),
            "`mean` is not an nn.Parameter");
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_buffer("first.weight"); }),
            "`weight` is not a buffer");
}

// R2.2-01, R2.2-03: the lookup is by attribute, so it finds a plain one, which is not a module.
TEST(Access, PathsIncludePlainAttributes) {
  Identity m;
  m.set_attr("list", Value::list({}));
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_submodule("list.0"); }),
            "`list` is not an nn.Module");
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_parameter("list"); }),
            "`list` is not an nn.Parameter");
}

// R2.2-04
TEST(Access, SetSubmoduleReplacesOrAppends) {
  Identity m;
  m.register_module("inner", std::make_shared<Identity>());
  m.register_module("last", std::make_shared<Identity>());
  m.set_submodule("inner", std::make_shared<Scale>());
  EXPECT_EQ(m.str(), "Identity(\n  (inner): Scale(size=2)\n  (last): Identity()\n)");
  m.set_submodule("last.deep", std::make_shared<Scale>());
  EXPECT_EQ(names(m.named_modules()), " inner last last.deep");
  m.set_submodule("last.deep", std::make_shared<Identity>(), true);
  EXPECT_EQ(m.get_submodule("last.deep").type_name(), "Identity");
}

// R2.2-05
TEST(Access, SetSubmoduleRejectsInvalidTargets) {
  Net m;
  m.register_module("none", nullptr);
  const auto module = std::make_shared<Scale>();
  EXPECT_EQ(error_text<ValueError>([&] { m.set_submodule("", module); }),
            "Cannot set the submodule without a target name!");
  EXPECT_EQ(error_text<ValueError>([&] { m.set_submodule("x", nullptr); }),
            "`module` is not an nn.Module, found <class 'NoneType'>");
  EXPECT_EQ(error_text<AttributeError>([&] { m.set_submodule("x.y", module); }),
            "Net has no attribute `x`");
  EXPECT_EQ(error_text<AttributeError>([&] { m.set_submodule("x", module, true); }),
            "Net has no attribute `x`");
  EXPECT_EQ(error_text<AttributeError>([&] { m.set_submodule("first.weight", module); }),
            "`weight` is not an nn.Module");
  EXPECT_EQ(error_text<AttributeError>([&] { m.set_submodule("none", module); }),
            "`none` is not an nn.Module");
}

// The error text suggests the most similar name, unlike in Python.
TEST(Access, ErrorsSuggestSimilarNames) {
  Identity m;
  m.register_module("layer1", std::make_shared<Net>());
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_submodule("layer1.frst"); }),
            "Net has no attribute `frst`\n  no submodule 'layer1.frst': did you mean "
            "'layer1.first'?");
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_parameter("layer1.first.wieght"); }),
            "Scale has no attribute `wieght`\n  no parameter 'layer1.first.wieght': did you mean "
            "'layer1.first.weight'?");
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_buffer("layer1.class.men"); }),
            "Scale has no attribute `men`\n  no buffer 'layer1.class.men': did you mean "
            "'layer1.class.mean'?");
  EXPECT_EQ(error_text<AttributeError>([&] { m.get_submodule("other"); }),
            "Identity has no attribute `other`");
}

// R1.3-01
TEST(RegistrationHooks, BufferHooksReceiveNone) {
  std::string seen;
  const auto handle = nn::register_module_buffer_registration_hook(
      [&](nn::Module& m, std::string_view name, Tensor& t) {
        (seen += m.type_name()) += std::string(".") += name;
        seen += t.defined() ? "=tensor " : "=None ";
      });
  Identity m;
  m.register_buffer("a", zeros({1}));
  m.register_buffer("b", nullptr);
  m.set_attr("a", ones({1}));
  m.register_parameter("p", nn::Parameter(zeros({1})));
  handle.remove();
  m.register_buffer("c", nullptr);
  EXPECT_EQ(seen, "Identity.a=tensor Identity.b=None Identity.a=tensor ");
}

// R1.3-02
TEST(RegistrationHooks, ModuleHooksReceiveNone) {
  std::string seen;
  const auto handle = nn::register_module_module_registration_hook(
      [&](nn::Module&, std::string_view name, std::shared_ptr<nn::Module>& child) {
        (seen += name) += child ? "=module " : "=None ";
      });
  Identity m;
  m.add_module("a", std::make_shared<Scale>());
  m.set_attr("b", std::make_shared<Scale>());
  m.set_attr("b", nullptr);
  m.register_module("c", nullptr);
  m.set_attr("d", nullptr);  // sets a plain attribute
  handle.remove();
  EXPECT_EQ(seen, "a=module b=module b=None c=None ");
}

// R1.3-03
TEST(RegistrationHooks, ParameterHooksDoNotReceiveNone) {
  std::string seen;
  const auto handle = nn::register_module_parameter_registration_hook(
      [&](nn::Module&, std::string_view name, nn::Parameter&) { (seen += name) += " "; });
  Identity m;
  m.register_parameter("a", nn::Parameter(zeros({1})));
  m.register_parameter("b", nullptr);
  m.set_attr("c", nn::Parameter(zeros({1})));
  handle.remove();
  EXPECT_EQ(seen, "a c ");
}

// R1.3-11. The compiler checks the types of the results.
TEST(RegistrationHooks, ReplaceEntryForNextHookAndModule) {
  const auto doubled = nn::register_module_parameter_registration_hook(
      [](nn::Module&, std::string_view, nn::Parameter& p) {
        return std::optional(nn::Parameter(p.detach() * 2));
      });
  const auto watch = nn::register_module_parameter_registration_hook(
      [](nn::Module&, std::string_view, nn::Parameter& p) -> std::optional<nn::Parameter> {
        if (p.item<float>() == 2) p = nn::Parameter(full({1}, 7.0));
        return std::nullopt;
      });
  const auto buffers = nn::register_module_buffer_registration_hook(
      [](nn::Module&, std::string_view, Tensor& t) { return t.defined() ? t + 1 : Tensor(); });
  const auto other = std::make_shared<Scale>();
  const auto modules = nn::register_module_module_registration_hook(
      [&](nn::Module&, std::string_view,
          std::shared_ptr<nn::Module>&) -> std::shared_ptr<nn::Module> { return other; });
  Identity m;
  m.register_parameter("p", nn::Parameter(ones({1})));
  m.register_buffer("b", zeros({1}));
  m.register_module("c", nullptr);
  for (const nn::RemovableHandle& h : {doubled, watch, buffers, modules}) h.remove();
  EXPECT_EQ(m.get_parameter("p").item<float>(), 7);
  EXPECT_EQ(m.get_buffer("b").item<float>(), 1);
  EXPECT_EQ(&m.get_submodule("c"), other.get());
}

}  // namespace
