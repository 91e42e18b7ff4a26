#include "taper/core/optional_fields.h"

namespace taper {

OptionalShape::OptionalShape(std::initializer_list<Shape::Item> values)
    : optional(std::in_place, Shape(values)) {}
OptionalShape::OptionalShape(const std::vector<std::int64_t>& values)
    : optional(std::in_place, Shape(values)) {}

OptionalNumbers::OptionalNumbers(std::initializer_list<FloatArg> values)
    : OptionalNumbers(std::vector<double>(values.begin(), values.end())) {}

detail::BracedSizes::operator Shape() const {
  Shape sizes{std::int64_t{taper_first}};
  for (const BracedSize* size : {&taper_second, &taper_third, &taper_fourth, &taper_fifth})
    if (size->given) sizes.push_back(size->value);
  return sizes;
}

}  // namespace taper
