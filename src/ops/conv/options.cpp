// Options of convolutions, shared by functions and layers.
#include "ops/conv/options.h"

#include "ops/conv/check.h"

namespace taper {

ConvPadding::ConvPadding(std::initializer_list<Shape::Item> zeros) : sizes(zeros) {}
ConvPadding::ConvPadding(std::string_view name) : word(name) {
  if (name != "same" && name != "valid")
    fail<ValueError>("Invalid padding string '{}', should be one of {{'same', 'valid'}}", name);
}

std::pair<std::int64_t, std::int64_t> ConvPadding::sides(std::size_t d, std::int64_t kernel,
                                                         std::int64_t dilation) const {
  if (!same()) return {element_for_dim(sizes, d), element_for_dim(sizes, d)};
  // Unsigned arithmetic: a checkpoint may contain arbitrary values, which must not overflow.
  const auto total = static_cast<std::int64_t>(static_cast<std::uint64_t>(dilation) *
                                               static_cast<std::uint64_t>(kernel - 1));
  return {total / 2, total - total / 2};
}

void check_same(const Shape& stride) {
  for (std::int64_t s : stride)
    if (s != 1) fail<ValueError>("padding='same' is not supported for strided convolutions");
}

Shape detail::per_dimension(std::string_view function, std::size_t spatial, std::string_view name,
                            const Shape& list) {
  check_list<ValueError>({function, spatial}, name, list);
  return list.size() == spatial ? list : Shape::filled(spatial, list[0]);
}

detail::ConvAttributes detail::per_dimension(std::string_view function, std::size_t spatial,
                                             ConvAttributes a) {
  a.stride = per_dimension(function, spatial, "stride", a.stride);
  a.dilation = per_dimension(function, spatial, "dilation", a.dilation);
  a.padding.sizes = per_dimension(function, spatial, "padding", a.padding.sizes);
  if (a.padding.same()) check_same(a.stride);
  return a;
}

}  // namespace taper
