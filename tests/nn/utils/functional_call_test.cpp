// nn::functional_call: modules as functions of their parameters and buffers.
#include "taper/nn/functional_call.h"

#include "../nets.h"
#include "taper/autograd/autograd.h"
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"
#include "taper/nn/utils/parametrize.h"

namespace {

using namespace nets;
namespace P = nn::utils::parametrize;

/// Counts its calls in a buffer, which it replaces.
struct Counter : nn::Module {
  nn::Parameter weight{ones({1})};
  nn::Buffer count{zeros({1})};
  TAPER_MODULE(Counter, weight, count)
  Tensor forward(const Tensor& x) {
    count = count + 1;
    return x * weight;
  }
};
/// One tensor under two names: as parameter and in a child.
struct TiedNet : nn::Module {
  nn::Parameter w{ones({2})};
  Scale a{1, 2};
  TAPER_MODULE(TiedNet, w, a)
  TiedNet() { a.weight = w; }
  Tensor forward(const Tensor& x) { return a(x) + w; }
};
struct Fails : nn::Module {
  nn::Parameter weight{ones({1})};
  TAPER_MODULE(Fails, weight)
  Tensor forward(const Tensor&) { throw RuntimeError("fails"); }
};
struct NamedLookup : nn::Module {
  TAPER_MODULE(NamedLookup)
  Tensor forward(const Tensor& x) { return has_attr("extra") ? x + attr<Tensor>("extra") : x; }
};
struct DoubledWeight : nn::Module {
  TAPER_MODULE(DoubledWeight)
  Tensor forward(const Tensor& x) { return x * 2; }
};
struct ParameterSum : nn::Module {
  TAPER_MODULE(ParameterSum)
  Tensor forward(std::vector<Tensor> all, Tensor more = {}) {
    return all.empty() ? zeros({1}) : more.defined() ? all[0] + more : all[0];
  }
};
struct NoArguments : nn::Module {
  TAPER_MODULE(NoArguments)
  Tensor forward() { return ones({3}); }
};

float value_of(const Value& v) { return v.as_tensor().sum().item<float>(); }
const Tensor kOnes = ones({2});

// R9.2-01
TEST(FunctionalCall, AcceptsOneDictOrSeveral) {
  Scale m(1, 2);
  const Value w = Value::dict({{"weight", full({2}, 3.0)}}),
              mean = Value::dict({{"mean", ones({2})}});
  EXPECT_EQ(value_of(nn::functional_call(m, w, kOnes)), 6);
  EXPECT_EQ(value_of(func::functional_call(m, Value::list({w, mean}), kOnes)), 8);
  EXPECT_EQ(value_of(nn::functional_call(m, Value::tuple({w, mean}), kOnes)), 8);
  EXPECT_EQ(error_message<ValueError>([&] {
              nn::functional_call(m, Value::list({w, Value(3)}), kOnes);
            }),
            "Expected all elements of parameter_and_buffer_dicts to be dictionaries");
  EXPECT_EQ(error_message<ValueError>([&] {
              nn::functional_call(m, Value::list({w, w}), kOnes);
            }),
            "['weight'] appeared in multiple dictionaries; behavior of functional call is "
            "ambiguous");
  EXPECT_EQ(error_message<ValueError>([&] { nn::functional_call(m, Value(3), kOnes); }),
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            "<class 'int'>");
}

// R9.2-02
TEST(FunctionalCall, ArgumentsAreTupleOrSingleValue) {
  ParameterSum m;
  const Value none = Value::dict(), one = Value::list({kOnes});
  EXPECT_EQ(value_of(nn::functional_call(m, none, one)), 2);  // a list is one argument
  EXPECT_EQ(value_of(nn::functional_call(m, none, Value::tuple({one, kOnes}))), 4);
  NoArguments without;
  EXPECT_EQ(value_of(nn::functional_call(without, none)), 3);
  EXPECT_EQ(value_of(nn::functional_call(without, none, Value())), 3);
}

// R9.2-03
TEST(FunctionalCall, TiedNamesReceiveSameTensor) {
  TiedNet m;
  const Value one = Value::dict({{"w", full({2}, 5.0)}});
  EXPECT_EQ(value_of(nn::functional_call(m, one, kOnes)), 20);
  EXPECT_EQ(one.size(), 1u);
  EXPECT_EQ(value_of(nn::functional_call(m, one, kOnes, {}, {.tie_weights = false})), 12);
  const Value two = Value::dict({{"w", full({2}, 5.0)}, {"a.weight", full({2}, 7.0)}});
  EXPECT_EQ(error_message<ValueError>([&] { nn::functional_call(m, two, kOnes); }),
            "functional_call got multiple values for keys ['a.weight', 'w'], which are tied. "
            "Consider using tie_weights=False");
  EXPECT_EQ(value_of(nn::functional_call(m, two, kOnes, {}, {.tie_weights = false})), 24);
  const Tensor same = full({2}, 2.0);
  EXPECT_EQ(value_of(nn::functional_call(m, Value::dict({{"w", same}, {"a.weight", same}}), kOnes)),
            8);
}

// R9.2-04
TEST(FunctionalCall, StrictRequiresExactlyAllNames) {
  TiedNet m;
  const nn::FunctionalCallOptions strict{.strict = true};
  const Value given = Value::dict({{"zz", kOnes}, {"w", kOnes}});
  EXPECT_EQ(
      error_message<RuntimeError>([&] { nn::functional_call(m, given, kOnes, {}, strict); }),
      "Error(s) in reparametrizing for TiedNet:\n\tUnexpected key(s): 'zz'.\n\tMissing key(s): "
      "'a.mean'.");
  const Value all = Value::dict({{"w", kOnes}, {"a.mean", kOnes}});  // a.weight is tied to w
  EXPECT_EQ(value_of(nn::functional_call(m, all, kOnes, {}, strict)), 6);
  EXPECT_EQ(error_message<RuntimeError>([&] {
              nn::functional_call(m, all, kOnes, {}, {.tie_weights = false, .strict = true});
            }),
            "Error(s) in reparametrizing for TiedNet:\n\tMissing key(s): 'a.weight'.");
}

// R9.2-05
TEST(FunctionalCall, SwapsTensorsDuringCallOnly) {
  Scale m(1, 2);
  const auto* const object = m.weight.impl();
  const Tensor w = full({2}, 3.0).requires_grad_();
  int hooks = 0;
  m.register_forward_hook([&](Scale& s, const Tensor&, const Tensor&) {
    ++hooks;
    EXPECT_EQ(s.weight.impl(), w.impl());  // the given tensor itself, not a new Parameter
  });
  nn::functional_call(m, Value::dict({{"weight", w}}), kOnes).as_tensor().sum().backward();
  EXPECT_EQ(hooks, 1);
  EXPECT_TRUE(w.grad().defined());
  EXPECT_EQ(m.weight.impl(), object);
  EXPECT_FALSE(m.weight.grad().defined());
  EXPECT_EQ(error_message<TypeError>([&] {
              nn::functional_call(m, Value::dict({{"weight", w}, {"mean", 3}}), kOnes);
            }),
            "3 is not an instance of torch.Tensor");
  EXPECT_EQ(m.weight.impl(), object);
  Fails fails;
  const auto* const own = fails.weight.impl();
  EXPECT_THROW(nn::functional_call(fails, Value::dict({{"weight", kOnes}}), kOnes), RuntimeError);
  EXPECT_EQ(fails.weight.impl(), own);
}

// R9.2-06
TEST(FunctionalCall, WritesReplacedBuffersToGivenDict) {
  Counter m;
  const Value given = Value::dict({{"count", zeros({1})}});
  nn::functional_call(m, given, kOnes);
  nn::functional_call(m, given, kOnes);
  EXPECT_EQ(given["count"].as_tensor().item<float>(), 2);
  EXPECT_EQ(m.count.item<float>(), 0);
  const Value first = Value::dict({{"count", zeros({1})}});
  nn::functional_call(m, Value::tuple({first, Value::dict()}), kOnes);
  EXPECT_EQ(first["count"].as_tensor().item<float>(), 0);  // several dicts are not modified
  EXPECT_EQ(m.count.item<float>(), 0);
  nn::functional_call(m, Value::dict({{"weight", ones({1})}}), kOnes);
  EXPECT_EQ(m.count.item<float>(), 1);  // not given: the module's own buffer changes
}

// R9.2-07
TEST(FunctionalCall, CreatesMissingNameForCall) {
  NamedLookup m;
  EXPECT_EQ(value_of(nn::functional_call(m, Value::dict({{"extra", kOnes}}), kOnes)), 4);
  EXPECT_FALSE(m.has_attr("extra"));
  EXPECT_EQ(value_of(m.call(Values{kOnes})), 2);
  EXPECT_EQ(error_message<AttributeError>([&] {
              nn::functional_call(m, Value::dict({{"q.w", kOnes}}), kOnes);
            }).substr(0, 32),
            "NamedLookup has no attribute `q`");
  EXPECT_EQ(error_message<KeyError>([&] {
              nn::functional_call(m, Value::dict({{"", kOnes}}), kOnes);
            }),
            "tensor name can't be empty string \"\"");
}

// R9.2-08
TEST(FunctionalCall, AcceptsParametrizedTensorAndItsOriginal) {
  Scale m(1, 2);
  P::register_parametrization(m, "weight", DoubledWeight());
  EXPECT_EQ(value_of(nn::functional_call(m, Value::dict({{"weight", full({2}, 3.0)}}), kOnes)), 6);
  const std::string original = "parametrizations.weight.original";
  EXPECT_EQ(value_of(nn::functional_call(m, Value::dict({{original, full({2}, 3.0)}}), kOnes)), 12);
  EXPECT_EQ(m(kOnes).sum().item<float>(), 4);
}

// R9.2-09
TEST(StackModuleState, StacksByName) {
  std::vector<Scale> models;
  for (int i = 0; i < 3; ++i) models.emplace_back(i + 1, 2);
  const auto [params, buffers] = nn::stack_module_state(models);
  EXPECT_EQ(keys(params), "weight");
  EXPECT_EQ(keys(buffers), "mean");
  const Tensor w = params["weight"].as_tensor();
  EXPECT_EQ(w.shape(), Shape({3, 2}));
  EXPECT_TRUE(w.is_leaf() && w.requires_grad());
  EXPECT_FALSE(buffers["mean"].as_tensor().requires_grad());
  EXPECT_EQ(w[2][0].item<float>(), 3);
  const Value one = Value::dict({{"weight", w[2]}, {"mean", buffers["mean"].as_tensor()[2]}});
  EXPECT_EQ(value_of(nn::functional_call(models[0], one, kOnes)), 6);
}

// R9.2-09
TEST(StackModuleState, RejectsDifferentModels) {
  EXPECT_EQ(error_message<RuntimeError>([] { nn::stack_module_state(nn::ModuleList()); }),
            "stack_module_state: Expected at least one model, got 0.");
  Scale a, b, c;
  Counter other;
  b.eval();
  EXPECT_EQ(error_message<RuntimeError>([&] {
              nn::stack_module_state({&a, &b});
            }),
            "stack_module_state: Expected all models to have the same training/eval mode.");
  EXPECT_EQ(error_message<RuntimeError>([&] {
              nn::stack_module_state({&a, &other});
            }),
            "stack_module_state: Expected all models to be of the same class.");
  c.requires_grad_(false);
  EXPECT_EQ(error_message<RuntimeError>([&] {
              nn::stack_module_state({&a, &c});
            }),
            "Expected weight from each model to have the same .requires_grad");
  Scale d;
  const auto frozen = nn::stack_module_state(std::vector<nn::Module*>{&c}).first;
  EXPECT_FALSE(frozen["weight"].as_tensor().requires_grad());
}

}  // namespace
