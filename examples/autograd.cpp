// Automatic differentiation: gradients, second derivatives, hooks, modes, custom operations.
// examples/python/autograd.py prints the same output.
#include <iostream>
#include <tuple>
#include <vector>

#include <taper/taper.h>

using namespace taper;

namespace {

void print(const auto& x) { std::cout << x << '\n'; }
void print(bool x) { print(x ? "True" : "False"); }

void backward() {
  const Tensor w = tensor({1.0, 2.0}, {.requires_grad = true});
  const Tensor loss = (w * w).sum();
  print(w.grad().defined());
  loss.backward();
  print(w.grad());
  (3 * w).sum().backward();  // accumulates
  print(w.grad());
  w.set_grad({});  // Python: w.grad = None
  (w * w).backward(tensor({1.0, 10.0}));
  print(w.grad());
  print(loss.grad_fn().name());
}

void leaves() {
  const Tensor w = tensor({1.0, 2.0}).requires_grad_();
  const Tensor y = w * 3;
  y.retain_grad();
  y.square().sum().backward();
  print(y.grad());
  print(w.is_leaf());
  print(y.is_leaf());
  print(y.detach().requires_grad());
}

void gradients_of_several() {
  const Tensor x = tensor({1.0, 2.0}, {.requires_grad = true});
  const Tensor y = tensor({3.0, 4.0}, {.requires_grad = true});
  const Tensor unused = ones({1}, {.requires_grad = true});
  const Tensor a = x * x * y;
  const Tensor b = y.square();
  const auto grads = autograd::grad({a, b}, {x, y, unused},
                                    {.grad_outputs = {ones({2}), ones({2})}, .allow_unused = true});
  print(grads[0]);
  print(grads[1]);
  print(grads[2].defined());
  print(x.grad().defined());  // grad changes no tensor
}

void second_derivatives() {
  const Tensor x = tensor({1.0, 2.0}, {.requires_grad = true});
  const Tensor y = x.pow(3).sum();
  const Tensor first = autograd::grad(y, x, {.create_graph = true});
  const Tensor second = autograd::grad(first.sum(), x);
  print(first.detach());
  print(second);
}

void jacobian() {
  const Tensor x = tensor({1.0, 2.0, 3.0}, {.requires_grad = true});
  const Tensor y = stack({x.sum(), x.prod()});
  const Tensor rows = autograd::grad(y, x, {.grad_outputs = eye(2), .is_grads_batched = true});
  print(rows);
}

void several_passes() {
  const Tensor x = tensor({1.0, 2.0}, {.requires_grad = true});
  const Tensor y = x.exp().sum();
  autograd::backward(y, {.retain_graph = true});
  y.backward();
  print(x.grad());
  try {
    y.backward();
  } catch (const RuntimeError&) { print("the graph was freed"); }
}

void hooks() {
  const Tensor x = tensor({1.0, 2.0}, {.requires_grad = true});
  const Tensor y = x * 10;
  const RemovableHandle clip =
      y.register_hook([](const Tensor& grad) { return grad.clamp(-1, 1); });
  (void)x.register_hook([](const Tensor& grad) {
    print(grad);
    return Tensor();  // the gradient is not replaced
  });
  (void)x.register_post_accumulate_grad_hook([](const Tensor& leaf) {
    const NoGrad no_grad;
    leaf.sub_(0.1 * leaf.grad());  // a step of gradient descent within the backward pass
    leaf.set_grad({});
  });
  y.square().sum().backward();
  print(x.detach());
  clip.remove();
}

void modes() {
  const Tensor w = ones({2}, {.requires_grad = true});
  {
    const NoGrad no_grad;
    print((w * 2).requires_grad());
    const EnableGrad inner;
    print((w * 2).requires_grad());
  }
  {
    const InferenceMode guard;
    const Tensor y = w * 2;
    print(y.is_inference());
  }
  const bool training = false;
  const GradMode guard(training);
  print(is_grad_enabled());
}

void anomaly() {
  const DetectAnomaly guard;
  const Tensor x = tensor(-1.0, {.requires_grad = true});
  try {
    x.sqrt().backward();
  } catch (const RuntimeError&) { print("NaN in a gradient"); }
}

// Polar coordinates of points (x, y).
struct Polar : autograd::Function<Polar> {
  static std::tuple<Tensor, Tensor> forward(autograd::Context& ctx, const Tensor& x,
                                            const Tensor& y) {
    const Tensor radius = (x * x + y * y).sqrt();
    ctx.save_for_backward({x, y, radius});
    return {radius, y.atan2(x)};
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    const std::vector<Tensor> saved = ctx.saved_tensors();
    const Tensor &x = saved[0], &y = saved[1], &radius = saved[2];
    const Tensor radial = grads[0] / radius, angular = grads[1] / radius.square();
    return {radial * x - angular * y, radial * y + angular * x};
  }
};

void custom_function() {
  const Tensor x = tensor({3.0, 0.5}, {.dtype = float64, .requires_grad = true});
  const Tensor y = tensor({4.0, 1.5}, {.dtype = float64, .requires_grad = true});
  const auto [radius, angle] = Polar::apply(x, y);
  (radius + angle).sum().backward();
  print(radius.detach());
  print(x.grad());
  const bool right = autograd::gradcheck(
      [](const Tensor& a, const Tensor& b) {
        const auto [r, phi] = Polar::apply(a, b);
        return std::vector<Tensor>{r, phi};
      },
      {x, y});
  print(right);
}

void checkpointing() {
  manual_seed(0);
  nn::Sequential block{nn::Linear(4, 16), nn::Tanh(), nn::Linear(16, 4)};
  const Tensor x = ones({2, 4}, {.requires_grad = true});
  const Tensor y = utils::checkpoint([&](const Tensor& t) { return block(t); }, x);
  y.sum().backward();
  const Tensor saved = x.grad().clone();
  x.set_grad({});
  block(x).sum().backward();
  print(allclose(saved, x.grad()));
}

}  // namespace

int main() {
  backward();
  leaves();
  gradients_of_several();
  second_derivatives();
  jacobian();
  several_passes();
  hooks();
  modes();
  anomaly();
  custom_function();
  checkpointing();
}
