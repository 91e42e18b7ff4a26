#include "cpu/norm/batch_norm.h"

#include <algorithm>
#include <limits>

#include "ops/kernel/channels_last.h"
#include "ops/norm/batch_norm.h"

namespace taper {
namespace {

float* float_data(const View& v) { return v.shape ? reinterpret_cast<float*>(v.data) : nullptr; }

/// Returns true if inputs `first` to `last`, per-channel parameters, are contiguous f32 or absent.
bool has_dense_parameters(const KernelArgs& k, int first, int last) {
  for (int i = first; i <= last; ++i)
    if (k.has(i)) {
      const View& v = k.in[static_cast<std::size_t>(i)];
      if (v.dtype != DType::f32 || (v.numel > 1 && (*v.strides)[0] != 1)) return false;
    }
  return true;
}

/// Determines the physical layout of a kernel from the activation that it writes. Returns false if
/// that is neither row-major nor channels-last.
bool find_layout(const View& v, PhysicalLayout& order) {
  const bool last = v.shape->size() >= 3 && kernel::is_dense_channels_last(v);
  order = last ? PhysicalLayout::channels_last : PhysicalLayout::row_major;
  return last || is_contiguous(v);
}

cpu::ChannelShape channel_shape(const View& x, PhysicalLayout order) {
  const std::int64_t n = (*x.shape)[0], c = (*x.shape)[1];
  return {.n = n,
          .c = c,
          .space = n * c == 0 ? 0 : x.numel / (n * c),
          .channels_last = order == PhysicalLayout::channels_last || x.shape->size() == 2};
}

const float* parameter_data(const KernelArgs& k, int i) {
  return k.has(i) ? float_data(k.in[static_cast<std::size_t>(i)]) : nullptr;
}

}  // namespace

template <> bool cpu_kernel(const BatchNorm& o, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.out[0];
  PhysicalLayout order;
  if (x.dtype != DType::f32 || !has_dense_parameters(k, 1, 4) || !find_layout(y, order))
    return false;
  const cpu::ChannelShape s = channel_shape(x, order);
  const kernel::ViewInLayout from(x, order);
  float *const mean = float_data(k.out[1]), *const invstd = float_data(k.out[2]);
  if (o.training) {
    // The variance is computed in its output if requested, otherwise in the buffer of its inverse
    // root.
    float* const variance = k.out[3].shape ? float_data(k.out[3]) : invstd;
    cpu::channel_stats(s, from.as<float>(), mean, variance);
    cpu::inverse_std(s.c, variance, o.eps, invstd);
    // Without eps, equal elements are normalized to 0, as in PyTorch.
    if (o.eps == 0)
      std::replace(invstd, invstd + s.c, std::numeric_limits<float>::infinity(), 0.0f);
  } else {
    std::copy_n(parameter_data(k, 3), s.c, mean);
    cpu::inverse_std(s.c, parameter_data(k, 4), o.eps, invstd);
    if (k.out[3].shape) std::copy_n(parameter_data(k, 4), s.c, float_data(k.out[3]));
  }
  cpu::channel_normalize(s, from.as<float>(), mean, invstd, parameter_data(k, 1),
                         parameter_data(k, 2), float_data(y));
  return true;
}

template <> bool cpu_kernel(const BatchNormBackward& o, const KernelArgs& k) {
  const View &g = k.in[0], &x = k.in[1], &dx = k.out[0];
  PhysicalLayout order;
  if (x.dtype != DType::f32 || g.dtype != DType::f32 || !has_dense_parameters(k, 2, 4))
    return false;
  if (!find_layout(dx.shape ? dx : x, order)) order = PhysicalLayout::row_major;
  const kernel::ViewInLayout gradient(g, order), input(x, order);
  cpu::channel_normalize_backward(channel_shape(x, order), o.training, input.as<float>(),
                                  gradient.as<float>(), parameter_data(k, 2), parameter_data(k, 3),
                                  parameter_data(k, 4), float_data(dx), float_data(k.out[1]),
                                  float_data(k.out[2]));
  return true;
}

}  // namespace taper
