// Scenarios 01 to 09: accumulation, freed and retained graphs, autograd::grad, retain_grad.
#include "training/autograd/record.h"

namespace taper::oracle::scenario {
namespace {

void leaf_used_twice_accumulates(Record& r) {
  const Tensor x = leaf({1., 2., 3.});
  const Tensor y = (x * x).sum() + (3 * x).sum();
  y.backward();
  r.show("grad", x.grad());
}

void two_backward_calls_accumulate(Record& r) {
  const Tensor x = leaf({2.});
  (x * x).sum().backward();
  r.show("first", x.grad());
  (x * x).sum().backward();
  r.show("second", x.grad());
  const Tensor g = x.grad();
  g.zero_();
  pow(x, 3).sum().backward();
  r.show("after zero_", x.grad());
  r.show("same tensor", g.is_same(x.grad()));
}

void second_backward_through_freed_graph_throws(Record& r) {
  const Tensor x = leaf({1., 2.});
  const Tensor y = (x * x).sum();
  y.backward();
  r.error("second", [&] { y.backward(); }, {"freed", "retain_graph"});
  r.show("grad", x.grad());
}

void retain_graph_allows_second_backward(Record& r) {
  const Tensor x = leaf({1., 2.});
  const Tensor y = (x * x).sum();
  autograd::backward(y, {.retain_graph = true});
  y.backward();
  r.show("twice", x.grad());
  const Tensor z = leaf({1., 2.});
  const Tensor w = (z + 1).sum();
  w.backward();
  w.backward();
  r.show("addition twice", z.grad());
}

void backward_of_non_scalar_needs_gradient(Record& r) {
  const Tensor x = leaf({1., 2., 3.});
  const Tensor y = x * 2;
  r.error("no gradient given", [&] { y.backward(); }, {"scalar"});
  y.backward(T({1., 10., 100.}));
  r.show("with gradient", x.grad());
  r.error("gradient of another shape", [&] { (x * 2).backward(T({1., 2.})); }, {"[2]", "[3]"});
}

void backward_throws_if_nothing_requires_grad(Record& r) {
  const Tensor x = T({1., 2.});
  r.error("backward", [&] { x.sum().backward(); }, {"does not require grad"});
  r.error("autograd.grad", [&] { return autograd::grad(x.sum(), x); }, {"does not require grad"});
}

void grad_function_does_not_accumulate(Record& r) {
  const Tensor x = leaf({1., 2.}), z = leaf({5.});
  const Tensor y = pow(x, 3).sum();
  r.show("grad", autograd::grad(y, x));
  r.show("x.grad", x.grad());
  r.error("unused", [&] { return autograd::grad(pow(x, 3).sum(), {x, z}); });
  r.show("allow_unused", autograd::grad(pow(x, 3).sum(), {x, z}, {.allow_unused = true})[1]);
  r.show("materialize_grads",
         autograd::grad(pow(x, 3).sum(), {x, z}, {.materialize_grads = true})[1]);
}

void grad_outputs_weight_outputs(Record& r) {
  const Tensor x = leaf({1., 2.});
  const std::vector<Tensor> outputs{x * x, x.sum()}, inputs{x};
  r.show("weighted", autograd::grad(outputs, inputs, {.grad_outputs = {T({1., -1.}), T(10.)}})[0]);
}

void retain_grad_stores_gradient_of_intermediate(Record& r) {
  const Tensor x = leaf({1., 2.});
  const Tensor y = x * 3;
  y.retain_grad();
  (y * y).sum().backward();
  r.show("y.grad", y.grad());
  r.show("x.grad", x.grad());
  r.show("y.is_leaf", y.is_leaf());
  r.show("y.retains_grad", y.retains_grad());
  const Tensor w = leaf({1.}) * 2;
  w.sum().backward();
  r.show("without retain_grad", w.grad());
  r.error("retain_grad without requires_grad", [] { T({1.}).retain_grad(); });
}

}  // namespace

const std::vector<Scenario>& accumulation_scenarios() {
  static const std::vector<Scenario> all = {{"01", leaf_used_twice_accumulates},
                                            {"02", two_backward_calls_accumulate},
                                            {"03", second_backward_through_freed_graph_throws},
                                            {"04", retain_graph_allows_second_backward},
                                            {"05", backward_of_non_scalar_needs_gradient},
                                            {"06", backward_throws_if_nothing_requires_grad},
                                            {"07", grad_function_does_not_accumulate},
                                            {"08", grad_outputs_weight_outputs},
                                            {"09", retain_grad_stores_gradient_of_intermediate}};
  return all;
}

}  // namespace taper::oracle::scenario
