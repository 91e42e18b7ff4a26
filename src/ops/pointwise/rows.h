// Declarations of the ops whose rows are in unary.inc, binary.inc, bitwise.inc, elementary.inc and
// special.inc: structs with the value of an element. The columns are explained in unary.inc and
// binary.inc.
#pragma once
#include <algorithm>
#include <cmath>

#include "ops/pointwise/elements.h"
#include "ops/pointwise/pointwise.h"

namespace taper {

namespace unary {
constexpr unsigned none = 0, x = in(0), y = out(0);
}

namespace binary {
enum class Forms { methods, or_number, number_first, no_inplace, internal, adjoint };
constexpr unsigned none = 0, a = in(0), b = in(1), ab = a | b;

constexpr OpInfo info(std::string_view name, std::string_view node, std::string_view inputs,
                      DTypeSet dtypes, Forms forms, unsigned saved, TypePromotion promote) {
  OpInfo info = pointwise(name, node, inputs, dtypes, saved, promote);
  info.inplace = forms != Forms::adjoint;
  for (const std::string_view suffix : {"_tensor", "_kernel"})
    if (name.ends_with(suffix)) info.public_name = name.substr(0, name.size() - suffix.size());
  return info;
}
}  // namespace binary

}  // namespace taper

#define TAPER_DECLARE_UNARY(name, Type, node, forms, dtypes, expression, saved, gradient, ...) \
  struct Type : dtypes {                                                                       \
    static constexpr OpInfo op = with_dtype_error(                                             \
        pointwise(#name, #node, "input", supported, unary::saved, promote), dtype_error);      \
    template <class T> static auto value(T x) { return expression; }                           \
    void backward(BackwardContext<Type>& context) const;                                       \
  };
#define TAPER_DECLARE_PREDICATE(name, Type, expression, ...)                \
  struct Type : Unsigned<ToBool> {                                          \
    static constexpr OpInfo op =                                            \
        out_of_place(pointwise(#name, {}, "input", supported, 0, promote)); \
    template <class T> static auto value(T x) { return expression; }        \
  };
#define TAPER_DECLARE_BINARY(name, Type, node, inputs, forms, dtypes, expression, saved_a,   \
                             gradient_a, saved_b, gradient_b, ...)                           \
  struct Type : dtypes {                                                                     \
    static constexpr OpInfo op =                                                             \
        with_dtype_error(binary::info(#name, #node, inputs, supported, binary::Forms::forms, \
                                      binary::saved_a | binary::saved_b, promote),           \
                         dtype_error);                                                       \
    template <class T> static auto value(T a, T b) { return expression; }                    \
    void backward(BackwardContext<Type>& context) const;                                     \
  };
// Ops without a gradient.
#define TAPER_DECLARE_PLAIN_UNARY(name, Type, forms, dtypes, expression, ...)                \
  struct Type : dtypes {                                                                     \
    static constexpr OpInfo op =                                                             \
        with_dtype_error(pointwise(#name, {}, "input", supported, 0, promote), dtype_error); \
    template <class T> static auto value(T x) { return expression; }                         \
  };
#define TAPER_DECLARE_PLAIN_BINARY(name, Type, inputs, forms, dtypes, expression, ...)      \
  struct Type : dtypes {                                                                    \
    static constexpr OpInfo op =                                                            \
        with_dtype_error(pointwise(#name, {}, inputs, supported, 0, promote), dtype_error); \
    template <class T> static auto value(T a, T b) { return expression; }                   \
  };
