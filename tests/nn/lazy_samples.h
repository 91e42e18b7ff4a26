// Samples of lazy transposed convolutions for the tests of the class registry.
#pragma once
#include "layer_samples.h"

namespace layer_samples {

/// Appends the samples, with a value for each argument.
inline std::vector<Sample> lazy_layer_samples(std::vector<Sample> all) {
  const auto arguments = [](std::vector<std::int64_t> kernel) {
    const auto each = [&](std::int64_t n) { return Value::tuple(Values(kernel.size(), Value(n))); };
    return kw({{"out_channels", 8},
               {"kernel_size", Value::tuple({kernel.begin(), kernel.end()})},
               {"stride", each(2)},
               {"padding", each(1)},
               {"output_padding", each(1)},
               {"groups", 2},
               {"bias", false},
               {"dilation", each(3)},
               {"padding_mode", "zeros"},
               {"device", Device::cpu()},
               {"dtype", float64}});
  };
  const std::vector<Sample> more{
      {"LazyConvTranspose1d", arguments({3}),
       "LazyConvTranspose1d(0, 8, kernel_size=(3,), stride=(2,), padding=(1,), dilation=(3,), "
       "output_padding=(1,), groups=2, bias=False)"},
      {"LazyConvTranspose2d", arguments({3, 5}),
       "LazyConvTranspose2d(0, 8, kernel_size=(3, 5), stride=(2, 2), padding=(1, 1), "
       "dilation=(3, 3), output_padding=(1, 1), groups=2, bias=False)"},
      {"LazyConvTranspose3d", arguments({1, 2, 3}),
       "LazyConvTranspose3d(0, 8, kernel_size=(1, 2, 3), stride=(2, 2, 2), padding=(1, 1, 1), "
       "dilation=(3, 3, 3), output_padding=(1, 1, 1), groups=2, bias=False)"},
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace layer_samples
