// Listed members: iteration, unlisted members, derived classes, moves.
#include <concepts>
#include <mutex>

#include "nets.h"
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"

namespace {

using namespace nets;

TEST(Members, AreVisitedInOrderOfList) {
  Net net;
  EXPECT_EQ(names(net.named_parameters()), "first.weight class.weight");
  EXPECT_EQ(names(net.named_buffers()), "first.mean class.mean");
  EXPECT_EQ(names(net.named_children()), "first class");
}

struct Holder : nn::Module {
  std::optional<Scale> maybe;
  std::optional<nn::Parameter> bias;
  std::shared_ptr<Scale> shared = std::make_shared<Scale>(), again = shared, missing;
  TAPER_MODULE(Holder, maybe, bias, shared, again, missing)
  Tensor forward(const Tensor& x) { return x; }
};

TEST(Members, OptionalAndSharedMembersCanChange) {
  Holder h;
  EXPECT_EQ(names(h.named_parameters()), "shared.weight");
  h.maybe.emplace(5);
  h.bias.emplace(zeros({1}));
  h.missing = std::make_shared<Scale>();
  EXPECT_EQ(names(h.named_parameters()), "bias maybe.weight shared.weight missing.weight");
  h.maybe.reset();
  h.again = nullptr;
  EXPECT_EQ(names(h.named_children()), "shared missing");
}

TEST(Members, ReplacedMembersAreVisible) {
  Net net;
  net.first = Scale(7);
  EXPECT_EQ(net.parameters()[0].data<float>()[0], 7);
  net.class_.weight = net.first.weight;  // ties the weights
  EXPECT_EQ(net.parameters().size(), 1u);
}

struct Derived : Net {
  Scale head{4};
  TAPER_DERIVED_MODULE(Derived, Net, head)
  Tensor forward(const Tensor& x) { return head(Net::forward(x)); }
};

TEST(Members, BaseMembersPrecedeDerivedMembers) {
  Derived d;
  EXPECT_EQ(names(d.named_parameters()), "first.weight class.weight head.weight");
  EXPECT_EQ(d(row(1, 2)).flatten()[1].item<float>(), 2 * 2 * 3 * 4);
}

struct Forgetful : nn::Module {
  Scale a;
  int x = 0;
  std::optional<Scale> b;
  Scale c;
  TAPER_MODULE(Forgetful, a, b)
  Tensor forward(const Tensor& t) { return t; }
};
struct ForgetfulOfParameter : nn::Module {
  nn::Parameter p;
  TAPER_MODULE(ForgetfulOfParameter)
  Tensor forward(const Tensor& t) { return t; }
};

TEST(Members, ReportsUnlistedMembersAtFirstUse) {
  Forgetful f;
  const auto offset = reinterpret_cast<char*>(&f.c) - reinterpret_cast<char*>(&f);
  const std::string expected =
      "Forgetful: the member at offset " + std::to_string(offset) +
      " is the module Scale(size=2), which TAPER_MODULE(Forgetful, ...) does not list. List the "
      "member, put modules into nn::ModuleList or nn::ModuleDict and parameters into "
      "nn::ParameterList, or refer to a module that is trained elsewhere by nn::ref";
  EXPECT_EQ(error_text<RuntimeError>([&] { f.parameters(); }), expected);
  EXPECT_EQ(error_text<RuntimeError>([&] { f(row(1, 2)); }), expected);
  ForgetfulOfParameter p;
  EXPECT_THROW(p.state_dict(), RuntimeError);
}

struct WithoutMacro : Net {
  Tensor forward(const Tensor& x) { return x; }
};

TEST(Members, RejectsDerivedClassWithoutMacro) {
  WithoutMacro m;
  EXPECT_EQ(error_text<RuntimeError>([&] { m.parameters(); }),
            "a class derived from Net must use TAPER_MODULE or TAPER_DERIVED_MODULE: otherwise its "
            "forward and members would be ignored");
  EXPECT_THROW(m(row(1, 2)), RuntimeError);
}

class Private : public nn::Module {
  Scale hidden{1};
  int secret = 3;

