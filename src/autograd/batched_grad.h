// autograd::grad for a batch of grad_outputs.
#pragma once
#include "taper/autograd/autograd.h"

namespace taper::autograd {

/// Implements autograd::grad with `is_grads_batched`: calls it for each index of the first
/// dimension of the grad_outputs and stacks the results.
std::vector<Tensor> compute_batched_grad(std::span<const Tensor> outputs,
                                         std::span<const Tensor> inputs,
                                         const GradOptions& options);

}  // namespace taper::autograd
