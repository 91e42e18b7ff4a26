// Results of the cases of models, and their comparison.
#pragma once
#include <map>
#include <string>

#include "cases/case.h"
#include "taper/core/value.h"

namespace taper::oracle {

/// Functions that return the results of a case by name, a dict, for each kind of a family.
using ModelKinds = std::map<std::string, Value (*)(Case& c)>;
/// Runs the function of the kind of the case and compares its results with the field `expected`.
/// Throws MalformedCase for an unknown kind.
void run_model_kind(Case& c, const ModelKinds& kinds);

/// Compares a result with the expected one: tensors by the tolerance of their reference, or bit by
/// bit if it has none; tables of statistics by the tolerances of each row; `{"near", "atol"}` by
/// that tolerance; all other values, whose types must also agree, for equality.
void expect_result_of_model(Case& c, const std::string& what, const Value& actual,
                            const Json& expected);

/// Converts JSON without references to a value. Objects become dicts.
Value plain_value(const Json& value);

}  // namespace taper::oracle
