// State dicts written as typed descriptions: {"t": "int", "v": 3}.
#pragma once
#include <string>

#include "cases/case.h"
#include "taper/core/value.h"

namespace taper::oracle {

/// Compares keys as a set, lists and tuples alike, numbers by value, tensors by dtype, shape and
/// `tolerance`.
void expect_described(Case& c, const std::string& what, const Value& actual, const Json& expected,
                      Tolerance tolerance);

}  // namespace taper::oracle
