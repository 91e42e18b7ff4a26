// State dicts as typed descriptions: {"t": "int", "v": 3}.
#pragma once
#include <string>

#include "cases/case.h"
#include "taper/core/value.h"

namespace taper::oracle {

/// Compares `actual` with the description `expected`, and records failures that begin with `what`.
/// Compares keys as a set, lists like tuples, numbers by value, and tensors by dtype, shape and
/// `tolerance`.
void expect_described(Case& c, const std::string& what, const Value& actual, const Json& expected,
                      Tolerance tolerance);

}  // namespace taper::oracle
