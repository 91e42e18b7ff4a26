#include "taper/core/optional_fields.h"

namespace taper {

OptionalShape::OptionalShape(std::initializer_list<Shape::Item> values)
    : optional(std::in_place, Shape(values)) {}
OptionalShape::OptionalShape(const std::vector<std::int64_t>& values)
    : optional(std::in_place, Shape(values)) {}

OptionalNumbers::OptionalNumbers(std::initializer_list<FloatArg> values)
    : OptionalNumbers(std::vector<double>(values.begin(), values.end())) {}

Shape detail::given_sizes(std::initializer_list<BracedSize> sizes) {
  Shape given;
  for (const BracedSize& size : sizes)
    if (size.given) given.push_back(size.value);
  return given;
}

}  // namespace taper
