// Ops declared in unary.inc.
#pragma once
#include <algorithm>
#include <cmath>

#include "ops/pointwise/elements.h"
#include "ops/pointwise/pointwise.h"

namespace taper {

struct NegDtypes : NoBool {
  static void dtype_error(const ShapeInference& i);
};
struct ReluDtypes : NoBool {
  static void dtype_error(const ShapeInference& i);
};

namespace unary {
constexpr unsigned none = 0, x = in(0), y = out(0);
}

#define UNARY(name, Type, node, forms, dtypes, expression, saved, gradient, ...)          \
  struct Type : dtypes {                                                                  \
    static constexpr OpInfo op = with_dtype_error(                                        \
        pointwise(#name, #node, "input", supported, unary::saved, promote), dtype_error); \
    template <class T> static auto value(T x) { return expression; }                      \
    void backward(BackwardContext<Type>& context) const;                                  \
  };
#define PREDICATE(name, Type, expression, ...)                              \
  struct Type : Unsigned<ToBool> {                                          \
    static constexpr OpInfo op =                                            \
        out_of_place(pointwise(#name, {}, "input", supported, 0, promote)); \
    template <class T> static auto value(T x) { return expression; }        \
  };
#include "ops/pointwise/unary.inc"

}  // namespace taper
