// gradcheck and gradgradcheck: comparison of gradients with finite differences.
#pragma once
#include <vector>

#include "taper/autograd/autograd.h"
#include "taper/core/api.h"

namespace TAPER_API taper {
namespace autograd {

/// Options of gradcheck. The defaults are those of PyTorch and suitable for float64 inputs.
struct GradcheckOptions {
  /// Step of the finite differences, and tolerances as for allclose.
  double eps = 1e-6, atol = 1e-5, rtol = 1e-3;
  bool raise_exception = true;  ///< if false: returns false if the Jacobians differ
};
/// Function from tensors to tensors.
using Differentiable = taper::SharedFunction<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Compares the Jacobian that backward computes with central finite differences. Returns true if
/// they agree. Warns if an input that requires gradients is not float64. Throws ValueError if no
/// input requires gradients, RuntimeError with both Jacobians if they differ.
/// PyTorch: torch.autograd.gradcheck.
bool gradcheck(const Differentiable& f, const std::vector<Tensor>& inputs,
               const GradcheckOptions& options = {});
/// Compares the second derivatives of `f` with finite differences: applies gradcheck to the
/// gradients of `f`, as a function of its inputs and of the gradients of its outputs. The latter
/// have evenly spaced values in [-0.9, 1.1]. Errors are those of gradcheck.
/// PyTorch: torch.autograd.gradgradcheck.
bool gradgradcheck(const Differentiable& f, const std::vector<Tensor>& inputs,
                   const GradcheckOptions& options = {});
/// As gradcheck and gradgradcheck above, for a function from one tensor to one tensor.
bool gradcheck(const taper::SharedFunction<Tensor(const Tensor&)>& f, const Tensor& input,
               const GradcheckOptions& options = {});
bool gradgradcheck(const taper::SharedFunction<Tensor(const Tensor&)>& f, const Tensor& input,
                   const GradcheckOptions& options = {});

}  // namespace autograd
}  // namespace taper
