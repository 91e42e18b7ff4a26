#include "ops/conv/transposed.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(convolution) {
  using C = ConvOutput;
  return {sample<C>({{1, 2, 4, 5}, {3, 2, 3, 2}, {3}}),
          sample<C>({{2, 1, 6, 6}, {4, 1, 3, 3}, {4}}),
          sample<C>({{2, 4, 5, 4}, {4, 2, 3, 3}, TensorSpec::none()},
                    {.stride = {2, 1}, .padding = {1, 2}, .groups = 2}),
          sample<C>({{2, 16, 7, 7}, {16, 16, 3, 3}, {16}}, {.padding = 1}),
          sample<C>({{1, 3, 7, 7}, {2, 3, 2, 2}, {2}}, {.padding = 1, .dilation = 3}),
          sample<C>({{1, 3, 4, 4}, {2, 3, 2, 2}, {2}}, {.padding = 0, .padding_end = 1}),
          sample<C>({{2, 3, 7}, {4, 3, 3}, {4}}, {.stride = 2, .padding = 1}),
          sample<C>({{1, 2, 3, 4, 3}, {2, 2, 2, 2, 2}, {2}}, {.padding = {0, 1, 0}}),
          sample<C>({{0, 2, 4, 4}, {3, 2, 3, 3}, {3}}),
          sample<C>({{2, 0, 4, 4}, {3, 0, 3, 3}, {3}})};
}
TAPER_DEFINE_SAMPLES(convolution_input) {
  using C = ConvInput;
  return {sample<C>({{1, 3, 2, 4}, {3, 2, 3, 2}}, {.input_size = {1, 2, 4, 5}}),
          sample<C>({{2, 4, 3, 6}, {4, 2, 3, 3}},
                    {.stride = {2, 1}, .padding = {1, 2}, .groups = 2, .input_size = {2, 4, 5, 4}}),
          sample<C>({{2, 4, 4}, {4, 3, 3}}, {.stride = 2, .padding = 1, .input_size = {2, 3, 7}})};
}
TAPER_DEFINE_SAMPLES(conv_transpose) {
  using C = ConvTranspose;
  return {sample<C>({{1, 3, 2, 4}, {3, 2, 3, 2}, {2}}),
          sample<C>({{2, 4, 3, 3}, {4, 2, 3, 3}, TensorSpec::none()},
                    {.stride = {2, 1}, .padding = {1, 2}, .output_padding = {1, 0}, .groups = 2}),
          sample<C>({{2, 16, 5, 5}, {16, 16, 3, 3}, {16}}, {.stride = 2, .padding = 1}),
          sample<C>({{1, 3, 3, 4}, {3, 2, 2, 2}, {2}},
                    {.padding = {0, 2}, .output_padding = 1, .dilation = 2}),
          sample<C>({{2, 4, 4}, {4, 3, 3}, {3}}, {.stride = 2, .padding = 1}),
          sample<C>({{1, 2, 2, 3, 2}, {2, 2, 2, 2, 2}, {2}}, {.padding = {0, 1, 0}}),
          sample<C>({{0, 2, 4, 4}, {2, 3, 3, 3}, {3}})};
}
TAPER_DEFINE_SAMPLES(convolution_weight) {
  using C = ConvWeight;
  return {sample<C>({{1, 2, 4, 5}, {1, 3, 2, 4}}, {.input_size = {3, 2, 3, 2}}),
          sample<C>({{2, 4, 5, 4}, {2, 4, 3, 6}}, {.stride = {2, 1},
                                                   .padding = {1, 2},
                                                   .groups = 2,
                                                   .input_size = {4, 2, 3, 3},
                                                   .compute_grad_bias = false}),
          sample<C>({{2, 3, 7}, {2, 4, 4}}, {.stride = 2, .padding = 1, .input_size = {4, 3, 3}}),
          sample<C>(
              {{2, 3, 7}, {2, 4, 4}},
              {.stride = 2, .padding = 1, .input_size = {4, 3, 3}, .compute_grad_weight = false})};
}

}  // namespace taper
