// Scenarios 38 to 49: broadcasting, dtypes, depth, module hooks, gradcheck, printing.
#include <cmath>

#include "taper/autograd/checkpoint.h"
#include "taper/autograd/function.h"
#include "taper/autograd/gradcheck.h"
#include "taper/autograd/saved_tensors.h"
#include "taper/core/printing.h"
#include "taper/nn/functional.h"
#include "taper/nn/linear.h"
#include "training/autograd/record.h"

namespace taper::oracle::scenario {
namespace {

void broadcasting_reduces_gradient(Record& r) {
  const Tensor a = leaf({{1.}, {2.}}), b = leaf({10., 20., 30.});
  (a * b).sum().backward();
  r.show("a.grad", a.grad());
  r.show("b.grad", b.grad());
  const Tensor s = leaf(2.);
  (s * ones({2, 3})).sum().backward();
  r.show("scalar", s.grad());
}

void expand_repeated_indices_and_gather_accumulate(Record& r) {
  const Tensor x = leaf({1., 2., 3.});
  x.expand({4, 3}).sum().backward();
  r.show("expand", x.grad());
  x.set_grad(Tensor());
  x[tensor({0, 0, 2})].mul(T({1., 10., 100.})).sum().backward();
  r.show("repeated index", x.grad());
  x.set_grad(Tensor());
  x.gather(0, tensor({2, 2, 2, 1})).sum().backward();
  r.show("gather", x.grad());
}

void gradient_has_dtype_of_leaf(Record& r) {
  const Tensor a = tensor({1., 2.}, {.dtype = float32, .requires_grad = true});
  const Tensor b = tensor({3., 4.}, {.dtype = float64, .requires_grad = true});
  const Tensor y = a * b;
  const auto name = [](const Tensor& t) {
    return Value(t.dtype() == float64 ? "f64" : t.dtype() == float32 ? "f32" : "other");
  };
  r.show("result", name(y));
  y.sum().backward();
  r.show("a.grad", name(a.grad()));
  r.show("b.grad", name(b.grad()));
  const Tensor c = tensor({1., 2.}, {.requires_grad = true});
  c.to(bfloat16).sum().backward();
  r.show("through a cast", name(c.grad()));
  r.error("assign a gradient of another dtype", [&] { c.set_grad(zeros({2}, {.dtype = float64})); },
          {"float32", "float64"});
  r.error("assign a gradient of another shape", [&] { c.set_grad(zeros({3})); }, {"[3]", "[2]"});
}

void checkpoint_recomputes_forward(Record& r) {
  std::int64_t calls = 0;
  const Tensor x = leaf({0.5, 1.});
  const Tensor y = utils::checkpoint(
      [&](const Tensor& t) {
        ++calls;
        return (t * t).exp();
      },
      x);
  r.show("calls before backward", calls);
  y.sum().backward();
  r.show("calls after", calls);
  r.show("grad", x.grad());
}

void shared_parameters_accumulate_frozen_ones_do_not(Record& r) {
  nn::Linear l(2, 2, {.bias = false});
  {
    const NoGrad guard;
    l.weight.copy_(T({{1., 2.}, {3., 4.}}));
  }
  l(l(T({{1., 1.}}))).sum().backward();
  r.show("used twice", l.weight.grad());
  l.weight.set_grad(Tensor());
  l.weight.requires_grad_(false);
  const Tensor y = leaf({{1., 1.}});
  l(y).sum().backward();
  r.show("frozen weight.grad", l.weight.grad());
  r.show("input.grad", y.grad());
}

void deep_chain_does_not_overflow_stack(Record& r) {
  const Tensor x = leaf({1.});
  Tensor y = x;
  for (int i = 0; i < 50000; ++i) y = y + 1e-5 * x;
  y.sum().backward();
  r.show("grad rounded", std::round(x.grad().item<double>() * 1000) / 1000);
}

void full_backward_hooks_receive_grad_input_and_grad_output(Record& r) {
  nn::Linear l(2, 1);
  {
    const NoGrad guard;
    l.weight.copy_(T({{2., -1.}}));
    l.bias->zero_();
  }
  const Value log = Value::list();
  l.register_full_backward_hook([&](nn::Module&, const Values& in, const Values& out) {
    log.append(Value::list({tolist(in[0].as_tensor()), tolist(out[0].as_tensor())}));
  });
  const Tensor x = leaf({{1., 2.}});
  (l(x) * 3).sum().backward();
  r.show("log", log);
  r.show("x.grad", x.grad());
}

template <int kPerMille> struct Off : autograd::Function<Off<kPerMille>> {
  static Tensor forward(autograd::Context& ctx, const Tensor& a) {
    ctx.save_for_backward({a});
    return a * a;
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& g) {
    return {kPerMille / 1000.0 * g[0] * ctx.saved_tensors()[0]};
  }
};

void saved_tensors_hooks_pack_and_unpack(Record& r) {
  Value packed = Value::list({});
  Tensor x, y;
  {
    const autograd::SavedTensorsHooks hooks(
        [&](const Tensor& t) {
          Value sizes = Value::list({});
          for (const std::int64_t d : t.shape()) sizes.as_list().emplace_back(d);
          packed.as_list().push_back(sizes);
          return t.clone();
        },
        [](const Tensor& t) { return t * 2; });
    x = leaf({1., 2.});
    y = x * x;
  }
  y.sum().backward();
  r.show("packed", packed);
  r.show("unpacked doubled", x.grad());
}

void batched_grad_returns_gradient_per_row(Record& r) {
  const Tensor x = leaf({1., 2.});
  const Tensor y = x * x;
  r.show("batched", autograd::grad(y, x, {.grad_outputs = {eye(2)}, .is_grads_batched = true}));
}

void gradcheck_detects_wrong_gradients(Record& r) {
  using autograd::gradcheck, autograd::gradgradcheck;
  const autograd::GradcheckOptions defaults;
  r.show("defaults",
         Value::dict({{"eps", defaults.eps}, {"atol", defaults.atol}, {"rtol", defaults.rtol}}));
  const Tensor x = tensor({0.3, -0.7}, {.dtype = float64, .requires_grad = true});
  const auto f = [](const Tensor& t) { return tanh(t); };
  r.show("tanh", gradcheck(f, x));
  r.show("gradgrad tanh", gradgradcheck(f, x));
  const auto wrong = [](const Tensor& t) { return Off<2010>::apply(t); };
  r.error("half a percent off", [&] { gradcheck(wrong, x); },
          {"output 0", "input 0", "numerical", "analytical", "0.6000", "0.6030"});
  r.show("raise_exception=False", gradcheck(wrong, x, {.raise_exception = false}));
  r.show("0.05 percent off passes (rtol 1e-3)",
         gradcheck([](const Tensor& t) { return Off<2001>::apply(t); }, x,
                   {.raise_exception = false}));
  r.error("f32 input without requires_grad", [&] { gradcheck(f, T({0.3})); }, {"require"});
}

void nodes_have_names_of_pytorch(Record& r) {
  const Tensor x = leaf({{1., 2.}}), w = ones({3, 2}, {.requires_grad = true});
  const auto n = [](const Tensor& t) { return Value(t.grad_fn().name()); };
  const Tensor image = x.view({1, 1, 1, 2}), rows = x.expand({3, 2}) * 1;
  r.show("names",
         Value::dict({{"add", n(x + 1)},
                      {"mul", n(x * x)},
                      {"matmul", n(matmul(x, w.t()))},
                      {"linear", n(F::linear(x, w))},
                      {"linear+bias", n(F::linear(x, w, ones({3})))},
                      {"relu", n(x.relu())},
                      {"sum", n(x.sum())},
                      {"view", n(x.view({2}))},
                      {"select", n(x[0])},
                      {"slice", n(x[{Slice{}, Slice{1}}])},
                      {"index", n(x[tensor({0})])},
                      {"expand", n(x.expand({4, 2}))},
                      {"softmax", n(x.softmax(1))},
                      {"log_softmax", n(x.log_softmax(1))},
                      {"clone", n(x.clone())},
                      {"t", n(x.t())},
                      {"cat", n(cat({x, x}))},
                      {"mean", n(x.mean())},
                      {"copy to f64", n(x.to(float64))},
                      {"pow", n(pow(x, 2))},
                      {"conv2d", n(F::conv2d(image, ones({1, 1, 1, 1})))},
                      {"max_pool2d", n(F::max_pool2d(image, 1))},
                      {"nll_loss", n(F::nll_loss(x, tensor({0})))},
                      {"batch_norm", n(F::batch_norm(rows, {}, {}, {.training = true}))}}));
  r.show("accumulator", Value((x + 1).grad_fn().next_functions()[0].first));
}

void tensors_print_their_history(Record& r) {
  const Tensor x = leaf({1., 2.});
  r.show("leaf", x.str());
  r.show("result", (x * 2).str());
  r.show("scalar", (x * 2).sum().str());
  r.show("detached", (x * 2).detach().str());
  r.show("parameter", parameter_str(leaf({1.})));
}

}  // namespace

const std::vector<Scenario>& modules_scenarios() {
  static const std::vector<Scenario> all = {
      {"38", broadcasting_reduces_gradient},
      {"39", expand_repeated_indices_and_gather_accumulate},
      {"40", gradient_has_dtype_of_leaf},
      {"41", checkpoint_recomputes_forward},
      {"42", shared_parameters_accumulate_frozen_ones_do_not},
      {"43", deep_chain_does_not_overflow_stack},
      {"44", full_backward_hooks_receive_grad_input_and_grad_output},
      {"45", saved_tensors_hooks_pack_and_unpack},
      {"46", batched_grad_returns_gradient_per_row},
      {"47", gradcheck_detects_wrong_gradients},
      {"48", nodes_have_names_of_pytorch},
      {"49", tensors_print_their_history}};
  return all;
}

}  // namespace taper::oracle::scenario
