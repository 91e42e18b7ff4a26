// Scenarios 25 to 30: higher-order gradients.
#include "training/autograd/record.h"

namespace taper::oracle::scenario {
namespace {

// Returns the Jacobian of y with respect to x, computed row by row. If y is a gradient, this is the
// Hessian.
Tensor rows_of(const Tensor& y, const Tensor& x) {
  std::vector<Tensor> rows;
  for (std::int64_t i = 0; i < y.numel(); ++i)
    rows.push_back(autograd::grad(
        std::span(&y, 1), std::span(&x, 1),
        {.grad_outputs = {eye(y.numel())[i]}, .retain_graph = true, .materialize_grads = true})[0]);
  return stack(rows);
}

void computes_second_derivative(Record& r) {
  const Tensor x = leaf({1., 2., 3.});
  const Tensor g = autograd::grad(pow(x, 4).sum(), x, {.create_graph = true});
  r.show("first", g);
  r.show("g.requires_grad", g.requires_grad());
  r.show("second", autograd::grad(g.sum(), x));
}

void computes_third_derivative_of_sin(Record& r) {
  const Tensor x = leaf({0.5});
  Tensor f = sin(x);
  Values out;
  for (int i = 0; i < 4; ++i) {
    f = autograd::grad(f.sum(), x, {.create_graph = true});
    out.emplace_back(f.item());
  }
  r.show("derivatives", Value::list(out));
}

void gradient_penalty_reaches_layer_weights(Record& r) {
  const Tensor w = leaf({{1., 2.}, {3., -1.}}), x = leaf({{0.5, -1.5}});
  const Tensor y = tanh(matmul(x, w)).sum();
  const Tensor gx = autograd::grad(y, x, {.create_graph = true});
  const Tensor penalty = pow(gx.norm() - 1, 2);
  penalty.backward();
  r.show("gx", gx);
  r.show("penalty", penalty);
  r.show("W.grad", w.grad());
  r.show("x.grad", x.grad());
}

void computes_hessian_vector_product(Record& r) {
  const auto f = [](const Tensor& t) { return t[0] * pow(t[1], 2) + exp(t[2]) * t[0]; };
  const Tensor x = leaf({1., 2., 3.}), v = T({1., 0., -1.});
  const Tensor g = autograd::grad(f(x), x, {.create_graph = true});
  const Tensor hv = autograd::grad(dot(g, v), x, {.retain_graph = true});
  r.show("g", g);
  r.show("Hv", hv);
  r.show("hessian", rows_of(g, x));
}

void computes_jacobian(Record& r) {
  const Tensor t = leaf({2., 1., 3.});
  r.show("jacobian", rows_of(stack({t[0] * t[1], sin(t[1]), pow(t[2], 2) / t[0]}), t));
}

void backward_with_create_graph_keeps_graph_in_grad(Record& r) {
  const Tensor x = leaf({2.});
  autograd::backward(pow(x, 3).sum(), {.create_graph = true});
  r.show("grad", x.grad());
  r.show("grad.requires_grad", x.grad().requires_grad());
  const Tensor g = x.grad();
  x.set_grad(Tensor());
  g.sum().backward();
  r.show("second", x.grad());
}

}  // namespace

const std::vector<Scenario>& higher_order_scenarios() {
  static const std::vector<Scenario> all = {{"25", computes_second_derivative},
                                            {"26", computes_third_derivative_of_sin},
                                            {"27", gradient_penalty_reaches_layer_weights},
                                            {"28", computes_hessian_vector_product},
                                            {"29", computes_jacobian},
                                            {"30", backward_with_create_graph_keeps_graph_in_grad}};
  return all;
}

}  // namespace taper::oracle::scenario
