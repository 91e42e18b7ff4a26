// Comparing gradients with differences.
#pragma once
#include <vector>

#include "taper/autograd/autograd.h"
#include "taper/core/api.h"

namespace TAPER_API taper {
namespace autograd {

/// PyTorch: torch.autograd.gradcheck and its defaults, which suit float64 inputs.
struct GradcheckOptions {
  double eps = 1e-6, atol = 1e-5, rtol = 1e-3;
  bool raise_exception = true;  ///< false: give false instead of throwing
};
using Differentiable = taper::Function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Compares the Jacobian of f by backward with central differences. Throws ValueError if no input
/// requires a gradient, RuntimeError that shows both Jacobians if they differ.
bool gradcheck(const Differentiable& f, const std::vector<Tensor>& inputs,
               const GradcheckOptions& options = {});
/// The same for the gradients of f with respect to its inputs and its outputs' weights, which are
/// drawn. PyTorch: torch.autograd.gradgradcheck.
bool gradgradcheck(const Differentiable& f, const std::vector<Tensor>& inputs,
                   const GradcheckOptions& options = {});
/// For functions of and to one tensor.
bool gradcheck(const taper::Function<Tensor(const Tensor&)>& f, const Tensor& input,
               const GradcheckOptions& options = {});
bool gradgradcheck(const taper::Function<Tensor(const Tensor&)>& f, const Tensor& input,
                   const GradcheckOptions& options = {});

}  // namespace autograd
}  // namespace taper
