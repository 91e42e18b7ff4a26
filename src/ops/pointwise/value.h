// Reference kernels of the ops of unary.inc and binary.inc: loops over `O::value`.
#pragma once
#include "ops/kernel/reference.h"

namespace taper {

template <class O, class T> T evaluate(const T* x) {
  if constexpr (count_words(O::op.inputs) == 1)
    return static_cast<T>(O::value(x[0]));
  else
    return static_cast<T>(O::value(x[0], x[1]));
}

/// As evaluate<O, double>, computed in float.
template <class O> double evaluate_in_float(const double* x) {
  if constexpr (count_words(O::op.inputs) == 1)
    return O::value(static_cast<float>(x[0]));
  else
    return O::value(static_cast<float>(x[0]), static_cast<float>(x[1]));
}

/// Computes out[i] = f(in0[i], ...), where f is `float_function` or `integer_function`. These are
/// function pointers so that the loop is compiled once for all ops.
template <std::size_t N>
void map_functions(const KernelArgs& k, double (*float_function)(const double*),
                   std::int64_t (*integer_function)(const std::int64_t*), bool exact) {
  const auto call = [=]<class T, class... More>(T x, More... more) {
    const T values[] = {x, more...};
    if constexpr (std::is_same_v<T, double>)
      return float_function(values);
    else
      return integer_function(values);
  };
  kernel::map<N>(k, call, exact);
}

/// Reference kernel of op O.
template <class O> void map_values(const KernelArgs& k) {
  double (*float_function)(const double*) = nullptr;
  std::int64_t (*integer_function)(const std::int64_t*) = nullptr;
  if constexpr (O::floats) float_function = evaluate<O, double>;
  if constexpr (requires { O::kInFloat; })
    if (k.compute != DType::f64) float_function = evaluate_in_float<O>;
  if constexpr (O::integers) integer_function = evaluate<O, std::int64_t>;
  if constexpr (requires { O::check_elements(k); }) O::check_elements(k);
  map_functions<count_words(O::op.inputs)>(k, float_function, integer_function,
                                           O::op.promote == TypePromotion::comparison);
}

}  // namespace taper
