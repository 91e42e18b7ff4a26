// Adding gradients up, in a leaf's `grad` and on the way there.
#pragma once
#include "autograd/node.h"

namespace taper {

/// total += g, in place where nobody else can see it.
void add_gradient(Tensor& total, Tensor g, bool create_graph);
/// Adds `g` to the leaf's gradient, or makes it the gradient. Safe from several threads.
void accumulate_into(TensorImpl& leaf, Tensor g, bool create_graph);

}  // namespace taper
