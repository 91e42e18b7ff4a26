#include "cpu/norm/batch_norm.h"

#include <algorithm>

#include "ops/kernel/channels_last.h"
#include "ops/norm/batch_norm.h"

namespace taper {
namespace {

float* floats(const View& v) { return v.shape ? reinterpret_cast<float*>(v.data) : nullptr; }

/// Returns true if inputs `first` to `last`, per-channel parameters, are contiguous f32 or absent.
bool dense(const KernelArgs& k, int first, int last) {
  for (int i = first; i <= last; ++i)
    if (k.has(i)) {
      const View& v = k.in[static_cast<std::size_t>(i)];
      if (v.dtype != DType::f32 || (v.numel > 1 && (*v.strides)[0] != 1)) return false;
    }
  return true;
}

/// Determines the physical layout of a kernel from the activation that it writes. Returns false if
/// that is neither row-major nor channels-last.
bool order_of(const View& v, PhysicalLayout& order) {
  const bool last = v.shape->size() >= 3 && kernel::is_dense_channels_last(v);
  order = last ? PhysicalLayout::channels_last : PhysicalLayout::row_major;
  return last || is_contiguous(v);
}

cpu::ChannelShape shape_of(const View& x, PhysicalLayout order) {
  const std::int64_t n = (*x.shape)[0], c = (*x.shape)[1];
  return {.n = n,
          .c = c,
          .space = n * c == 0 ? 0 : x.numel / (n * c),
          .channels_last = order == PhysicalLayout::channels_last || x.shape->size() == 2};
}

const float* parameter(const KernelArgs& k, int i) {
  return k.has(i) ? floats(k.in[static_cast<std::size_t>(i)]) : nullptr;
}

}  // namespace

template <> bool cpu_kernel(const BatchNorm& o, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.out[0];
  PhysicalLayout order;
  if (x.dtype != DType::f32 || !dense(k, 1, 4) || !order_of(y, order)) return false;
  const cpu::ChannelShape s = shape_of(x, order);
  const kernel::ViewInLayout from(x, order);
  float *const mean = floats(k.out[1]), *const invstd = floats(k.out[2]);
  if (o.training) {
    // The variance is computed in its output if requested, otherwise in the buffer of its inverse
    // root.
    float* const variance = k.out[3].shape ? floats(k.out[3]) : invstd;
    cpu::channel_stats(s, from.as<float>(), mean, variance);
    cpu::inverse_std(s.c, variance, o.eps, invstd);
  } else {
    std::copy_n(parameter(k, 3), s.c, mean);
    cpu::inverse_std(s.c, parameter(k, 4), o.eps, invstd);
    if (k.out[3].shape) std::copy_n(parameter(k, 4), s.c, floats(k.out[3]));
  }
  cpu::channel_normalize(s, from.as<float>(), mean, invstd, parameter(k, 1), parameter(k, 2),
                         floats(y));
  return true;
}

template <> bool cpu_kernel(const BatchNormBackward& o, const KernelArgs& k) {
  const View &g = k.in[0], &x = k.in[1], &dx = k.out[0];
  PhysicalLayout order;
  if (x.dtype != DType::f32 || g.dtype != DType::f32 || !dense(k, 2, 4)) return false;
  if (!order_of(dx.shape ? dx : x, order)) order = PhysicalLayout::row_major;
  const kernel::ViewInLayout gradient(g, order), input(x, order);
  cpu::channel_normalize_backward(shape_of(x, order), o.training, input.as<float>(),
                                  gradient.as<float>(), parameter(k, 2), parameter(k, 3),
                                  parameter(k, 4), floats(dx), floats(k.out[1]), floats(k.out[2]));
  return true;
}

}  // namespace taper
