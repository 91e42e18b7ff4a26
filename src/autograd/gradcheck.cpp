#include "taper/autograd/gradcheck.h"

#include <cmath>

#include "core/check.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"

namespace taper::autograd {
namespace {

std::vector<Tensor> differentiable(const std::vector<Tensor>& outs) {
  std::vector<Tensor> floating_outputs;
  for (const Tensor& t : outs)
    if (t.defined() && t.is_floating_point()) floating_outputs.push_back(t);
  return floating_outputs;
}

/// Returns the numerical Jacobian of output `output` with respect to input `input_index`, computed
/// with central differences: one row per element of the input, one column per element of the
/// output.
Tensor numerical(const Differentiable& f, const std::vector<Tensor>& inputs,
                 std::size_t input_index, std::size_t output, double eps) {
  NoGrad guard;
  const Tensor& x = inputs[input_index];
  std::vector<Tensor> rows;
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const auto at = [&](double step) {
      std::vector<Tensor> perturbed = inputs;
      const Tensor copy = x.detach().clone();
      const Tensor flat = copy.view(Shape{-1});
      flat[i].add_(step);
      perturbed[input_index] = copy;
      return differentiable(f(perturbed))[output].detach().reshape(Shape{-1});
    };
    rows.push_back((at(eps).add(at(-eps), -1)).mul(1 / (2 * eps)));
  }
  const std::int64_t columns = rows.empty() ? 0 : rows[0].numel();
  const Tensor jacobian = zeros({x.numel(), columns}, {.dtype = x.dtype()});
  for (std::size_t i = 0; i < rows.size(); ++i)
    jacobian[static_cast<std::int64_t>(i)].copy_(rows[i]);
  return jacobian;
}

Tensor analytical(const Tensor& out, const Tensor& x) {
  const Tensor jacobian = zeros({x.numel(), out.numel()}, {.dtype = x.dtype()});
  if (!out.requires_grad()) return jacobian;
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    const Tensor weight = zeros(out.shape(), {.dtype = out.dtype()});
    weight.view(Shape{-1})[i].fill_(1);
    const Tensor g =
        grad(std::span(&out, 1), std::span(&x, 1),
             {.grad_outputs = {weight}, .retain_graph = true, .allow_unused = true})[0];
    if (g.defined()) jacobian.select(1, i).copy_(g.reshape(Shape{-1}));
  }
  return jacobian;
}

}  // namespace

bool gradcheck(const Differentiable& f, const std::vector<Tensor>& inputs,
               const GradcheckOptions& options) {
  bool any_requires_grad = false;
  for (const Tensor& t : inputs) {
    if (!t.defined() || !t.requires_grad()) continue;
    any_requires_grad = true;
    if (t.dtype() != DType::f64)
      warn("gradcheck: an input is " + std::string(name_of(t.dtype())) +
           ", not float64: this check will likely fail");
  }
  if (!any_requires_grad)
    fail<ValueError>(
        "gradcheck expects at least one input tensor to require gradient, but none of the "
        "them have requires_grad=True.");
  std::vector<Tensor> outs;
  {
    EnableGrad guard;
    outs = differentiable(f(inputs));
  }
  for (std::size_t o = 0; o < outs.size(); ++o)
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].defined() || !inputs[i].requires_grad()) continue;
      const Tensor n = numerical(f, inputs, i, o, options.eps), a = analytical(outs[o], inputs[i]);
      if (allclose(a, n, options.rtol, options.atol)) continue;
      if (!options.raise_exception) return false;
      fail<RuntimeError>(
          "Jacobian mismatch for output {} with respect to input "
          "{},\nnumerical:{}\nanalytical:{}\n",
          o, i, n.str(), a.str());
    }
  return true;
}

bool gradgradcheck(const Differentiable& f, const std::vector<Tensor>& inputs,
                   const GradcheckOptions& options) {
  std::vector<Tensor> all_inputs = inputs;
  std::vector<Tensor> outs;
  {
    EnableGrad guard;
    outs = differentiable(f(inputs));
  }
  for (const Tensor& y : outs) {
    const Tensor w =
        linspace(-0.9, 1.1, y.numel(), {.dtype = y.dtype()}).reshape(y.shape()).clone();
    all_inputs.push_back(w.detach().set_requires_grad());
  }
  const std::size_t count = inputs.size();
  const Differentiable gradients = [&f, count](const std::vector<Tensor>& at) {
    EnableGrad guard;
    std::vector<Tensor> xs(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(count)),
        differentiated;
    for (Tensor& x : xs) {
      // Inputs of an evaluation become new leaves, because the caller modified them without
      // recording.
      if (x.defined() && x.is_floating_point() && !x.requires_grad())
        x = x.detach().set_requires_grad();
      if (x.defined() && x.requires_grad()) differentiated.push_back(x);
    }
    const std::vector<Tensor> ys = differentiable(f(xs));
    std::vector<Tensor> weights(at.begin() + static_cast<std::ptrdiff_t>(count), at.end());
    std::vector<Tensor> result;
    for (Tensor& g : grad(ys, differentiated,
                          {.grad_outputs = weights, .create_graph = true, .allow_unused = true}))
      if (g.defined()) result.push_back(std::move(g));
    return result;
  };
  return gradcheck(gradients, all_inputs, options);
}

bool gradcheck(const Differentiable& f, const Tensor& input, const GradcheckOptions& options) {
  return gradcheck(f, std::vector<Tensor>{input}, options);
}
bool gradgradcheck(const Differentiable& f, const Tensor& input, const GradcheckOptions& options) {
  return gradgradcheck(f, std::vector<Tensor>{input}, options);
}

void detail::check_input_count(std::size_t given, int expected) {
  if (given != static_cast<std::size_t>(expected))
    fail<ValueError>("gradcheck: the function takes {} tensors, got {} inputs", expected, given);
}

}  // namespace taper::autograd
