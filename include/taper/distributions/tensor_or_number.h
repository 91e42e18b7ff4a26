// TensorOrNumber: parameter type of distributions, transforms and constraints.
#pragma once
#include <concepts>
#include <string>

#include "taper/core/api.h"
#include "taper/core/scalar.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace distributions {

/// A tensor or a number. PyTorch: `Tensor | Number`.
class TensorOrNumber {
 public:
  /// Throws ValueError if the tensor is undefined.
  TensorOrNumber(const Tensor& tensor);
  TensorOrNumber(const Scalar& number) : number_(number) {}
  template <class N>
  requires(std::integral<N> || std::floating_point<N>) TensorOrNumber(N number) : number_(number) {}

  bool is_tensor() const { return tensor_.defined(); }
  /// Returns the tensor; an undefined one for a number.
  const Tensor& tensor() const { return tensor_; }
  const Scalar& number() const { return number_; }
  /// Returns the tensor, or the number as a 0-dimensional tensor of the given dtype.
  Tensor to_tensor(DType dtype = default_dtype()) const;
  /// Returns the shape of the tensor; an empty one for a number.
  Shape shape() const { return is_tensor() ? tensor_.shape() : Shape(); }
  /// Returns Python's printed form: "0.5" for a number and for a 0-dimensional tensor that is not a
  /// parameter.
  std::string str() const;

 private:
  Tensor tensor_;
  Scalar number_;
};

/// Probabilities of success, or the logits log(p / (1 - p)) or, of categories, unnormalized
/// logarithms; exactly one is set: `Bernoulli({.logits = x})`.
struct ProbsOrLogits {
  std::optional<TensorOrNumber> probs{}, logits{};
};

}  // namespace distributions
}  // namespace taper
