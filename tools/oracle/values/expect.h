// Comparison of values with expected ones.
#pragma once
#include <string>

#include "cases/case.h"
#include "taper/core/value.h"

namespace taper::oracle {

/// Compares with an expected value: tensors with the tolerance of their reference or of the case,
/// lists item by item, plain values by equality.
void expect_value(Case& c, const std::string& what, const Value& actual, const Json& expected);

/// Compares a gradient. An expected null accepts an undefined gradient and zeros. For gradients of
/// second order, which may be independent of an input, expected zeros also accept an undefined
/// gradient.
void expect_gradient(Case& c, const std::string& what, const Tensor& actual, const Json& expected,
                     bool second_order = false);

/// Returns the tolerance of a tensor reference; that of the case if the reference has none.
Tolerance tolerance_of(const Case& c, const Json& reference);

}  // namespace taper::oracle
