// Sequential as a container: slices, replacement, deletion, sums and products.
#include "taper/nn/sequential.h"
#include "nets.h"
#include "taper/nn/activation.h"
#include "taper/nn/chain.h"
#include "taper/nn/linear.h"
#include "taper/nn/module_list.h"

namespace {

using namespace nets;

struct A : Identity {
  TAPER_DERIVED_MODULE(A, Identity)
  Tensor forward(const Tensor& x) { return x; }
};
struct B : Identity {
  TAPER_DERIVED_MODULE(B, Identity)
  Tensor forward(const Tensor& x) { return x; }
};
struct C : Identity {
  TAPER_DERIVED_MODULE(C, Identity)
  Tensor forward(const Tensor& x) { return x; }
};

template <class X, class Y>
concept Adds = requires(X x, Y y) {
  x + y;
}
|| requires(X x, Y y) { x += y; };
template <class X, class Y>
concept Multiplies = requires(X x, Y y) {
  x* y;
}
|| requires(X x, Y y) { x *= y; };

nn::Sequential abc() { return nn::Sequential{A(), B(), C()}; }
nn::Sequential named() { return nn::Sequential({{"a", A()}, {"b", B()}}); }
/// Returns the names and types of the children, such as "0=A 1=B".
std::string types_of(nn::Sequential& s) {
  std::string out;
  const Value own = s.own_modules();
  for (const auto& [name, m] : own.as_dict())
    out += (out.empty() ? "" : " ") + name.as_string() + "=" + m.type_name();
  return out;
}
std::string types_of(nn::Sequential&& s) { return types_of(s); }

// R7.1-01
TEST(Sequential, AcceptsNoneAndFailsWhenCalled) {
  nn::Sequential s(nullptr, std::shared_ptr<A>());
  EXPECT_EQ(s.str(), "Sequential(\n  (0): None\n  (1): None\n)");
  EXPECT_EQ(error_message<TypeError>([&] { s(zeros({1})); }), "'NoneType' object is not callable");
  EXPECT_EQ(error_message<TypeError>([&] { s.call({zeros({1})}); }),
            "'NoneType' object is not callable");
  EXPECT_THROW(s[0], TypeError);
  EXPECT_EQ(s.shared(0), nullptr);
}

// R7.1-04
TEST(Sequential, SlicesPreserveNamesAndShareModules) {
  nn::Sequential s{Scale(1), Scale(2), Scale(3)};
  nn::Sequential part = s[Slice{1, {}}];
  EXPECT_EQ(keys(part.state_dict()), "1.weight 1.mean 2.weight 2.mean");
  EXPECT_EQ(part.shared(0), s.shared(1));
  EXPECT_EQ(types_of(abc()[Slice{{}, {}, -1}]), "2=C 1=B 0=A");
  EXPECT_EQ(types_of(abc()[Slice{-2, {}}]), "1=B 2=C");
  EXPECT_EQ(types_of(abc()[Slice{{}, {}, 2}]), "0=A 2=C");
  EXPECT_EQ(types_of(abc()[Slice{2, 0, -1}]), "2=C 1=B");
  EXPECT_EQ(types_of(abc()[Slice{5, 9}]), "");
  EXPECT_EQ(types_of(abc()[Slice{-9, 1}]), "0=A");
  EXPECT_EQ(types_of(named()[Slice{1, {}}]), "b=B");
  EXPECT_THROW(abc()[(Slice{0, 1, 0})], ValueError);
}

// R7.1-05. Assigning to a slice, or a value other than a module, does not compile.
TEST(Sequential, ReplacesItemsUnderTheirNames) {
  nn::Sequential s = named();
  s.set(-1, C());
  s.set(0, nullptr);
  EXPECT_EQ(s.str(), "Sequential(\n  (a): None\n  (b): C()\n)");
  EXPECT_EQ(error_text<IndexError>([&] { s.set(7, A()); }), "index 7 is out of range");
}

// R7.1-06
TEST(Sequential, DeletionRenumbers) {
  nn::Sequential s = abc();
  s.erase(1);
  EXPECT_EQ(types_of(s), "0=A 1=C");
  nn::Sequential n({{"x", A()}, {"y", B()}, {"z", C()}});
  n.erase(-3);
  EXPECT_EQ(types_of(n), "0=B 1=C");
  nn::Sequential t = abc();
  t.erase(Slice{{}, {}, 2});
  EXPECT_EQ(types_of(t), "0=B");
  EXPECT_EQ(error_text<IndexError>([&] { t.erase(1); }), "index 1 is out of range");
}

// R7.1-07
TEST(Sequential, PopReturnsRemovedModules) {
  nn::Sequential s = abc();
  const auto a = s.shared(0);
  EXPECT_EQ(s.pop(0), a);
  EXPECT_EQ(types_of(s), "0=B 1=C");
  EXPECT_EQ(types_of(s.pop(Slice{1, {}})), "1=C");
  EXPECT_EQ(types_of(s), "0=B");
  EXPECT_EQ(error_text<IndexError>([&] { s.pop(5); }), "index 5 is out of range");
}

// R7.1-08
TEST(Sequential, AppendReplacesChildOfThatName) {
  nn::Sequential s({{"1", A()}});
  EXPECT_EQ(&s.append(B()), &s);
  EXPECT_EQ(types_of(s), "1=B");
}

// R7.1-09. A value other than a Module does not compile; null is Python's AssertionError.
TEST(Sequential, InsertShiftsNumbers) {
  nn::Sequential s = abc();
  EXPECT_EQ(&s.insert(1, Scale()), &s);
  EXPECT_EQ(types_of(s), "0=A 1=Scale 2=B 3=C");
  s.insert(-4, Identity()).insert(5, Identity());
  EXPECT_EQ(types_of(s), "0=Identity 1=A 2=Scale 3=B 4=C 5=Identity");
  EXPECT_EQ(error_text<IndexError>([&] { s.insert(9, A()); }), "Index out of range: 9");
  EXPECT_EQ(error_text<IndexError>([&] { s.insert(-7, A()); }), "Index out of range: -7");
  EXPECT_EQ(error_text<TypeError>([&] { s.insert(0, nullptr); }),
            "module should be of type: <class 'torch.nn.modules.module.Module'>");
  nn::Sequential n = named();
  EXPECT_EQ(error_text<KeyError>([&] { n.insert(0, C()); }), "'1'");
  EXPECT_EQ(types_of(n), "a=A b=B");
  EXPECT_EQ(types_of(n.insert(2, C())), "a=A b=B 2=C");
}

// R7.1-10
TEST(Sequential, ExtendAppendsEach) {
  nn::Sequential s = abc();
  std::vector<A> layers(2);
  EXPECT_EQ(&s.extend(std::move(layers)), &s);
  const std::vector<std::shared_ptr<nn::Module>> shared{std::make_shared<B>()};
  s.extend(shared).extend(nn::Sequential(C()));
  EXPECT_EQ(types_of(s), "0=A 1=B 2=C 3=A 4=A 5=B 6=C");
  EXPECT_EQ(s.shared(5), shared[0]);
}

// R7.1-11, R7.1-12. An operand of another class does not compile.
TEST(Sequential, SumsShareModules) {
  nn::Sequential a = named(), b = abc();
  nn::Sequential sum = a + b;
  EXPECT_EQ(types_of(sum), "0=A 1=B 2=A 3=B 4=C");
  EXPECT_EQ(sum.shared(2), b.shared(0));
  EXPECT_EQ(types_of(a), "a=A b=B");
  EXPECT_EQ(&(a += b), &a);
  EXPECT_EQ(types_of(a), "a=A b=B 2=A 3=B 4=C");
  EXPECT_EQ(a.shared(2), b.shared(0));
  b += b;
  EXPECT_EQ(types_of(b), "0=A 1=B 2=C 3=A 4=B 5=C");
  static_assert(!Adds<nn::Sequential, A>);
}

// R7.1-13
TEST(Sequential, ProductsRepeatTheSameModules) {
  nn::Sequential s{Scale(2), A()};
  nn::Sequential twice = s * 2;
  EXPECT_EQ(types_of(twice), "0=Scale 1=A 2=Scale 3=A");
  EXPECT_EQ(twice.shared(0), twice.shared(2));
  EXPECT_EQ(twice.parameters().size(), 1u);
  EXPECT_EQ(twice(nets::row(1, 2)).flatten()[1].item<float>(), 8);
  EXPECT_EQ(types_of(2 * named()), "0=A 1=B 2=A 3=B");
  EXPECT_EQ(
      error_text<ValueError>([&] { s * 0; }),
      "Non-positive multiplication factor 0 for <class 'torch.nn.modules.container.Sequential'>");
  static_assert(!Multiplies<nn::Sequential, double>);
}

// R7.1-14
TEST(Sequential, InPlaceProductsRequireNumericNames) {
  nn::Sequential s = abc();
  EXPECT_EQ(&(s *= 2), &s);
  EXPECT_EQ(types_of(s), "0=A 1=B 2=C 3=A 4=B 5=C");
  EXPECT_EQ(s.shared(0), s.shared(3));
  nn::Sequential n = named();
  EXPECT_EQ(error_text<KeyError>([&] { n *= 2; }), "'0'");
  EXPECT_EQ(
      error_text<ValueError>([&] { n *= -1; }),
      "Non-positive multiplication factor -1 for <class 'torch.nn.modules.container.Sequential'>");
  EXPECT_EQ(types_of(n), "a=A b=B");
}

struct Body : nn::Sequential {
  nn::Parameter gain{full({1}, 2.0)};
  TAPER_DERIVED_MODULE(Body, nn::Sequential, gain)
  Tensor forward(const Tensor& x) { return nn::Sequential::forward(x) * gain; }
};

// R7.1-04: a slice of a derived class is a Sequential.
TEST(Sequential, SupportsDerivedClasses) {
  Body body;
  body.append(Scale(3)).append(A());
  EXPECT_EQ(body(nets::row(1, 2)).flatten()[1].item<float>(), 12);
  EXPECT_EQ(body.str(), "Body(\n  (0): Scale(size=2)\n  (1): A()\n)");
  EXPECT_EQ(names(body.named_parameters()), "gain 0.weight");
  static_assert(std::is_same_v<decltype(body[Slice{}]), nn::Sequential>);
  EXPECT_EQ(types_of(body[Slice{1, {}}]), "1=A");
  Body copy = body.clone();
  EXPECT_NE(copy.shared(0), body.shared(0));
  EXPECT_EQ(error_text<ValueError>([&] { body *= 0; }),
            "Non-positive multiplication factor 0 for <class 'Body'>");
}

struct ForgetfulSequential : nn::Sequential {
  Scale head;
  ForgetfulSequential() : nn::Sequential{A(), B()} {}
  TAPER_DERIVED_MODULE(ForgetfulSequential, nn::Sequential)
  Tensor forward(const Tensor& x) { return head(nn::Sequential::forward(x)); }
};

TEST(Sequential, ReportsUnlistedMembersOfDerivedClasses) {
  ForgetfulSequential m;
  EXPECT_THROW(m(nets::row(1, 2)), RuntimeError);
  EXPECT_THROW(m.parameters(), RuntimeError);
}

std::vector<std::string> keys_of(const nn::Module& m) {
  std::vector<std::string> keys;
  for (const auto& [name, parameter] : m.named_parameters()) keys.emplace_back(name);
  return keys;
}
nn::Sequential make_stage() { return nn::Sequential{nn::Linear(2, 2, {.bias = false})}; }

TEST(Sequential, BracesNestSingleContainerAsPython) {
  using Keys = std::vector<std::string>;
#if defined(__clang__)
  // Clang initializes an object from an rvalue of its class before it considers a list of children
  // (CWG 2311), which no constructor can prevent.
  const Keys nested{"0.weight"}, nested_twice{"0.0.weight"};
#else
  const Keys nested{"0.0.weight"}, nested_twice{"0.0.0.weight"};
#endif
  EXPECT_EQ(keys_of(nn::Sequential{make_stage()}), nested);
  EXPECT_EQ(keys_of(nn::ModuleList{nn::ModuleList{make_stage()}}), nested_twice);
  nn::Sequential stage = make_stage();
  EXPECT_EQ(keys_of(nn::Sequential{std::move(stage)}), nested);
  EXPECT_EQ(keys_of(nn::Sequential{make_stage(), nn::ReLU()}), (Keys{"0.0.weight"}));
  EXPECT_EQ(keys_of(nn::Sequential{std::make_shared<nn::Sequential>(make_stage())}),
            (Keys{"0.0.weight"}));
  EXPECT_EQ(keys_of(nn::Chain{nn::Chain{nn::Linear(2, 2, {.bias = false})}}), (Keys{"0.0.weight"}));
  // Parentheses move, as the result of a function is moved.
  EXPECT_EQ(keys_of(nn::Sequential(make_stage())), (Keys{"0.weight"}));
  const nn::Sequential net = make_stage();
  EXPECT_EQ(keys_of(net), (Keys{"0.weight"}));
}

// Python constructs the first layer first, which receives the first random numbers.
TEST(Sequential, BracesConstructFirstModuleFirst) {
  manual_seed(1);
  nn::Linear first(2, 2), second(2, 2);
  manual_seed(1);
  nn::Sequential net{nn::Linear(2, 2), nn::Linear(2, 2)};
  EXPECT_TRUE(equal(net[0].get_parameter("weight"), first.weight));
  EXPECT_TRUE(equal(net[1].get_parameter("weight"), second.weight));
}

}  // namespace
