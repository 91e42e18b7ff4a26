// Distributions that accept either probabilities or logits.
#pragma once
#include "distributions/shapes.h"
#include "taper/autograd/grad_mode.h"

namespace taper::distributions {

/// Returns true if probabilities are given. Throws ValueError unless exactly one of both is.
bool has_probs(const ProbsOrLogits& given);
inline const TensorOrNumber& value_of(const ProbsOrLogits& given) {
  return given.probs ? *given.probs : *given.logits;
}
inline const char* probs_or_logits(const ProbsOrLogits& given) {
  return given.probs ? "probs" : "logits";
}
inline const char* other_name(const ProbsOrLogits& given) {
  return given.probs ? "logits" : "probs";
}
/// Return the constraints of the given parameter of two outcomes, and of the other one.
inline Constraint binary_constraint(const ProbsOrLogits& given) {
  return given.probs ? constraints::unit_interval : constraints::real;
}
inline Constraint other_constraint(const ProbsOrLogits& given) {
  return given.probs ? constraints::real : constraints::unit_interval;
}
inline Constraint categorical_constraint(bool is_probs) {
  return is_probs ? constraints::simplex : constraints::real_vector;
}
inline Tensor probs_of(const Tensor& parameter, bool is_probs, bool is_binary) {
  return is_probs ? parameter : logits_to_probs(parameter, is_binary);
}
inline Tensor logits_of(const Tensor& parameter, bool is_probs, bool is_binary) {
  return is_probs ? probs_to_logits(parameter, is_binary) : parameter;
}
/// Returns scalar values `(n)` as `(n, 1...)`, expanded to `(n, batch_shape...)` if `expand` is
/// set.
Tensor enumerate_values(const Tensor& values, const Shape& batch_shape, bool expand);

}  // namespace taper::distributions
