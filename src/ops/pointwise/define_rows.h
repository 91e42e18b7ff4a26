// Definitions of the ops declared with rows.h: gradients, reference kernels and descriptors. Each
// includer defines TAPER_FORMS_<forms>(name, Type), the public forms in the column `forms`.
#pragma once
#include "ops/pointwise/rows.h"
#include "ops/pointwise/value.h"

// Define the names that a gradient may read.
#define TAPER_READ_none
#define TAPER_READ_x const Tensor& x = context.input<0>();
#define TAPER_READ_y const Tensor& y = context.output<0>();
#define TAPER_READ_a const Tensor& a = context.input<0>();
#define TAPER_READ_b const Tensor& b = context.input<1>();
#define TAPER_READ_ab TAPER_READ_a TAPER_READ_b

#define TAPER_GRADIENT(i, saved, gradient)                                         \
  if (context.needs_input_grad(i)) {                                               \
    [[maybe_unused]] const auto zeros = [&] { return zero_grad_for(context, i); }; \
    [[maybe_unused]] const Tensor& g = context.grad();                             \
    TAPER_READ_##saved context[i] = gradient;                                      \
  }

/// Defines the reference kernel and the descriptor of an op whose struct has a function `value`.
#define TAPER_DEFINE_VALUE_OP(name, Type)                                                      \
  template <> void reference_kernel(const Type&, const KernelArgs& k) { map_values<Type>(k); } \
  TAPER_DEFINE_OP(name, Type);

#define TAPER_DEFINE_UNARY(name, Type, node, forms, dtypes, expression, saved, gradient, ...) \
  void Type::backward(BackwardContext<Type>& context)                                         \
      const {TAPER_GRADIENT(0, saved, gradient)} TAPER_DEFINE_VALUE_OP(name, Type)            \
          TAPER_FORMS_##forms(name, Type)
#define TAPER_DEFINE_PREDICATE(name, Type, ...) \
  TAPER_DEFINE_VALUE_OP(name, Type)             \
  TAPER_FORMS_predicate(name, Type)
#define TAPER_DEFINE_BINARY(name, Type, node, inputs, forms, dtypes, expression, saved_a,  \
                            gradient_a, saved_b, gradient_b, ...)                          \
  void Type::backward(BackwardContext<Type>& context)                                      \
      const {TAPER_GRADIENT(0, saved_a, gradient_a)                                        \
                 TAPER_GRADIENT(1, saved_b, gradient_b)} TAPER_DEFINE_VALUE_OP(name, Type) \
          TAPER_FORMS_##forms(name, Type)
#define TAPER_DEFINE_PLAIN_UNARY(name, Type, forms, ...) \
  TAPER_DEFINE_VALUE_OP(name, Type)                      \
  TAPER_FORMS_##forms(name, Type)
#define TAPER_DEFINE_PLAIN_BINARY(name, Type, inputs, forms, ...) \
  TAPER_DEFINE_VALUE_OP(name, Type)                               \
  TAPER_FORMS_##forms(name, Type)
