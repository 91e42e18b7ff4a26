#include "cpu/conv/conv.h"

#include <algorithm>

#include "cpu/gemm/gemm.h"

namespace taper::cpu {
namespace conv_native {

bool is_supported(const ConvParams& c) {
  return c.spatial == 2 && c.groups == 1 && c.dilation[1] == 1;
}

}  // namespace conv_native

namespace conv_winograd {

bool is_supported(const ConvParams& c) {
  if (c.spatial != 2 || c.groups != 1 || c.in_channels % 16 != 0 || c.out_channels % 16 != 0)
    return false;
  for (std::size_t i = 0; i < 2; ++i)
    if (c.kernel[i] != 3 || c.stride[i] != 1 || c.dilation[i] != 1 || c.padding[i] > 2)
      return false;
  return true;
}

}  // namespace conv_winograd

namespace {

std::int64_t num_points(const std::array<std::int64_t, 3>& extents, int n) {
  std::int64_t product = 1;
  for (int i = 0; i < n; ++i) product *= extents[static_cast<std::size_t>(i)];
  return product;
}

bool has_empty_sum(const ConvParams& c) {
  return c.batch == 0 || c.in_channels == 0 || c.out_channels == 0 ||
         num_points(c.output, c.spatial) == 0 || num_points(c.kernel, c.spatial) == 0;
}

// Returns true if the Winograd algorithm is expected to be faster than direct convolution: the
// channels fill vectors, and there are enough tiles for the transformed weights, which are four
// times larger than the weights. Measured on the layers of ResNet-18, it takes 0.46 to 0.88 of the
// time of direct convolution.
bool prefer_winograd(const ConvParams& c) {
  if (!conv_winograd::is_supported(c) || c.in_channels < 32 || c.out_channels < 32) return false;
  const std::int64_t tiles = c.batch * ((c.output[0] + 3) / 4) * ((c.output[1] + 3) / 4);
  return tiles * 32 >= c.in_channels + c.out_channels;
}

// Returns a convolution over one dimension as one over images of a single row.
ConvParams as_images(ConvParams c) {
  if (c.spatial != 1) return c;
  c.spatial = 2;
  for (auto* sizes : {&c.input, &c.kernel, &c.output, &c.stride, &c.dilation})
    (*sizes)[1] = (*sizes)[0], (*sizes)[0] = 1;
  for (auto* counts : {&c.padding, &c.padding_end}) (*counts)[1] = (*counts)[0], (*counts)[0] = 0;
  return c;
}

// Returns true if the native kernels are expected to be faster: with few channels.
bool prefer_native(const ConvParams& c) {
  return conv_native::is_supported(as_images(c)) && c.out_channels <= 128 && c.in_channels <= 48 &&
         !prefer_winograd(c);
}

// One way to compute a convolution. Its functions return false if another one has to.
struct Algorithm {
  const char* name;
  bool (*is_preferred)(const ConvParams& c);
  bool (*forward)(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
                  PrepackedWeightCache* cache);
  bool (*backward_data)(const ConvParams& c, const float* dy, const float* w, float* dx,
                        PrepackedWeightCache* cache);
  bool (*backward_weights)(const ConvParams& c, const float* x, const float* dy, float* dw,
                           float* db);
};

// Makes a function of an Algorithm of one that computes every convolution of the algorithm.
template <auto function, class... A> bool always(A... arguments) {
  function(arguments...);
  return true;
}
template <auto function, class... A> bool of_images(const ConvParams& c, A... arguments) {
  function(as_images(c), arguments...);
  return true;
}
bool any(const ConvParams&) { return true; }

// The first one that is preferred is used.
constexpr Algorithm kAlgorithms[] = {
    {"native", prefer_native, of_images<conv_native::forward>,
     of_images<conv_native::backward_data>, of_images<conv_native::backward_weights>},
    {"winograd", prefer_winograd, conv_winograd::forward, conv_winograd::backward_data,
     conv_winograd::backward_weights},
    {"grouped", conv_grouped::is_supported, always<conv_grouped::forward>,
     always<conv_grouped::backward_data>, always<conv_grouped::backward_weights>},
    {"columns", any, always<conv_columns::forward>, always<conv_columns::backward_data>,
     always<conv_columns::backward_weights>},
};

// Computes a pass by the first algorithm that can.
template <class... P, class... A> void compute(const ConvParams& c,
                                               bool (*Algorithm::*pass)(const ConvParams&, P...),
                                               A... arguments) {
  for (const Algorithm& a : kAlgorithms)
    if (a.is_preferred(c) && (a.*pass)(c, arguments...)) return;
}

}  // namespace

const char* conv_algorithm(const ConvParams& c) {
  for (const Algorithm& a : kAlgorithms)
    if (a.is_preferred(c)) return a.name;
  return "";
}

void conv_forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
                  PrepackedWeightCache* cache) {
  if (!has_empty_sum(c)) return compute(c, &Algorithm::forward, x, w, bias, y, cache);
  const std::int64_t pixels = c.batch * num_points(c.output, c.spatial);
  for (std::int64_t i = 0; i < pixels; ++i)
    for (std::int64_t o = 0; o < c.out_channels; ++o)
      y[i * c.out_channels + o] = bias != nullptr ? bias[o] : 0.0f;
}

void conv_backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                        PrepackedWeightCache* cache) {
  if (!has_empty_sum(c)) return compute(c, &Algorithm::backward_data, dy, w, dx, cache);
  std::fill_n(dx, c.batch * num_points(c.input, c.spatial) * c.in_channels, 0.0f);
}

void conv_backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw,
                           float* db) {
  if (!has_empty_sum(c)) return compute(c, &Algorithm::backward_weights, x, dy, dw, db);
  if (c.groups != 0)
    std::fill_n(dw, c.out_channels * (c.in_channels / c.groups) * num_points(c.kernel, c.spatial),
                0.0f);
  if (db != nullptr)
    column_sums(c.batch * num_points(c.output, c.spatial), c.out_channels, dy, c.out_channels, db,
                false);
}

}  // namespace taper::cpu
