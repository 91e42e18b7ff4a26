// Ops declared in binary.inc.
#pragma once
#include "ops/pointwise/elements.h"
#include "ops/pointwise/pointwise.h"

namespace taper {

namespace binary {
enum class Forms { methods, or_number, no_inplace, internal, adjoint };
constexpr unsigned none = 0, a = in(0), b = in(1), ab = a | b;

constexpr OpInfo info(std::string_view name, std::string_view node, std::string_view inputs,
                      DTypeSet dtypes, Forms forms, unsigned saved, TypePromotion promote) {
  OpInfo info = pointwise(name, node, inputs, dtypes, saved, promote);
  info.inplace = forms != Forms::adjoint;
  return info;
}
}  // namespace binary

#define BINARY(name, Type, node, inputs, forms, dtypes, expression, saved_a, gradient_a, saved_b, \
               gradient_b, ...)                                                                   \
  struct Type : dtypes {                                                                          \
    static constexpr OpInfo op =                                                                  \
        binary::info(#name, #node, inputs, supported, binary::Forms::forms,                       \
                     binary::saved_a | binary::saved_b, promote);                                 \
    template <class T> static auto value(T a, T b) { return expression; }                         \
    void backward(BackwardContext<Type>& context) const;                                          \
  };
#include "ops/pointwise/binary.inc"

}  // namespace taper
