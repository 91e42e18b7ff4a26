// What is compared after values were drawn.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Compares named tensors with the case's `state`, in order: dtype, shape, hash, and the tensor
/// where one is stored under the key. With a tolerance the hash is not asked for.
void expect_state(Case& c, const std::vector<std::pair<std::string, Tensor>>& actual,
                  Tolerance tolerance = {});
/// The stream goes on where PyTorch's does: `__next`.
void expect_next(Case& c);

}  // namespace taper::oracle
