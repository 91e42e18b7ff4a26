// Comparison of drawn values.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Compares named tensors with the case's `state` in order: dtype, shape, hash, and the tensor if
/// one is stored under the key. With a tolerance, the hash is not compared.
void expect_state(Case& c, const std::vector<std::pair<std::string, Tensor>>& actual,
                  Tolerance tolerance = {});
/// Compares the next draw of the default generator with PyTorch's, the tensor `__next`.
void expect_next(Case& c);

}  // namespace taper::oracle
