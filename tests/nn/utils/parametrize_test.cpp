// Parametrizations: tensors of modules that are functions of other tensors.
#include "taper/nn/utils/parametrize.h"

#include "../nets.h"
#include "taper/autograd/autograd.h"
#include "taper/nn/activation.h"
#include "taper/nn/linear.h"
#include "taper/nn/module_dict.h"
#include "taper/nn/sequential.h"

namespace {

using namespace nets;
namespace P = nn::utils::parametrize;

struct CountedSymmetric : nn::Module {
  TAPER_MODULE(CountedSymmetric)
  Tensor forward(const Tensor& x) {
    ++calls;
    return x.triu() + x.triu(1).t();
  }
  Tensor right_inverse(const Tensor& x) { return x.triu(); }
  inline static int calls = 0;
};
/// A parametrization without right_inverse.
struct Doubled : nn::Module {
  TAPER_MODULE(Doubled)
  Tensor forward(const Tensor& x) { return x * 2; }
};
struct Halved : nn::Module {
  TAPER_MODULE(Halved)
  Tensor forward(const Tensor& x) { return x * 0.5; }
  Tensor right_inverse(const Tensor& x) { return x * 2; }
};
/// Computes a b^T from two originals.
struct OuterProduct : nn::Module {
  TAPER_MODULE(OuterProduct)
  Tensor forward(const Tensor& a, const Tensor& b) { return a.unsqueeze(1) * b; }
  std::pair<Tensor, Tensor> right_inverse(const Tensor& x) {
    return {x.select(1, 0), x.select(0, 0) / x.select(0, 0)[0]};
  }
};
struct Wider : nn::Module {
  TAPER_MODULE(Wider)
  Tensor forward(const Tensor& x) { return cat({x, x}); }
};
struct Doubles : nn::Module {
  TAPER_MODULE(Doubles)
  Tensor forward(const Tensor& x) { return x.to(float64); }
};
struct NoTensor : nn::Module {
  TAPER_MODULE(NoTensor)
  Value forward(const Tensor&) { return Value("text"); }
};
/// A parametrization with a right_inverse that is not implemented.
struct Declined : nn::Module {
  TAPER_MODULE(Declined)
  Tensor forward(const Tensor& x) { return x * 3; }
  Tensor right_inverse(const Tensor&) { throw NotImplementedError("not yet"); }
};
struct WrongInverse : nn::Module {
  TAPER_MODULE(WrongInverse)
  Tensor forward(const Tensor& x) { return x.to(float32); }
  Tensor right_inverse(const Tensor& x) { return x.to(float64); }
};

Tensor numbers() { return tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}, {7.f, 8.f, 9.f}}); }
nn::Linear counted_linear() {
  nn::Linear m(3, 3);
  const NoGrad guard;
  m.weight.copy_(numbers());
  m.bias->zero_();
  return m;
}
bool same_values(const Tensor& a, const Tensor& b) { return allclose(a, b, 0, 0); }
std::string names_of(nn::Module& m) { return names(m.named_parameters()); }

// R9.3-01
TEST(Parametrize, AcceptsParametersBuffersAndParametrizedTensors) {
  Scale m(2, 3);
  m.eval();
  EXPECT_EQ(&P::register_parametrization(m, "weight", Halved()), &m);
  P::register_parametrization(m, "mean", Doubled());
  P::register_parametrization(m, "weight", Doubled());
  EXPECT_FALSE(P::parametrizations_of(m, "weight")[0].training);
  EXPECT_EQ(names_of(m), "parametrizations.weight.original");
  EXPECT_EQ(names(m.named_buffers()), "parametrizations.mean.original");
  Scale plain(2, 3);
  EXPECT_EQ(
      error_message<ValueError>([&] { P::register_parametrization(plain, "wheight", Halved()); }),
      "Module 'Scale(size=3)' does not have a parameter, a buffer, or a parametrized element "
      "with name 'wheight'");
  EXPECT_THROW(P::register_parametrization(plain, "size", Halved()), ValueError);
}

// R9.3-02
TEST(Parametrize, OriginalIsTheParameterItself) {
  nn::Linear m = counted_linear();
  const Tensor before = m.weight;
  const auto* const elements = before.impl();
  P::register_parametrization(m, "weight", CountedSymmetric());
  const Tensor original = m.get_parameter("parametrizations.weight.original");
  EXPECT_EQ(original.impl(), elements);
  EXPECT_TRUE(same_values(original, numbers().triu()));
  EXPECT_NE(m.get_submodule("parametrizations").as<nn::ModuleDict>(), nullptr);
  EXPECT_NE(m.get_submodule("parametrizations.weight").as<P::ParametrizationList>(), nullptr);
  EXPECT_TRUE(same_values(m.weight, numbers().triu() + numbers().triu(1).t()));
}