 public:
  TAPER_MODULE(Private, hidden)
  Tensor forward(const Tensor& x) { return hidden(x) * secret * more; }

 private:
  int more = 1;
};
template <class Act> struct ActBlock : nn::Module {
  Scale layer{2};
  Act act;
  TAPER_MODULE(ActBlock, layer, act)
  auto forward(const Tensor& x) { return std::tuple{act(layer(x)), 1}; }
};

TEST(Members, SupportsClassesAndTemplates) {
  Private p;
  EXPECT_EQ(names(p.named_parameters()), "hidden.weight");
  EXPECT_EQ(p(row(1, 2)).flatten()[0].item<float>(), 3);
  ActBlock<Identity> b;
  EXPECT_EQ(names(b.named_modules()), " layer act");
  const auto [y, one] = b(row(1, 2));
  EXPECT_EQ(y.data<float>()[1], 4);
  EXPECT_EQ(one, 1);
}

TEST(Members, ModulesMoveInVectorsAndOptionals) {
  std::vector<Net> many;
  for (int i = 0; i < 5; ++i) many.emplace_back();
  many[1].first = Scale(11);
  many.push_back(Net{});
  EXPECT_EQ(names(many[1].named_parameters()), "first.weight class.weight");
  EXPECT_EQ(many[1].first.weight.data<float>()[0], 11);
  std::optional<Net> one;
  one = Net{};
  EXPECT_EQ(one->parameters().size(), 2u);
}

TEST(Members, AreNotCopyable) {
  static_assert(!std::is_copy_constructible_v<Net> && !std::is_copy_constructible_v<nn::Linear>);
  static_assert(!std::is_copy_constructible_v<nn::Module> && !std::is_copy_assignable_v<Net>);
  static_assert(!std::copyable<nn::Sequential> && std::movable<nn::Sequential>);
  static_assert(!std::is_convertible_v<Net&, Net>);
  static_assert(std::is_nothrow_move_constructible_v<Net>);
  Net net;
  // The compiler warns about this copy: see TAPER_DETAIL_CLONED.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_EQ(error_text<RuntimeError>([&] { Net direct(net); }),
            "Net: modules cannot be copied: use clone()");
#pragma GCC diagnostic pop
}

TEST(Ref, FollowsMovesAndBecomesNull) {
  auto net = std::make_unique<Net>();
  const auto ref = nn::ref(*net);
  EXPECT_EQ(ref.get(), net.get());
  {
    Net moved = std::move(*net);
    EXPECT_EQ(ref.get(), &moved);
    EXPECT_EQ(ref->note, "as built");
  }
  EXPECT_FALSE(ref);
  EXPECT_EQ(error_text<RuntimeError>([&] { (void)ref->note; }),
            "You are trying to call the hook of a dead Module!");
}

// R1.4-01, R1.4-02, R1.4-06
TEST(Parameter, IsLeafThatSharesElements) {
  const Tensor data = tensor({1.0, 2.0});
  const nn::Parameter p(data * 2);
  EXPECT_TRUE(p.is_leaf());
  EXPECT_TRUE(p.requires_grad());
  const nn::Parameter alias(data);
  EXPECT_TRUE(alias.shares_storage_with(data));
  EXPECT_EQ(nn::Parameter().shape(), Shape({0}));
  EXPECT_FALSE(nn::Parameter(tensor({1, 2}), false).requires_grad());
  EXPECT_EQ(error_text<RuntimeError>([] {
              nn::Parameter(tensor({1, 2}));
            }),
            "Only Tensors of floating point and complex dtype can require gradients");
  const nn::Buffer b(data, false);
  EXPECT_TRUE(b.shares_storage_with(data));
  EXPECT_FALSE(b.persistent);
}

// R1.4-03
TEST(Parameter, PrintsItsKind) {
  EXPECT_EQ(Value::parameter(nn::Parameter(tensor({1.0}))).repr(),
            "Parameter containing:\ntensor([1.], requires_grad=True)");
}

}  // namespace
