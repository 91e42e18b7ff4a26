// autograd::grad for a batch of grad_outputs.
#pragma once
#include "taper/autograd/autograd.h"

namespace taper::autograd {

/// Computes autograd::grad with `is_grads_batched`.
std::vector<Tensor> grad_of_each(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                                 const GradOptions& options);

}  // namespace taper::autograd