// R9.3-02
TEST(Parametrize, SeveralOriginalsAreNewParameters) {
  nn::Linear m = counted_linear();
  m.weight.requires_grad_(false);
  P::register_parametrization(m, "weight", OuterProduct(), {.unsafe = true});
  EXPECT_EQ(names_of(m),
            "bias parametrizations.weight.original0 parametrizations.weight.original1");
  P::ParametrizationList& list = P::parametrizations_of(m, "weight");
  EXPECT_FALSE(list.is_tensor);
  EXPECT_EQ(list.ntensors, 2);
  EXPECT_FALSE(list.originals()[0].requires_grad());
  EXPECT_TRUE(same_values(list.originals()[0], tensor({1.f, 4.f, 7.f})));
  EXPECT_TRUE(
      same_values(m.weight, tensor({1.f, 4.f, 7.f}).unsqueeze(1) * tensor({1.f, 2.f, 3.f})));
}

// R9.3-03
TEST(Parametrize, ChangesClassName) {
  nn::Linear m = counted_linear();
  P::register_parametrization(m, "weight", CountedSymmetric());
  EXPECT_EQ(m.type_name(), "ParametrizedLinear");
  EXPECT_EQ(P::type_before_parametrizations(m), "Linear");
  EXPECT_EQ(m.str(),
            "ParametrizedLinear(\n"
            "  in_features=3, out_features=3, bias=True\n"
            "  (parametrizations): ModuleDict(\n"
            "    (weight): ParametrizationList(\n"
            "      (0): CountedSymmetric()\n"
            "    )\n"
            "  )\n"
            ")");
  EXPECT_EQ(error_text<RuntimeError>([&] { m.load_state_dict(Value::dict()); }).substr(0, 60),
            "Error(s) in loading state_dict for ParametrizedLinear:\n\tMiss");
}

// R9.3-03
TEST(Parametrize, CopiesAreParametrizedIndependently) {
  nn::Linear m = counted_linear();
  P::register_parametrization(m, "weight", CountedSymmetric());
  nn::Linear copy = m.clone();
  EXPECT_EQ(copy.type_name(), "ParametrizedLinear");
  {
    const NoGrad guard;
    copy.get_parameter("parametrizations.weight.original").zero_();
  }
  EXPECT_EQ(copy(ones({1, 3})).sum().item<float>(), 0.f);
  EXPECT_NE(m(ones({1, 3})).sum().item<float>(), 0.f);
  P::assign(copy, "weight", numbers());  // the copy retains right_inverse
  EXPECT_TRUE(
      same_values(copy.get_parameter("parametrizations.weight.original"), numbers().triu()));
}

// R9.3-04, R9.3-07
TEST(Parametrize, AppliesAllInOrderAtEachRead) {
  nn::Linear m = counted_linear();
  P::register_parametrization(m, "weight", CountedSymmetric());
  P::register_parametrization(m, "weight", Doubled());
  EXPECT_EQ(P::parametrizations_of(m, "weight").size(), 2u);
  const Tensor original = m.get_parameter("parametrizations.weight.original");
  {
    const NoGrad guard;
    original.copy_(eye(3));
  }
  CountedSymmetric::calls = 0;
  EXPECT_TRUE(same_values(P::value(m, "weight"), eye(3) * 2));
  EXPECT_TRUE(same_values(m.attr<Tensor>("weight"), eye(3) * 2));
  EXPECT_EQ(CountedSymmetric::calls, 2);
  EXPECT_TRUE(same_values(m.weight, eye(3) * 2));  // the member stores the value computed last
  EXPECT_EQ(CountedSymmetric::calls, 2);
  m(ones({1, 3})).sum().backward();
  EXPECT_EQ(CountedSymmetric::calls, 3);
  EXPECT_TRUE(same_values(original.grad(), (ones({3, 3}) * 2).triu() + (ones({3, 3}) * 2).triu(1)));
}

// R9.3-04, R9.3-10
TEST(Parametrize, ComputesOnceInCacheScope) {
  nn::Linear m = counted_linear();
  P::register_parametrization(m, "weight", CountedSymmetric());
  CountedSymmetric::calls = 0;
  {
    const auto guard = P::cached();
    const Tensor first = P::value(m, "weight");
    {
      const auto inner = P::cached();
      m(ones({1, 3}));
    }
    EXPECT_EQ(m.attr<Tensor>("weight").impl(), first.impl());
    EXPECT_EQ(CountedSymmetric::calls, 1);
  }
  P::value(m, "weight");
  EXPECT_EQ(CountedSymmetric::calls, 2);
}

