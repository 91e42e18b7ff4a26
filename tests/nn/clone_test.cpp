#include <memory>
#include <mutex>

#include "nets.h"

namespace {

using namespace nets;

struct Tied : nn::Module {
  Scale a{1}, b{2};
  std::shared_ptr<Scale> shared = std::make_shared<Scale>(3), again = shared;
  std::string note = "built";
  TAPER_MODULE(Tied, a, b, shared, again)
  Tensor forward(const Tensor& x) { return b(a(x)); }
};

// R1.4-04, R2.8-04
TEST(Clone, CopiesTensorsAndPreservesTies) {
  Tied m;
  m.note = "changed";
  m.b.weight = m.a.weight;
  m.register_parameter("extra", m.a.weight);
  m.a.weight.set_grad(ones({2}));
  m.eval();
  m.b.weight.requires_grad_(false);
  Tied c = m.clone();
  EXPECT_EQ(c.note, "changed");
  EXPECT_FALSE(c.training);
  EXPECT_FALSE(c.a.weight.shares_storage_with(m.a.weight));
  EXPECT_TRUE(c.a.weight.is_same(c.b.weight));
  EXPECT_TRUE(c.get_parameter("extra").is_same(c.a.weight));
  EXPECT_EQ(c.shared, c.again);
  EXPECT_NE(c.shared, m.shared);
  EXPECT_FALSE(c.shared->weight.shares_storage_with(m.shared->weight));
  EXPECT_FALSE(c.a.weight.grad().defined());
  EXPECT_FALSE(c.a.weight.requires_grad());
  EXPECT_TRUE(c.shared->weight.requires_grad());
  EXPECT_EQ(c.shared->weight.data<float>()[0], 3);
}

TEST(Clone, CopiedHooksAreIndependentOfHandles) {
  Scale m;
  int calls = 0;
  const auto handle = m.register_forward_hook([&](nn::Module&, const Values&, Value&) { ++calls; });
  Scale c = m.clone();
  handle.remove();
  m(row(1, 2));
  EXPECT_EQ(calls, 0);
  c(row(1, 2));
  EXPECT_EQ(calls, 1);
}

TEST(Clone, ClonesThroughBaseClass) {
  Tied m;
  const nn::Module& base = m;
  const std::shared_ptr<nn::Module> c = base.clone_shared();
  ASSERT_TRUE(c->as<Tied>());
  EXPECT_FALSE(c->as<Tied>()->a.weight.shares_storage_with(m.a.weight));
}

struct Locked : nn::Module {
  std::mutex mutex;
  std::unique_ptr<int> unique;
  Scale layer;
  TAPER_MODULE(Locked, layer)
  Tensor forward(const Tensor& x) { return layer(x); }
};

TEST(Clone, ReportsNonCopyableMember) {
  Locked m;
  EXPECT_TRUE(m(row(1, 2)).defined());
  EXPECT_EQ(error_text<RuntimeError>([&] { m.clone_shared(); }),
            "Locked: cannot clone: a plain member is not copyable");
}

// R2.8-04: plain attributes set at run time are copied deeply, with their ties.
TEST(Clone, CopiesPlainAttributesDeeply) {
  Tied m;
  const Tensor plain = ones({2}, {.requires_grad = true});
  plain.set_grad(ones({2}));
  const Value list = Value::list({plain, Value::parameter(m.a.weight), 3});
  list.append(list);  // creates a cycle
  m.set_attr("list", list);
  m.set_attr("second", list);
  m.set_attr("module", Value::dict({{"m", nn::value_of(std::shared_ptr<nn::Module>(m.shared))}}));
  m.set_attr("tensor", plain);
  Tied c = m.clone();
  const Value copy = c.get_attr("list");
  const Tensor own = copy[0].as_tensor();
  EXPECT_FALSE(own.shares_storage_with(plain));
  EXPECT_TRUE(own.grad().defined());  // the gradient of a plain tensor is copied as well
  EXPECT_FALSE(own.grad().shares_storage_with(plain.grad()));
  EXPECT_TRUE(c.attr<Tensor>("tensor").is_same(own));
  EXPECT_TRUE(copy[1].as_tensor().is_same(c.a.weight));
  EXPECT_TRUE(copy[1].is_parameter());
  EXPECT_EQ(&copy[3].as_list(), &copy.as_list());
  const Value second = c.get_attr("second");
  EXPECT_EQ(&second.as_list(), &copy.as_list());
  EXPECT_NE(&list.as_list(), &copy.as_list());
  EXPECT_EQ(nn::module_of(c.get_attr("module")["m"]), c.shared.get());
  list.as_list().clear();  // breaks the cycle, which would leak
  copy.as_list().clear();
}

// R1.4-04
TEST(Clone, PreservesStridesAndDropsGradients) {
  Scale m;
  m.weight = nn::Parameter(ones({2, 3, 4, 5}).permute({0, 2, 3, 1}));
  m.weight.set_grad(ones({2, 4, 5, 3}));
  Scale c = m.clone();
  EXPECT_EQ(c.weight.strides(), m.weight.strides());
  EXPECT_FALSE(c.weight.shares_storage_with(m.weight));
  EXPECT_FALSE(c.weight.grad().defined());
}

struct Virtual : nn::Module {
  std::shared_ptr<nn::Module> body = std::make_shared<Tied>();
  nn::Optional<Scale> maybe{Scale(4)};
  std::vector<int> counts{1, 2};
  TAPER_MODULE(Virtual, body, maybe)
  Tensor forward(const Tensor& x) { return (*body)(x); }
};

TEST(Clone, PreservesClassesOfSharedChildrenAndOptionals) {
  Virtual m;
  m.counts.push_back(3);
  Virtual c = m.clone();
  ASSERT_TRUE(c.body->as<Tied>());
  EXPECT_NE(c.body, m.body);
  EXPECT_EQ(c.counts.size(), 3u);
  EXPECT_FALSE(c.maybe->weight.shares_storage_with(m.maybe->weight));
  m.maybe.reset();
  EXPECT_FALSE(m.clone().maybe);
}

}  // namespace
