// Computed members, the basis of parametrizations, norms and pruning.
#include "nn/module/computed_members.h"

#include <atomic>
#include <cmath>
#include <thread>

#include "nets.h"
#include "support/contains.h"
#include "taper/autograd/autograd.h"
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"

namespace {

using taper::test::contains;

using namespace nets;

/// Computes exp of the parameter named `<name>_log`.
struct Exp final : nn::MemberComputation {
  explicit Exp(std::string n, bool anew = false) : name(std::move(n)), anew_(anew) {}
  Tensor compute(nn::Module& m) const override {
    ++computed;
    return m.get_parameter(name + "_log").exp();
  }
  bool is_computed_on_read() const override { return anew_; }
  std::string name;
  bool anew_;
  inline static std::atomic<int> computed = 0;
};

void make_positive(nn::Module& m, const std::string& name = "weight", bool anew = false) {
  const Tensor there = nn::register_computed_member(m, name, std::make_shared<Exp>(name, anew));
  m.register_parameter(name + "_log", nn::Parameter(there.detach().log()));
  m.refresh();
}

/// A module whose parameters are dynamic entries.
struct ByName : nn::Module {
  ByName() {
    register_parameter("a", nn::Parameter(tensor({2.0})));
    register_parameter("b", nn::Parameter(tensor({3.0})));
  }
  TAPER_MODULE(ByName)
  Tensor forward(const Tensor& x) { return x * attr<nn::Parameter>("a"); }
};

/// Module that reads its child's parameter without calling the child.
struct Reader : nn::Module {
  Scale inner{3};
  TAPER_MODULE(Reader, inner)
  Tensor forward(const Tensor& x) {
    inner.refresh();
    return x * inner.weight;
  }
};

TEST(ComputedMembers, AreRecomputedByTypedAndErasedCalls) {
  Scale m(2);
  make_positive(m);
  const Tensor x = ones({2});
  EXPECT_NEAR(m(x)[0].item<double>(), 2, 1e-6);
  {
    const NoGrad guard;
    m.get_parameter("weight_log").fill_(0);
  }
  EXPECT_NEAR(m.weight[0].item<double>(), 2, 1e-6);  // not recomputed until the next call
  EXPECT_EQ(m(x)[0].item<double>(), 1);
  EXPECT_EQ(m.weight[0].item<double>(), 1);
  {
    const NoGrad guard;
    m.get_parameter("weight_log").fill_(1);
  }
  EXPECT_NEAR(m.call(Values{x}).as_tensor()[0].item<double>(), std::exp(1.0), 1e-6);
  m(x).sum().backward();
  EXPECT_NEAR(m.get_parameter("weight_log").grad()[0].item<double>(), std::exp(1.0), 1e-6);
}

TEST(ComputedMembers, AreNotRegistered) {
  Scale m(2);
  make_positive(m);
  EXPECT_EQ(names(m.named_parameters()), "weight_log");
  EXPECT_EQ(m.own_parameters().size(), 1u);
  EXPECT_TRUE(m.has_attr("weight"));
  EXPECT_TRUE(m.get_attr("weight").is_tensor());
  EXPECT_FALSE(m.get_attr("weight").is_parameter());
  EXPECT_THROW(m.get_parameter("weight"), AttributeError);
  EXPECT_EQ(
      error_message<KeyError>([&] { m.register_parameter("weight", nn::Parameter(ones({2}))); }),
      "attribute 'weight' already exists");
  EXPECT_EQ(error_message<KeyError>([&] { m.set_attr("weight", nn::Parameter(ones({2}))); }),
            "attribute 'weight' already exists");
  EXPECT_THROW(m.set_attr("weight", Value("text")), TypeError);
  EXPECT_THROW(m.del_attr("weight"), AttributeError);
  m.set_attr("weight", Value(full({2}, 7)));
  EXPECT_EQ(m.weight[0].item<double>(), 7);
  EXPECT_NEAR(m(ones({2}))[0].item<double>(), 2, 1e-6);
}

TEST(ComputedMembers, StateDictContainsTheirSources) {
  Scale m(2), other(5);
  make_positive(m), make_positive(other);
  const Value state = m.state_dict();
  EXPECT_EQ(state.as_dict().size(), 2u);
  EXPECT_TRUE(state.contains("weight_log") && state.contains("mean"));
  other.load_state_dict(state);
  EXPECT_NEAR(other(ones({2}))[0].item<double>(), 2, 1e-6);
}

TEST(ComputedMembers, RestoredMemberComesLast) {
  Scale m(2);
  m.register_parameter("extra", nn::Parameter(ones({1})));
  make_positive(m);
  const Tensor original = m.get_parameter("weight_log");
  m.del_attr("weight_log");
  nn::remove_computed_member(m, "weight", original);
  EXPECT_EQ(names(m.named_parameters()), "extra weight");
  EXPECT_EQ(m.weight.impl(), original.impl());
  m.register_parameter("later", nn::Parameter(ones({1})));
  EXPECT_EQ(names(m.named_parameters()), "extra weight later");
  EXPECT_EQ(&m.get_parameter("weight"), &m.weight);
  Scale copy = m.clone();
  EXPECT_EQ(names(copy.named_parameters()), "extra weight later");
  make_positive(m);
  EXPECT_EQ(names(m.named_parameters()), "extra later weight_log");
}

TEST(ComputedMembers, SupportDynamicEntries) {
  ByName m;
  make_positive(m, "a");
  EXPECT_EQ(names(m.named_parameters()), "b a_log");
  EXPECT_NEAR(m(ones({1})).item<double>(), 2, 1e-6);
  nn::remove_computed_member(m, "a", nn::Parameter(tensor({4.0})));
  EXPECT_EQ(names(m.named_parameters()), "b a_log a");
  EXPECT_EQ(m(ones({1})).item<double>(), 4);
}

TEST(ComputedMembers, ReadByNameRecomputesOnRequest) {
  Scale last(2), anew(2);
  make_positive(last), make_positive(anew, "weight", true);
  for (Scale* m : {&last, &anew}) {
    const NoGrad guard;
    m->get_parameter("weight_log").fill_(0);
  }
  EXPECT_NEAR(last.attr<Tensor>("weight")[0].item<double>(), 2, 1e-6);
  EXPECT_EQ(anew.attr<Tensor>("weight")[0].item<double>(), 1);
  EXPECT_EQ(anew.weight[0].item<double>(), 1);
}

TEST(ComputedMembers, FollowCopiesMovesAndConversions) {
  Scale m(2);
  make_positive(m);
  Scale copy = m.clone();
  EXPECT_NE(copy.weight.impl(), m.weight.impl());
  EXPECT_TRUE(copy.weight.is_leaf());
  {
    const NoGrad guard;
    copy.get_parameter("weight_log").fill_(0);
  }
  EXPECT_EQ(copy(ones({2}))[0].item<double>(), 1);
  EXPECT_NEAR(m(ones({2}))[0].item<double>(), 2, 1e-6);
  Scale moved = std::move(m);
  EXPECT_EQ(names(moved.named_parameters()), "weight_log");
  moved.to(float64);
  EXPECT_EQ(moved.weight.dtype(), float64);
  EXPECT_EQ(moved(ones({2}, {.dtype = float64})).dtype(), float64);
}

TEST(ComputedMembers, RefreshUpdatesMembersOfChild) {
  Reader m;
  make_positive(m.inner);
  {
    const NoGrad guard;
    m.inner.get_parameter("weight_log").fill_(0);
  }
  EXPECT_EQ(m(ones({2}))[0].item<double>(), 1);
}

TEST(ComputedMembers, PreHooksReceiveValueOfThisCall) {
  Scale m(2);
  make_positive(m);
  {
    const NoGrad guard;
    m.get_parameter("weight_log").fill_(0);
  }
  double seen = 0;
  m.register_forward_pre_hook([&](Scale& s, const Tensor&) { seen = s.weight[0].item<double>(); });
  Exp::computed = 0;
  m(ones({2}));
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(Exp::computed, 1);
}

TEST(ComputedMembers, AreRecomputedWithTypedHooks) {
  Scale m(2);
  make_positive(m);
  {
    const NoGrad guard;
    m.get_parameter("weight_log").fill_(0);
  }
  int hooks = 0;
  m.register_forward_hook([&](Scale&, const Tensor&, Tensor&) { ++hooks; });
  EXPECT_EQ(m(ones({2}))[0].item<double>(), 1);
  EXPECT_EQ(hooks, 1);
}

TEST(ComputedMembers, ErrorsContainPathOfModule) {
  nn::Sequential net(Scale(2));
  make_positive(net[0]);
  net[0].del_attr("weight_log");
  const std::string text = error_text<Error>([&] { net(ones({2})); });
  EXPECT_TRUE(contains(text, "weight_log"));
  EXPECT_TRUE(contains(text, "in 0: Scale(size=2)"));
}

TEST(ComputedMembers, SupportConcurrentCalls) {
  Scale m(2);
  make_positive(m);
  m.eval();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const Tensor x = ones({2});
      for (int i = 0; i < 50; ++i)
        if (std::abs(m(x)[0].item<double>() - 2) > 1e-6) ++wrong;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ComputedMembers, RejectMissingMembers) {
  Scale m;
  const auto computation = std::make_shared<Exp>("weight");
  EXPECT_THROW(nn::register_computed_member(m, "nothing", computation), ValueError);
  EXPECT_THROW(nn::remove_computed_member(m, "weight", m.weight), ValueError);
  make_positive(m);
  EXPECT_THROW(nn::register_computed_member(m, "weight", computation), ValueError);
}

}  // namespace
