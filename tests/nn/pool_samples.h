// Samples of pooling layers for the tests of the class registry.
#pragma once
#include "layer_samples.h"

namespace layer_samples {

/// Appends samples of the pooling layers over one and three dimensions, and of other kinds.
inline std::vector<Sample> pool_layer_samples(std::vector<Sample> all) {
  all.push_back({"MaxPool1d",
                 kw({{"kernel_size", 3},
                     {"stride", Value::tuple({2})},
                     {"padding", 1},
                     {"dilation", 2},
                     {"return_indices", true},
                     {"ceil_mode", true}}),
                 "MaxPool1d(kernel_size=3, stride=(2,), padding=1, dilation=2, ceil_mode=True)"});
  all.push_back(
      {"MaxPool3d",
       kw({{"kernel_size", 3},
           {"stride", Value::tuple({2, 2, 2})},
           {"padding", 1},
           {"dilation", 2},
           {"return_indices", true},
           {"ceil_mode", true}}),
       "MaxPool3d(kernel_size=3, stride=(2, 2, 2), padding=1, dilation=2, ceil_mode=True)"});
  all.push_back({"AvgPool1d",
                 kw({{"kernel_size", Value::tuple({3})},
                     {"stride", Value::tuple({2})},
                     {"padding", Value::tuple({1})},
                     {"ceil_mode", true},
                     {"count_include_pad", false}}),
                 "AvgPool1d(kernel_size=(3,), stride=(2,), padding=(1,))"});
  all.push_back({"AvgPool3d",
                 kw({{"kernel_size", 3},
                     {"stride", 2},
                     {"padding", 1},
                     {"ceil_mode", true},
                     {"count_include_pad", false},
                     {"divisor_override", 5}}),
                 "AvgPool3d(kernel_size=3, stride=2, padding=1)"});
  all.push_back({"AdaptiveMaxPool1d", kw({{"output_size", 3}, {"return_indices", true}}),
                 "AdaptiveMaxPool1d(output_size=3)"});
  all.push_back({"AdaptiveMaxPool2d", kw({{"output_size", 3}, {"return_indices", true}}),
                 "AdaptiveMaxPool2d(output_size=3)"});
  all.push_back({"AdaptiveMaxPool3d", kw({{"output_size", 3}, {"return_indices", true}}),
                 "AdaptiveMaxPool3d(output_size=3)"});
  all.push_back({"LPPool1d",
                 kw({{"norm_type", 1.5}, {"kernel_size", 3}, {"stride", 2}, {"ceil_mode", true}}),
                 "LPPool1d(norm_type=1.5, kernel_size=3, stride=2, ceil_mode=True)"});
  all.push_back({"LPPool2d",
                 kw({{"norm_type", 1.5}, {"kernel_size", 3}, {"stride", 2}, {"ceil_mode", true}}),
                 "LPPool2d(norm_type=1.5, kernel_size=3, stride=2, ceil_mode=True)"});
  all.push_back({"LPPool3d",
                 kw({{"norm_type", 1.5}, {"kernel_size", 3}, {"stride", 2}, {"ceil_mode", true}}),
                 "LPPool3d(norm_type=1.5, kernel_size=3, stride=2, ceil_mode=True)"});
  all.push_back({"MaxUnpool1d",
                 kw({{"kernel_size", Value::tuple({3})},
                     {"stride", Value::tuple({2})},
                     {"padding", Value::tuple({1})}}),
                 "MaxUnpool1d(kernel_size=(3,), stride=(2,), padding=(1,))"});
  all.push_back({"MaxUnpool2d",
                 kw({{"kernel_size", Value::tuple({3, 3})},
                     {"stride", Value::tuple({2, 2})},
                     {"padding", Value::tuple({1, 1})}}),
                 "MaxUnpool2d(kernel_size=(3, 3), stride=(2, 2), padding=(1, 1))"});
  all.push_back({"MaxUnpool3d",
                 kw({{"kernel_size", Value::tuple({3, 3, 3})},
                     {"stride", Value::tuple({2, 2, 2})},
                     {"padding", Value::tuple({1, 1, 1})}}),
                 "MaxUnpool3d(kernel_size=(3, 3, 3), stride=(2, 2, 2), padding=(1, 1, 1))"});
  all.push_back({"FractionalMaxPool2d",
                 kw({{"kernel_size", Value::tuple({2, 2})},
                     {"output_size", Value::tuple({3, 3})},
                     {"output_ratio", Value()},
                     {"return_indices", true},
                     {"_random_samples", Value()}}),
                 "FractionalMaxPool2d()"});
  all.push_back({"FractionalMaxPool3d",
                 kw({{"kernel_size", Value::tuple({2, 2, 2})},
                     {"output_size", Value::tuple({3, 3, 3})},
                     {"output_ratio", Value()},
                     {"return_indices", true},
                     {"_random_samples", Value()}}),
                 "FractionalMaxPool3d()"});
  return all;
}

}  // namespace layer_samples
