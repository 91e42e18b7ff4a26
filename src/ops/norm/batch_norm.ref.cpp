#include <cmath>

#include "ops/kernel/reference.h"
#include "ops/norm/batch_norm.h"

namespace taper {
namespace {

/// Calls f(addresses) for each value of channel c, with the address of the value in each view.
template <std::size_t N, class F>
void for_each_channel_value(std::int64_t c, const std::array<const View*, N>& views, F&& f) {
  Shape shape = *views[0]->shape;
  shape[1] = 1;
  std::array<View, N> channel;
  std::array<const View*, N> channel_views;
  for (std::size_t v = 0; v < N; ++v) {
    channel[v] = *views[v];
    channel[v].data += c * (*views[v]->strides)[1] * kernel::element_size(*views[v]);
    channel_views[v] = &channel[v];
  }
  kernel::walk(shape, channel_views, [&](const std::array<std::int64_t, N>& offset) {
    std::array<std::byte*, N> p;
    for (std::size_t v = 0; v < N; ++v) p[v] = channel[v].data + offset[v];
    f(p);
  });
}

double load_at(const View& v, std::int64_t i) {
  return kernel::load<double>(v.data + i * (*v.strides)[0] * kernel::element_size(v), v.dtype);
}
void store_at(const View& v, std::int64_t i, double value) {
  kernel::store(v.data + i * (*v.strides)[0] * kernel::element_size(v), v.dtype, value);
}

}  // namespace

template <> void reference_kernel(const BatchNorm& o, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.out[0];
  const std::int64_t channels = (*x.shape)[1];
  const double count = channels ? static_cast<double>(x.numel) / static_cast<double>(channels) : 0;
  for (std::int64_t c = 0; c < channels; ++c) {
    double mean = 0, variance = 0;
    const auto value = [&](std::byte* p) { return kernel::load<double>(p, x.dtype); };
    if (!o.training) {
      mean = load_at(k.in[3], c), variance = load_at(k.in[4], c);
    } else if (count > 0) {
      for_each_channel_value<1>(c, {&x}, [&](auto p) { mean += value(p[0]); });
      mean /= count;
      for_each_channel_value<1>(
          c, {&x}, [&](auto p) { variance += (value(p[0]) - mean) * (value(p[0]) - mean); });
      variance /= count;
    }
    // Without eps, equal elements are normalized to 0, as in PyTorch.
    const bool is_constant = o.training && variance + o.eps == 0;
    const double invstd = is_constant ? 0 : 1 / std::sqrt(variance + o.eps);
    store_at(k.out[1], c, mean);
    store_at(k.out[2], c, invstd);
    if (k.out[3].shape) store_at(k.out[3], c, variance);
    const double weight = k.has(1) ? load_at(k.in[1], c) : 1,
                 bias = k.has(2) ? load_at(k.in[2], c) : 0;
    for_each_channel_value<2>(c, {&x, &y}, [&](auto p) {
      kernel::store(p[1], y.dtype, (value(p[0]) - mean) * invstd * weight + bias);
    });
  }
}

template <> void reference_kernel(const BatchNormBackward& o, const KernelArgs& k) {
  const View &g = k.in[0], &x = k.in[1];
  const std::int64_t channels = (*x.shape)[1];
  const double count = channels ? static_cast<double>(x.numel) / static_cast<double>(channels) : 0;
  for (std::int64_t c = 0; c < channels; ++c) {
    const double mean = load_at(k.in[2], c), invstd = load_at(k.in[3], c);
    double sum = 0, sum_projected = 0;
    const auto grad = [&](std::byte* p) { return kernel::load<double>(p, g.dtype); };
    const auto normalize = [&](std::byte* p) {
      return (kernel::load<double>(p, x.dtype) - mean) * invstd;
    };
    for_each_channel_value<2>(c, {&g, &x}, [&](auto p) {
      sum += grad(p[0]);
      sum_projected += grad(p[0]) * normalize(p[1]);
    });
    if (k.out[1].shape) store_at(k.out[1], c, sum_projected);
    if (k.out[2].shape) store_at(k.out[2], c, sum);
    if (!k.out[0].shape) continue;
    const double scale = invstd * (k.has(4) ? load_at(k.in[4], c) : 1);
    for_each_channel_value<3>(c, {&g, &x, &k.out[0]}, [&](auto p) {
      double d = grad(p[0]);
      if (o.training) d -= sum / count + normalize(p[1]) * sum_projected / count;
      kernel::store(p[2], k.out[0].dtype, d * scale);
    });
  }
}

template <> void reference_kernel(const RunningAverage& o, const KernelArgs& k) {
  kernel::map<2>(k, [&](auto running, auto batch) {
    const double r = static_cast<double>(running);
    return element_cast<decltype(running)>((1 - o.momentum) * r +
                                           o.momentum * o.scale * static_cast<double>(batch));
  });
}

}  // namespace taper
