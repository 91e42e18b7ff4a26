// Random numbers of the transforms, each drawn as a tensor of one element.
#pragma once
#include <vector>

#include "data/transforms/image.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/core/value.h"

namespace taper::data::transforms {

/// Draws a float in [low, high).
inline double draw_uniform(double low, double high, const Generator& generator) {
  return empty({1}, {.dtype = DType::f32}).uniform_(low, high, generator).item<double>();
}
/// Draws a float in [0, 1).
inline float draw_unit(const Generator& generator) {
  return rand({1}, {.dtype = DType::f32}, generator).item<float>();
}
/// Returns true with probability p, which is compared in float.
inline bool draw_bool(double p, const Generator& generator) {
  return draw_unit(generator) < static_cast<float>(p);
}
/// Draws an integer in [low, high).
inline std::int64_t draw_integer(std::int64_t low, std::int64_t high, const Generator& generator) {
  return randint(low, high, {1}, {}, generator).item<std::int64_t>();
}

/// Throws ValueError if a probability is not in [0, 1].
void check_probability(std::string_view name, double p);
/// Returns the first image. Throws ValueError if there is none, ShapeError unless it has the shape
/// (..., C, H, W).
const Tensor& first_image(std::string_view name, const std::vector<Tensor>& images);

/// Parameters of a transform.
inline std::int64_t int_param(const Value& params, const char* name) {
  return params[name].as_int();
}
inline Shape shape_param(const Value& params, const char* name) { return params[name].as_size(); }
/// Returns a list of integers as a Value.
Value list_of(const Shape& values);

}  // namespace taper::data::transforms
