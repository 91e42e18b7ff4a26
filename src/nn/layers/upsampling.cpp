#include "nn/layers/text.h"
#include "nn/registry/layer_arguments.h"
#include "nn/registry/schema.h"
#include "taper/nn/functional/spatial.h"
#include "taper/nn/spatial.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Upsample)
TAPER_LAYER_MEMBERS(UpsamplingNearest2d)
TAPER_LAYER_MEMBERS(UpsamplingBilinear2d)

namespace {

using OptionalFlag = ArgumentForm<std::optional<bool>>;
using Factors = std::optional<std::vector<double>>;

// One number, or a tuple of one number per dimension; as in PyTorch, the factor 0 is absent.
Factors scale_factor_of(const Arguments& a) {
  const Value& v = a["scale_factor"];
  if (!v.is_tuple() && !v.is_list()) {
    const std::optional<double> one = a.optional_number("scale_factor");
    return one && *one != 0 ? Factors(std::vector<double>{*one}) : std::nullopt;
  }
  std::vector<double> all;
  for (const Value& one : v.as_sequence()) {
    if (!one.is_int() && !one.is_float()) a.reject("scale_factor", "float or a tuple of floats");
    all.push_back(one.as_double());
  }
  return all;
}
bool has_tuple(const Arguments& a) {
  const auto is_tuple = [](const Value& v) {
    return v.is_tuple() || v.is_list() || v.kind() == Value::Kind::size;
  };
  return is_tuple(a["size"]) || is_tuple(a["scale_factor"]);
}
Value scale_value(const auto& m) {
  const Factors& factors = m.scale_factor;
  if (!factors) return {};
  if (factors->size() == 1 && !m.is_tuple) return factors->front();
  Values all(factors->begin(), factors->end());
  return Value::tuple(std::move(all));
}
Value size_value(const auto& m) {
  if (!m.size) return {};
  return m.is_tuple ? tuple_value(*m.size) : sizes_value(*m.size);
}

std::string upsampling_text(const auto& m, const std::string& mode) {
  const std::string first =
      m.scale_factor ? "scale_factor=" + scale_value(m).repr() : "size=" + size_value(m).repr();
  return first + ", mode=" + Value(mode).repr();
}

template <class L> constexpr ModuleSchema upsampling_schema(std::string_view name) {
  return layer_schema<L>(
      name, "upsampling", "size=None, scale_factor=None",
      [](const Arguments& a) {
        return L({.size = a.optional_sizes("size"),
                  .scale_factor = scale_factor_of(a),
                  .is_tuple = has_tuple(a)});
      },
      [](const L& m) -> Values {
        return {size_value(m), scale_value(m)};
      });
}

}  // namespace

Upsample::Upsample(const UpsampleOptions& o)
    : size(o.size),
      scale_factor(o.scale_factor),
      is_tuple(o.is_tuple),
      mode(o.mode),
      align_corners(o.align_corners),
      recompute_scale_factor(o.recompute_scale_factor) {}
Tensor Upsample::forward(const Tensor& input) const {
  return functional::interpolate(called(input), {.size = size,
                                                 .scale_factor = scale_factor,
                                                 .mode = mode,
                                                 .align_corners = align_corners,
                                                 .recompute_scale_factor = recompute_scale_factor});
}
std::string Upsample::extra_repr() const { return upsampling_text(*this, mode); }

UpsamplingNearest2d::UpsamplingNearest2d(const Upsampling2dOptions& o)
    : size(o.size), scale_factor(o.scale_factor), is_tuple(o.is_tuple) {}
Tensor UpsamplingNearest2d::forward(const Tensor& input) const {
  return functional::upsample_nearest(called(input), {.size = size, .scale_factor = scale_factor});
}
std::string UpsamplingNearest2d::extra_repr() const { return upsampling_text(*this, "nearest"); }

UpsamplingBilinear2d::UpsamplingBilinear2d(const Upsampling2dOptions& o)
    : size(o.size), scale_factor(o.scale_factor), is_tuple(o.is_tuple) {}
Tensor UpsamplingBilinear2d::forward(const Tensor& input) const {
  return functional::upsample_bilinear(called(input), {.size = size, .scale_factor = scale_factor});
}
std::string UpsamplingBilinear2d::extra_repr() const { return upsampling_text(*this, "bilinear"); }

const ModuleSchema& module_schema(const Upsample*) {
  static constexpr ModuleSchema schema = layer_schema<Upsample>(
      "Upsample", "upsampling",
      "size=None, scale_factor=None, mode='nearest', align_corners=None, "
      "recompute_scale_factor=None",
      [](const Arguments& a) {
        return Upsample({.size = a.optional_sizes("size"),
                         .scale_factor = scale_factor_of(a),
                         .mode = a.string("mode"),
                         .align_corners = OptionalFlag::read(a, "align_corners"),
                         .recompute_scale_factor = OptionalFlag::read(a, "recompute_scale_factor"),
                         .is_tuple = has_tuple(a)});
      },
      [](const Upsample& m) -> Values {
        return {size_value(m), scale_value(m), m.mode, OptionalFlag::value(m.align_corners, false),
                OptionalFlag::value(m.recompute_scale_factor, false)};
      });
  return schema;
}
TAPER_MODULE_SCHEMA(UpsamplingNearest2d, upsampling_schema)
TAPER_MODULE_SCHEMA(UpsamplingBilinear2d, upsampling_schema)

}  // namespace taper::nn
