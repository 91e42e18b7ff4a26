// Rearrangement and resampling of spatial dimensions.
#include "taper/nn/functional/spatial.h"
#include "functions/table.h"
#include "taper/nn/functional/grid.h"
#include "taper/nn/functional/pooling.h"

namespace taper::oracle {
namespace {

namespace F = nn::functional;

template <Tensor (*function)(const Tensor&, IntArg)>
Value call_shuffle(Arguments& a, const char* argument) {
  const Tensor x = a.tensor("input");
  const std::int64_t n = a.integer(argument);
  a.done();
  return function(x, n);
}

F::UnfoldFuncOptions read_blocks(Arguments& a) {
  F::UnfoldFuncOptions o;
  o.dilation = a.shape("dilation", o.dilation);
  o.padding = a.shape("padding", o.padding);
  o.stride = a.shape("stride", o.stride);
  a.done();
  return o;
}
Value call_unfold(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape kernel = a.shape("kernel_size");
  return F::unfold(x, kernel, read_blocks(a));
}
Value call_fold(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape size = a.shape("output_size"), kernel = a.shape("kernel_size");
  return F::fold(x, size, kernel, read_blocks(a));
}

std::optional<bool> read_flag(Arguments& a, const char* name) {
  const Value* v = a.next(name);
  if (!v || v->is_none()) return std::nullopt;
  return v->as_bool();
}
/// Reads the arguments of F.interpolate up to "scale_factor".
template <class Options> Options read_sizes(Arguments& a) {
  Options o;
  o.size = a.optional_shape("size");
  if (const Value* v = a.next("scale_factor"); v && !v->is_none()) {
    o.scale_factor.emplace();
    if (v->is_list() || v->is_tuple())
      for (const Value& one : v->as_sequence())
        o.scale_factor->push_back(scalar_of(one).to_double());
    else
      o.scale_factor->push_back(scalar_of(*v).to_double());
  }
  return o;
}
std::optional<bool> optional_flag(Arguments& a, const char* name) {
  const Value flag = a.peek(name) ? a.value(name) : Value();
  return flag.is_none() ? std::nullopt : std::optional(flag.as_bool());
}

Value call_grid_sample(Arguments& a) {
  const Tensor x = a.tensor("input"), grid = a.tensor("grid");
  F::GridSampleFuncOptions o;
  o.mode = a.text("mode", o.mode);
  o.padding_mode = a.text("padding_mode", o.padding_mode);
  o.align_corners = optional_flag(a, "align_corners");
  a.done();
  return F::grid_sample(x, grid, o);
}

Value call_affine_grid(Arguments& a) {
  const Tensor theta = a.tensor("theta");
  const Shape size = a.shape("size");
  const std::optional<bool> align_corners = optional_flag(a, "align_corners");
  a.done();
  return F::affine_grid(theta, size, {.align_corners = align_corners});
}

Value call_interpolate(Arguments& a) {
  const Tensor x = a.tensor("input");
  auto o = read_sizes<F::InterpolateFuncOptions>(a);
  o.mode = a.text("mode", o.mode);
  o.align_corners = read_flag(a, "align_corners");
  o.recompute_scale_factor = read_flag(a, "recompute_scale_factor");
  o.antialias = a.boolean("antialias", false);
  a.done();
  return F::interpolate(x, o);
}
template <Tensor (*function)(const Tensor&, const F::UpsampleNearestFuncOptions&)>
Value call_upsample(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto o = read_sizes<F::UpsampleNearestFuncOptions>(a);
  a.done();
  return function(x, o);
}
template <Tensor (*function)(const Tensor&, const AdaptiveSize&)>
Value call_adaptive(Arguments& a) {
  const Tensor x = a.tensor("input");
  const AdaptiveSize size = a.optional_integers("output_size");
  a.done();
  return function(x, size);
}

}  // namespace

void add_spatial(FunctionTable& table) {
  table["pixel_shuffle"] = [](Arguments& a) {
    return call_shuffle<pixel_shuffle>(a, "upscale_factor");
  };
  table["pixel_unshuffle"] = [](Arguments& a) {
    return call_shuffle<pixel_unshuffle>(a, "downscale_factor");
  };
  table["channel_shuffle"] = [](Arguments& a) {
    return call_shuffle<channel_shuffle>(a, "groups");
  };
  table["F.unfold"] = call_unfold;
  table["F.fold"] = call_fold;
  table["F.grid_sample"] = call_grid_sample;
  table["F.affine_grid"] = call_affine_grid;
  table["F.interpolate"] = table["F.upsample"] = call_interpolate;
  table["F.upsample_nearest"] = call_upsample<F::upsample_nearest>;
  table["F.upsample_bilinear"] = call_upsample<F::upsample_bilinear>;
  table["adaptive_avg_pool1d"] = call_adaptive<adaptive_avg_pool1d>;
  table["adaptive_avg_pool3d"] = call_adaptive<F::adaptive_avg_pool3d>;
}

}  // namespace taper::oracle
