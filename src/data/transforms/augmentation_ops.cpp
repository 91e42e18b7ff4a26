#include "data/transforms/augmentation_ops.h"

#include <algorithm>
#include <cmath>

#include "data/transforms/draw.h"
#include "taper/data/transforms/functional.h"

namespace taper::data::transforms {
namespace {

namespace F = functional;

/// Range of the magnitudes of an operation.
enum class Range { none, shear, translate_x, translate_y, rotation, factor, bits, threshold };

/// Arguments of an operation.
struct Call {
  const Tensor& image;
  double magnitude;
  const WarpOptions& warp;
};

struct Operation {
  const char* name;
  Range range;
  Tensor (*apply)(const Call& call);
};

Tensor shear(const Call& c, std::size_t axis) {
  // The magnitude is the tangent of the angle. The upper left corner does not move.
  const double degrees = std::atan(c.magnitude) * (180 / 3.14159265358979323846);
  WarpOptions options = c.warp;
  options.center = {0.0, 0.0};
  return F::affine(c.image, {.shear = {axis == 0 ? degrees : 0, axis == 1 ? degrees : 0}}, options);
}

Tensor translate(const Call& c, std::size_t axis) {
  AffineMap map;
  map.translate[axis] = std::trunc(c.magnitude);
  return F::affine(c.image, map, c.warp);
}

Tensor rotate(const Call& c) {
  return F::rotate(c.image, c.magnitude,
                   {.interpolation = c.warp.interpolation, .fill = c.warp.fill});
}

constexpr Operation kOperations[] = {
    {"Identity", Range::none, [](const Call& c) { return c.image; }},
    {"ShearX", Range::shear, [](const Call& c) { return shear(c, 0); }},
    {"ShearY", Range::shear, [](const Call& c) { return shear(c, 1); }},
    {"TranslateX", Range::translate_x, [](const Call& c) { return translate(c, 0); }},
    {"TranslateY", Range::translate_y, [](const Call& c) { return translate(c, 1); }},
    {"Rotate", Range::rotation, rotate},
    {"Brightness", Range::factor,
     [](const Call& c) { return F::adjust_brightness(c.image, 1 + c.magnitude); }},
    {"Color", Range::factor,
     [](const Call& c) { return F::adjust_saturation(c.image, 1 + c.magnitude); }},
    {"Contrast", Range::factor,
     [](const Call& c) { return F::adjust_contrast(c.image, 1 + c.magnitude); }},
    {"Sharpness", Range::factor,
     [](const Call& c) { return F::adjust_sharpness(c.image, 1 + c.magnitude); }},
    {"Posterize", Range::bits,
     [](const Call& c) { return F::posterize(c.image, static_cast<std::int64_t>(c.magnitude)); }},
    {"Solarize", Range::threshold,
     [](const Call& c) { return F::solarize(c.image, max_value(c.image.dtype()) * c.magnitude); }},
    {"AutoContrast", Range::none, [](const Call& c) { return F::autocontrast(c.image); }},
    {"Equalize", Range::none, [](const Call& c) { return F::equalize(c.image); }},
    {"Invert", Range::none, [](const Call& c) { return F::invert(c.image); }},
};

const Operation& find_operation(const std::string& name) {
  for (const Operation& op : kOperations)
    if (name == op.name) return op;
  fail<ValueError>("unknown augmentation '{}'", name);
}

constexpr const char* kAll[] = {
    "Identity", "ShearX",   "ShearY",    "TranslateX", "TranslateY", "Rotate",       "Brightness",
    "Color",    "Contrast", "Sharpness", "Posterize",  "Solarize",   "AutoContrast", "Equalize"};
constexpr const char* kMixed[] = {
    "ShearX",       "ShearY",   "TranslateX", "TranslateY", "Rotate",   "Posterize", "Solarize",
    "AutoContrast", "Equalize", "Brightness", "Color",      "Contrast", "Sharpness"};
constexpr std::size_t kNumPartial = 9;  // of kMixed

}  // namespace

OperationNames all_operations() { return kAll; }
OperationNames mixed_operations(bool all) {
  return OperationNames(kMixed).first(all ? std::size(kMixed) : kNumPartial);
}

Magnitudes magnitudes_of(const std::string& op, const MagnitudeRanges& r, const Tensor& image) {
  const auto up_to = [](double last) {
    return Magnitudes{.exist = true, .is_signed = true, .last = last};
  };
  const auto translation = [&](std::int64_t size) {
    return up_to(r.is_relative ? r.translation * static_cast<double>(size) : r.translation);
  };
  switch (find_operation(op).range) {
    case Range::none: break;
    case Range::shear: return up_to(r.shear);
    case Range::translate_x: return translation(width_of(image));
    case Range::translate_y: return translation(height_of(image));
    case Range::rotation: return up_to(r.rotation);
    case Range::factor: return up_to(r.factor);
    case Range::bits:
      return {.exist = true,
              .are_bits = true,
              .first = static_cast<double>(r.max_bits),
              .last = static_cast<double>(r.max_bits - r.removed_bits)};
    case Range::threshold: return {.exist = true, .first = 1, .last = 0};
  }
  return {};
}

double Magnitudes::at(std::int64_t i, std::int64_t count) const {
  if (!are_bits) return linspace(first, last, count, {.dtype = DType::f32})[i].item<float>();
  if (count == 1) return first;
  const auto step = static_cast<float>(static_cast<double>(count - 1) / (first - last));
  return std::nearbyint(static_cast<float>(first) - static_cast<float>(i) / step);
}

std::string draw_operation(OperationNames names, const Generator& generator) {
  return names[static_cast<std::size_t>(
      draw_integer(0, static_cast<std::int64_t>(names.size()), generator))];
}

double draw_sign(const Magnitudes& magnitudes, std::int64_t i, std::int64_t count,
                 const Generator& generator) {
  if (!magnitudes.exist) return 0;
  const double magnitude = magnitudes.at(i, count);
  return magnitudes.is_signed && draw_unit(generator) <= 0.5f ? -magnitude : magnitude;
}

Tensor apply_operation(const Tensor& image, const std::string& op, double magnitude,
                       const std::string& interpolation, const Numbers& fill) {
  const WarpOptions warp{.interpolation = interpolation, .fill = fill};
  return find_operation(op).apply({image, magnitude, warp});
}

}  // namespace taper::data::transforms
