// Values of the layer cases: arguments, inputs, expected results.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cases/case.h"
#include "taper/core/value.h"

namespace taper::oracle {

/// Returns the dtype with a name such as "float32" or "f32". Throws MalformedCase if it is unknown.
DType dtype_named(const std::string& name);

/// Returns true for a tensor reference {"t": role}.
bool is_reference(const Json& value);

/// Converts JSON to values. A role that requires a gradient is a single leaf, however often it
/// occurs.
class Reader {
 public:
  explicit Reader(Case& from) : case_(from) {}
  Value operator()(const Json& value);
  /// Returns the leaves that require gradients, in the order of first use.
  const std::vector<std::pair<std::string, Tensor>>& leaves() const { return leaves_; }
  /// Returns the leaf of a role; undefined if the role is not a leaf.
  Tensor leaf(const std::string& role) const;
  /// Returns all tensors by role.
  const std::map<std::string, Tensor>& seen() const { return seen_; }

 private:
  Value tensor(const Json& reference);
  Value packed(const Json& parts);
  Case& case_;
  std::vector<std::pair<std::string, Tensor>> leaves_;
  std::map<std::string, Tensor> seen_;
};

/// Returns a tensor with the values of `x` in the memory layout named `how`.
Tensor relayout(const Tensor& x, const std::string& how);

/// Appends the tensors and other leaves of a nested value to `into`, depth first.
void flatten(const Value& value, Values& into);

}  // namespace taper::oracle
