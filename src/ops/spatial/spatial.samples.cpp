#include "ops/samples.h"
#include "ops/spatial/grid_sampler.h"
#include "ops/spatial/im2col.h"
#include "ops/spatial/interpolate.h"
#include "ops/spatial/pad.h"

namespace taper {
namespace {

template <bool Back> SampleInput resampling(Shape x, Shape y, InterpolateOf<Back> o) {
  if (Back) o.output_size = x;
  for (std::size_t d = 2; !Back && d < y.size(); ++d) o.output_size.push_back(y[d]);
  return sample<InterpolateOf<Back>>({TensorSpec(Back ? y : x)}, o);
}

template <bool Back> std::vector<SampleInput> resampling_samples() {
  using O = InterpolateOf<Back>;
  return {
      resampling<Back>({2, 3, 5}, {2, 3, 8}, O{.mode = "nearest"}),
      resampling<Back>({1, 2, 4, 6}, {1, 2, 7, 3}, O{.mode = "nearest-exact", .scales_h = 1.8}),
      only_for(DTypeSet::floating, resampling<Back>({2, 2, 4}, {2, 2, 7}, O{.mode = "linear"})),
      only_for(DTypeSet::floating, resampling<Back>({1, 2, 3, 4, 2}, {1, 2, 2, 6, 3},
                                                    O{.mode = "trilinear", .align_corners = true})),
      resampling<Back>({1, 2, 5, 4}, {1, 2, 3, 7}, O{.mode = "bicubic"}),
      resampling<Back>({1, 2, 7, 4}, {1, 2, 3, 5}, O{.mode = "bilinear", .antialias = true}),
      resampling<Back>({1, 2, 3, 50}, {1, 2, 2, 37}, O{.mode = "bilinear"})};
}

}  // namespace

TAPER_DEFINE_SAMPLES(interpolate) { return resampling_samples<false>(); }
TAPER_DEFINE_SAMPLES(interpolate_backward) { return resampling_samples<true>(); }

TAPER_DEFINE_SAMPLES(constant_pad_nd) {
  return {sample<ConstantPadNd>({{2, 3, 4}}, {.pad = {1, 2, 0, 1}, .value = 1.5}),
          sample<ConstantPadNd>({{3, 5}}, {.pad = {-1, 2, 1, -2}}),
          sample<ConstantPadNd>({{2}}, {.pad = {-1, -1}})};
}
TAPER_DEFINE_SAMPLES(border_pad) {
  return {sample<BorderPad>({{2, 3, 4}}, {.pad = {3, 2}}),
          sample<BorderPad>({{1, 2, 3, 4}}, {.pad = {1, 2, 2, 0}, .mode = "replicate"}),
          sample<BorderPad>({{2, 3, 4, 2}}, {.pad = {1, 1, -1, 2, 2, 1}, .mode = "circular"}),
          sample<BorderPad>({{3, 6}}, {.pad = {-2, 3}, .mode = "replicate"})};
}
TAPER_DEFINE_SAMPLES(border_pad_backward) {
  using B = BorderPadBackward;
  return {sample<B>({{2, 3, 9}}, {.pad = {3, 2}, .input_size = {2, 3, 4}}),
          sample<B>({{1, 2, 5, 7}},
                    {.pad = {1, 2, 2, 0}, .mode = "replicate", .input_size = {1, 2, 3, 4}}),
          sample<B>({{3, 7}}, {.pad = {-2, 3}, .mode = "replicate", .input_size = {3, 6}})};
}

TAPER_DEFINE_SAMPLES(grid_sampler) {
  // Points whose pixels are far from integers, where the derivative has steps.
  const TensorSpec points(Shape{2, 2, 3, 2}, 0.05, 0.15), volume(Shape{1, 2, 2, 1, 3}, -0.2, -0.1);
  return {sample<GridSampler>({{2, 3, 4, 4}, points}),
          sample<GridSampler>({{2, 1, 4, 6}, points},
                              {{.padding_mode = "border", .align_corners = true}}),
          sample<GridSampler>({{2, 2, 4, 4}, points},
                              {{.mode = "bicubic", .padding_mode = "reflection"}}),
          sample<GridSampler>({{1, 2, 4, 4, 4}, volume}),
          skip_gradient_check(sample<GridSampler>({{2, 3, 5, 6}, {{2, 5, 7, 2}, -1.5, 1.5}})),
          skip_gradient_check(sample<GridSampler>({{2, 3, 5, 6}, {{2, 5, 7, 2}, -1.5, 1.5}},
                                                  {{.padding_mode = "border"}})),
          skip_gradient_check(
              sample<GridSampler>({{2, 2, 3, 3}, {{2, 4, 5, 2}, -2, 2}}, {{.mode = "nearest"}}))};
}
TAPER_DEFINE_SAMPLES(grid_sampler_backward) {
  using B = GridSamplerBackward;
  return {sample<B>({{2, 3, 4, 5}, {2, 3, 3, 4}, {{2, 4, 5, 2}, -2, 2}},
                    {{.padding_mode = "reflection"}}),
          sample<B>({{1, 2, 3, 1}, {1, 2, 4, 4}, {{1, 3, 1, 2}, -2, 2}}, {{.mode = "bicubic"}}),
          sample<B>({{2, 3, 5, 7}, {2, 3, 5, 6}, {{2, 5, 7, 2}, -1.5, 1.5}}),
          sample<B>({{2, 3, 5, 7}, {2, 3, 5, 6}, {{2, 5, 7, 2}, -1.5, 1.5}},
                    {{.padding_mode = "border", .align_corners = true}})};
}

TAPER_DEFINE_SAMPLES(im2col) {
  return {
      sample<Im2Col>({{2, 3, 5, 4}}, {.kernel_size = {2, 3}, .padding = {0, 1}}),
      sample<Im2Col>({{2, 6, 5}}, {.kernel_size = {2, 2}, .dilation = {2, 1}, .stride = {1, 2}})};
}
TAPER_DEFINE_SAMPLES(col2im) {
  return {
      sample<Col2Im>({{2, 12, 12}}, {.output_size = {4, 5}, .kernel_size = {2, 2}}),
      sample<Col2Im>(
          {{8, 8}},
          {.output_size = {6, 5}, .kernel_size = {2, 2}, .dilation = {2, 1}, .stride = {1, 2}})};
}

}  // namespace taper
