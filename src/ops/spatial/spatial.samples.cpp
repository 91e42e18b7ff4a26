#include "ops/samples.h"
#include "ops/spatial/im2col.h"
#include "ops/spatial/interpolate.h"

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
      resampling<Back>({1, 2, 7, 4}, {1, 2, 3, 5}, O{.mode = "bilinear", .antialias = true})};
}

}  // namespace

TAPER_DEFINE_SAMPLES(interpolate) { return resampling_samples<false>(); }
TAPER_DEFINE_SAMPLES(interpolate_backward) { return resampling_samples<true>(); }

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