// R9.3-05
TEST(Parametrize, AssignmentRunsRightInversesInReverseOrder) {
  nn::Linear m = counted_linear();
  P::register_parametrization(m, "weight", CountedSymmetric());
  P::register_parametrization(m, "weight", Halved());
  const auto* const object = m.get_parameter("parametrizations.weight.original").impl();
  const Tensor v = tensor({{2.f, 4.f, 6.f}, {4.f, 8.f, 2.f}, {6.f, 2.f, 0.f}});
  m.set_attr("weight", Value(v));
  const Tensor original = m.get_parameter("parametrizations.weight.original");
  EXPECT_EQ(original.impl(), object);
  EXPECT_TRUE(same_values(original, (v * 2).triu()));
  EXPECT_TRUE(same_values(P::value(m, "weight"), v));
  P::register_parametrization(m, "weight", Doubled());
  EXPECT_EQ(error_message<RuntimeError>([&] { m.set_attr("weight", Value(v)); }),
            "parametrization Doubled does not implement right_inverse.");
  EXPECT_TRUE(same_values(original, (v * 2).triu()));
}

// R9.3-05
TEST(Parametrize, AssignmentSetsSeveralOriginals) {
  nn::Linear m = counted_linear();
  P::register_parametrization(m, "weight", OuterProduct(), {.unsafe = true});
  P::assign(m, "weight", ones({3, 3}));
  for (const Tensor& t : P::parametrizations_of(m, "weight").originals())
    EXPECT_TRUE(same_values(t, ones({3})));
}

// R9.3-06
TEST(Parametrize, RejectsInvalidParametrizationsUnchanged) {
  nn::Linear m = counted_linear();
  EXPECT_EQ(error_message<ValueError>([&] { P::register_parametrization(m, "weight", Wider()); }),
            "Registering a parametrization may not change the shape of the tensor, unless `unsafe` "
            "flag is enabled.\nunparametrized shape: torch.Size([3, 3])\nparametrized shape: "
            "torch.Size([6, 3])");
  EXPECT_EQ(error_message<ValueError>([&] { P::register_parametrization(m, "weight", Doubles()); }),
            "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` "
            "flag is enabled.\nunparametrized dtype: torch.float32\nparametrized dtype: "
            "torch.float64");
  EXPECT_EQ(
      error_message<ValueError>([&] { P::register_parametrization(m, "weight", NoTensor()); }),
      "A parametrization must return a tensor. Got str.");
  EXPECT_THROW(P::register_parametrization(m, "weight", WrongInverse()), ValueError);
  EXPECT_EQ(names_of(m), "weight bias");
  EXPECT_EQ(m.type_name(), "Linear");
  EXPECT_TRUE(same_values(m.weight, numbers()));
  P::register_parametrization(m, "weight", Halved());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(P::register_parametrization(m, "weight", Wider()), ValueError);
    EXPECT_THROW(P::register_parametrization(m, "weight", Doubles()), ValueError);
    EXPECT_THROW(P::register_parametrization(m, "weight", NoTensor()), ValueError);
  }
  EXPECT_EQ(P::parametrizations_of(m, "weight").size(), 1u);
  P::register_parametrization(m, "weight", Wider(), {.unsafe = true});
  EXPECT_EQ(P::value(m, "weight").shape(), Shape({6, 3}));
  EXPECT_TRUE(P::parametrizations_of(m, "weight").unsafe);
}

// R9.3-02, R9.3-05
TEST(Parametrize, NotImplementedRightInverseIsIgnoredAtRegistration) {
  nn::Linear m = counted_linear();
  P::register_parametrization(m, "weight", Declined());
  EXPECT_TRUE(same_values(m.weight, numbers() * 3));
  EXPECT_THROW(P::assign(m, "weight", numbers()), NotImplementedError);
}

// R9.3-08
TEST(Parametrize, StateDictHasOriginalsLast) {
  nn::Linear m = counted_linear(), other = counted_linear();
  for (nn::Linear* l : {&m, &other}) P::register_parametrization(*l, "weight", CountedSymmetric());
  EXPECT_EQ(keys(m.state_dict()), "bias parametrizations.weight.original");
  P::assign(m, "weight", eye(3));
  other.load_state_dict(m.state_dict());
  EXPECT_TRUE(same_values(P::value(other, "weight"), eye(3)));
}

