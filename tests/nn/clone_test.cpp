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
TEST(Clone, HasTensorsOfItsOwnAndKeepsTies) {
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
  EXPECT_FALSE(c.a.weight.grad());
  EXPECT_FALSE(c.a.weight.requires_grad());
  EXPECT_TRUE(c.shared->weight.requires_grad());
  EXPECT_EQ(c.shared->weight.data<float>()[0], 3);
}

TEST(Clone, KeepsHooksThatHandlesOfTheOriginalDoNotTouch) {
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

TEST(Clone, OfUnknownClass) {
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

TEST(Clone, SaysWhatCannotBeCopied) {
  Locked m;
  EXPECT_TRUE(m(row(1, 2)).defined());
  EXPECT_EQ(text_of<RuntimeError>([&] { m.clone_shared(); }),
            "Locked: has a plain member that cannot be copied, so it cannot be cloned");
}

}  // namespace
