// Comparing run-time values with expected ones.
#pragma once
#include <string>

#include "cases/case.h"
#include "taper/core/value.h"

namespace taper::oracle {

/// `expected` is a VALUE: tensors by the tolerance on their reference or of the case, lists item by
/// item, plain values by equality.
void expect_value(Case& c, const std::string& what, const Value& actual, const Json& expected);

/// The same for gradients: null accepts no gradient and zeros. In a gradient of the second order
/// the two mean the same (what does not depend on an input), so zeros accept no gradient as well.
void expect_gradient(Case& c, const std::string& what, const Tensor& actual, const Json& expected,
                     bool second_order = false);

/// The tolerance of one tensor reference.
Tolerance tolerance_of(const Case& c, const Json& reference);

}  // namespace taper::oracle