// R9.3-09
TEST(RemoveParametrizations, LeavesValueOrOriginal) {
  for (const bool leave : {true, false}) {
    nn::Linear m = counted_linear();
    const auto* const object = m.weight.impl();
    P::register_parametrization(m, "weight", CountedSymmetric());
    const Tensor value = m.weight.detach(), original = numbers().triu();
    EXPECT_EQ(&P::remove_parametrizations(m, "weight", leave), &m);
    EXPECT_EQ(m.weight.impl(), object);
    EXPECT_TRUE(same_values(m.weight, leave ? value : original));
    EXPECT_TRUE(m.weight.is_leaf() && m.weight.requires_grad());
    EXPECT_EQ(names_of(m), "bias weight");
    EXPECT_EQ(keys(m.state_dict()), "bias weight");
    EXPECT_EQ(m.str(), "Linear(in_features=3, out_features=3, bias=True)");
    EXPECT_FALSE(m.has_attr("parametrizations"));
    EXPECT_EQ(m.get_parameter("weight").impl(), object);
    EXPECT_TRUE(m.get_attr("weight").is_parameter());
  }
}

// R9.3-09
TEST(RemoveParametrizations, SupportsSeveralOriginals) {
  nn::Linear m = counted_linear();
  P::register_parametrization(m, "weight", OuterProduct(), {.unsafe = true});
  EXPECT_EQ(
      error_message<ValueError>([&] { P::remove_parametrizations(m, "weight", false); }),
      "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized "
      "in terms of a sequence of tensors.");
  const Tensor value = m.weight.detach();
  P::remove_parametrizations(m, "weight");
  EXPECT_TRUE(same_values(m.weight, value));
  EXPECT_TRUE(m.weight.is_leaf() && m.weight.requires_grad());
}

// R9.3-09
TEST(RemoveParametrizations, KeepsOtherParametrizationsAndBuffers) {
  Scale m(2, 3);
  P::register_parametrization(m, "weight", Halved());
  P::register_parametrization(m, "mean", Doubled());
  P::remove_parametrizations(m, "mean");
  EXPECT_EQ(m.type_name(), "ParametrizedScale");
  EXPECT_EQ(names(m.named_buffers()), "mean");
  P::remove_parametrizations(m, "weight");
  EXPECT_EQ(m.type_name(), "Scale");
  EXPECT_EQ(error_message<ValueError>([&] { P::remove_parametrizations(m, "weight"); }),
            "Module Scale(size=3) does not have a parametrization on weight");
}

// R9.3-10
TEST(Parametrize, ReportsParametrizedTensors) {
  nn::Linear m = counted_linear();
  EXPECT_FALSE(P::is_parametrized(m));
  P::register_parametrization(m, "weight", CountedSymmetric());
  EXPECT_TRUE(P::is_parametrized(m));
  EXPECT_TRUE(P::is_parametrized(m, "weight"));
  EXPECT_FALSE(P::is_parametrized(m, "bias"));
  EXPECT_EQ(P::type_before_parametrizations(nn::Linear(1, 1)), "Linear");
}

// R9.3-10
TEST(Parametrize, TransfersParametrizationsAndOriginals) {
  nn::Linear from = counted_linear(), to(3, 3);
  P::register_parametrization(from, "weight", CountedSymmetric());
  P::transfer_parametrizations_and_params(from, to);
  EXPECT_EQ(to.get_parameter("parametrizations.weight.original").impl(),
            from.get_parameter("parametrizations.weight.original").impl());
  EXPECT_EQ(&P::parametrizations_of(to, "weight")[0], &P::parametrizations_of(from, "weight")[0]);
  EXPECT_TRUE(same_values(to.weight, P::value(from, "weight")));
  Identity bare;
  P::transfer_parametrizations_and_params(from, bare, "weight");
  EXPECT_TRUE(same_values(P::value(bare, "weight"), P::value(from, "weight")));
  nn::Linear plain(3, 3);
  P::transfer_parametrizations_and_params(plain, to);
  EXPECT_EQ(P::parametrizations_of(to, "weight").size(), 1u);
}

TEST(Parametrize, WorksInContainers) {
  nn::Sequential net{nn::Linear(3, 3), nn::ReLU()};
  P::register_parametrization(net[0], "weight", std::make_shared<Doubled>());
  net(ones({2, 3})).sum().backward();
  EXPECT_TRUE(net.get_parameter("0.parametrizations.weight.original").grad().defined());
  net.to(float64);
  EXPECT_EQ(net(ones({2, 3}, {.dtype = float64})).dtype(), float64);
}

}  // namespace
