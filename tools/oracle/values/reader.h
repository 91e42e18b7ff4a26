// VALUEs of the layer cases: arguments, inputs, expected results.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cases/case.h"
#include "taper/core/value.h"

namespace taper::oracle {

/// "float32" or "f32" -> DType::f32.
DType dtype_named(const std::string& name);

/// A tensor reference {"t": role}.
bool is_reference(const Json& value);

/// Turns JSON values into run-time values. A role that needs a gradient is one leaf however often
/// it occurs.
class Reader {
 public:
  explicit Reader(Case& from) : case_(from) {}
  Value operator()(const Json& value);
  /// Leaves that want gradients, in the order of their first use.
  const std::vector<std::pair<std::string, Tensor>>& leaves() const { return leaves_; }
  /// The leaf of a role; undefined if it is none.
  Tensor leaf(const std::string& role) const;
  /// Every tensor that was made, by role.
  const std::map<std::string, Tensor>& seen() const { return seen_; }

 private:
  Value tensor(const Json& reference);
  Value packed(const Json& parts);
  Case& case_;
  std::vector<std::pair<std::string, Tensor>> leaves_;
  std::map<std::string, Tensor> seen_;
};

/// The same values in the memory layout `how`.
Tensor relayout(const Tensor& x, const std::string& how);

/// Tensors (or other leaves) of a value, depth first.
void flatten(const Value& value, Values& into);

}  // namespace taper::oracle
