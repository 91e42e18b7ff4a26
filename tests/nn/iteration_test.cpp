#include "counting_new.h"
#include "nets.h"

namespace {

using namespace nets;

struct MixedOrder : nn::Module {
  Scale child{1};
  nn::Parameter late{zeros({1})};
  std::shared_ptr<Scale> other = std::make_shared<Scale>(2), same = other;
  TAPER_MODULE(MixedOrder, child, late, other, same)
  Tensor forward(const Tensor& x) { return x; }
};

// R2.3-01, R2.3-02, R2.3-03
TEST(Iteration, ModulesAreInPreorderAndDistinct) {
  MixedOrder m;
  EXPECT_EQ(names(m.named_modules()), " child other");
  EXPECT_EQ(names(m.named_modules({.prefix = "net"})), "net net.child net.other");
  EXPECT_EQ(names(m.named_modules({.remove_duplicate = false})), " child other same");
  EXPECT_EQ(m.modules().size(), 3u);
  EXPECT_EQ(m.modules()[0], &m);
}

// R2.3-04, R2.3-05
TEST(Iteration, ChildrenAreDirectAndDistinct) {
  MixedOrder m;
  EXPECT_EQ(names(m.named_children()), "child other");
  EXPECT_EQ(m.children()[1], m.other.get());
}

// R2.3-06, R2.3-07, R2.3-08, R2.3-10
TEST(Iteration, OwnParametersPrecedeThoseOfChildren) {
  MixedOrder m;
  EXPECT_EQ(names(m.named_parameters()), "late child.weight other.weight");
  EXPECT_EQ(names(m.named_parameters({.prefix = "x"})), "x.late x.child.weight x.other.weight");
  EXPECT_EQ(names(m.named_parameters({.recurse = false})), "late");
  EXPECT_EQ(names(m.named_parameters({.remove_duplicate = false})),
            "late child.weight other.weight same.weight");
  m.child.weight = m.other->weight;  // the first path is reported
  EXPECT_EQ(names(m.named_parameters()), "late child.weight");
  EXPECT_EQ(m.parameters().size(), 2u);
  EXPECT_EQ(m.parameters(false).size(), 1u);
}

// R2.3-09, R5.5-04
TEST(Iteration, BuffersIncludeNonPersistentOnes) {
  MixedOrder m;
  m.child.mean.persistent = false;
  EXPECT_EQ(names(m.named_buffers()), "child.mean other.mean");
  EXPECT_EQ(m.buffers().size(), 2u);
}

// R2.3-02
TEST(Iteration, MemoExcludesVisitedModules) {
  MixedOrder m;
  std::vector<const nn::Module*> memo{m.other.get()};
  EXPECT_EQ(names(m.named_modules({.memo = &memo})), " child");
  EXPECT_EQ(memo.size(), 3u);  // visited modules are added
  EXPECT_EQ(m.named_modules({.memo = &memo}).size(), 0u);
}

// R2.3-03
TEST(Iteration, ModulesCanIncludeDuplicates) {
  MixedOrder m;
  EXPECT_EQ(m.modules(false).size(), 4u);
}

TEST(Iteration, CallbacksReceiveEachEntry) {
  MixedOrder m;
  int parameters = 0, buffers = 0;
  std::string children;
  m.for_each_parameter([&](nn::Parameter& p) { parameters += p.defined(); });
  m.for_each_buffer([&](nn::Buffer& b) { buffers += b.defined(); });
  m.for_each_child([&](std::string_view name, nn::Module&) { children += name; });
  EXPECT_EQ(parameters, 3);
  EXPECT_EQ(buffers, 2);
  EXPECT_EQ(children, "childother");
  std::string all;
  const auto add = [&](std::string_view name, const auto&) { (all += name) += " "; };
  m.for_each_parameter(add, {.prefix = "net"});
  m.for_each_buffer(add, {.recurse = false});
  m.for_each_module(add, {.remove_duplicate = false});
  EXPECT_EQ(all, "net.late net.child.weight net.other.weight  child other same ");
}

TEST(Iteration, CallbacksAllocateNothing) {
  Identity root;
  std::string long_name(40, 'n');
  for (int i = 0; i < 200; ++i)
    root.register_module(long_name + std::to_string(i), std::make_shared<Scale>());
  std::size_t letters = 0, expected = 200 + 200;
  for (const auto& p : root.named_parameters()) expected += p.name.size();
  for (const auto& m : root.named_modules()) expected += m.name.size();
  const std::uint64_t before = allocations();
  root.for_each_parameter([&](std::string_view name, nn::Parameter&) { letters += name.size(); });
  root.for_each_buffer([&](nn::Buffer&) { ++letters; });
  root.for_each_child([&](std::string_view, nn::Module&) { ++letters; });
  root.for_each_module([&](std::string_view name, nn::Module&) { letters += name.size(); });
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(letters, expected);
}

TEST(Iteration, SupportsLongPathsAndManyModules) {
  auto root = std::make_shared<Identity>();
  std::shared_ptr<nn::Module> at = root;
  for (int i = 0; i < 40; ++i) {
    auto next = std::make_shared<Identity>();
    at->register_module("a_name_of_some_length", next);
    at = next;
  }
  at->register_parameter("p", nn::Parameter(zeros({1})));
  const std::string name = root->named_parameters()[0].name;
  EXPECT_EQ(name.size(), 40u * 22 + 1);
  EXPECT_TRUE(root->get_parameter(name).defined());
  Identity many;
  for (int i = 0; i < 3000; ++i) many.register_module(std::to_string(i), at);
  EXPECT_EQ(many.modules().size(), 2u);
}

TEST(Iteration, ManyTensorsStayDistinct) {
  Identity root;
  for (int i = 0; i < 1000; ++i)
    root.register_parameter("p" + std::to_string(i), nn::Parameter(zeros({1})));
  EXPECT_EQ(root.parameters().size(), 1000u);
}

struct Loop : nn::Module {
  std::shared_ptr<nn::Module> inner;
  TAPER_MODULE(Loop, inner)
  Tensor forward(const Tensor& x) { return x; }
};

// R2.1-18
TEST(Iteration, ReportsCycles) {
  auto a = std::make_shared<Loop>(), b = std::make_shared<Loop>();
  a->inner = b;
  b->inner = a;
  EXPECT_EQ(a->modules().size(), 2u);  // iteration terminates
  EXPECT_EQ(error_text<RuntimeError>([&] { a->state_dict(); }),
            "state_dict: a module contains itself: Loop -> Loop -> Loop");
  EXPECT_THROW(a->train(), RuntimeError);
  EXPECT_THROW(a->str(), RuntimeError);
  EXPECT_THROW(a->to(float64), RuntimeError);
  b->inner = nullptr;
  a->train();
}

// R2.4-01, R2.4-02
TEST(TrainingMode, TrainAndEvalReachAllModules) {
  MixedOrder m;
  EXPECT_TRUE(m.training);
  EXPECT_EQ(&m.eval(), &m);
  EXPECT_FALSE(m.training || m.child.training || m.other->training);
  m.train();
  EXPECT_TRUE(m.training && m.child.training && m.other->training);
}

struct Frozen : Net {
  TAPER_DERIVED_MODULE(Frozen, Net)
  Tensor forward(const Tensor& x) { return Net::forward(x); }
  void set_training(bool mode) override {
    Net::set_training(mode);
    first.eval();
  }
};
struct InnerHolder : nn::Module {
  Frozen inner;
  TAPER_MODULE(InnerHolder, inner)
  Tensor forward(const Tensor& x) { return inner(x); }
};

TEST(TrainingMode, CanBeOverridden) {
  InnerHolder m;
  m.train();
  EXPECT_FALSE(m.inner.first.training);
  EXPECT_TRUE(m.inner.class_.training);
}

// R2.4-03, R2.4-04, R2.4-05
TEST(ZeroGrad, DropsOrZeroesGradients) {
  Net net;
  net(row(1, 2)).sum().backward();
  const Tensor grad = net.first.weight.grad();
  EXPECT_EQ(grad.data<float>()[1], 6);
  net.zero_grad(false);
  EXPECT_TRUE(net.first.weight.grad().is_same(grad));
  EXPECT_EQ(grad.data<float>()[1], 0);
  net.zero_grad();
  EXPECT_FALSE(net.first.weight.grad().defined());
  net.requires_grad_(false);
  EXPECT_FALSE(net.first.weight.requires_grad());
}

// R2.5-01
TEST(Apply, VisitsChildrenFirst) {
  MixedOrder m;
  std::string order;
  m.apply([&](nn::Module& x) {
    order += std::string(x.type_name()) + " ";
    if (const auto scale = x.as<Scale>()) scale->size = 9;
  });
  EXPECT_EQ(order, "Scale Scale MixedOrder ");
  EXPECT_EQ(m.other->size, 9);
}

}  // namespace
