#include "cpu/conv/conv.h"

#include "ops/conv/transposed.h"
#include "ops/copy/copy_kernel.h"
#include "ops/kernel/channels_last.h"

namespace taper {
namespace {

using kernel::ViewInLayout;

struct CachedPrepackedWeights : StorageCacheEntry {
  cpu::PrepackedWeightCache weights;
};
constexpr std::uint64_t kWeightKind = 0x636f6e76;

/// Weights in row-major order, with their cached prepacked form.
class Weights {
 public:
  explicit Weights(const View& w) {
    data_ = reinterpret_cast<const float*>(w.data);
    const Shape row_major_strides = contiguous_strides(*w.shape);
    const View dense{w.data, w.shape, &row_major_strides, w.numel, w.dtype, nullptr};
    if (w.numel > 0 && !kernel::same_dense_layout(w, dense)) {
      copy_.emplace(static_cast<std::size_t>(w.numel) * sizeof(float));
      View to = dense;
      to.data = copy_->as<std::byte>();
      if (!kernel::copy_fast(to, w)) kernel::copy_elements(to, w);
      data_ = copy_->as<float>();
    }
    if (w.storage && !w.storage->exposed()) {
      const std::uint64_t key = kernel::view_key(w, kWeightKind), writes = w.storage->writes();
      cached_ = w.storage->cached(key);
      if (!cached_) {
        cached_ = Ref<StorageCacheEntry>::adopt(new CachedPrepackedWeights);
        w.storage->set_cached(key, writes, cached_);
      }
    } else {
      counters::weight_packings.fetch_add(1, std::memory_order_relaxed);
    }
  }
  const float* data() const { return data_; }
  cpu::PrepackedWeightCache* prepacked() const {
    return cached_ ? &static_cast<CachedPrepackedWeights&>(*cached_).weights : nullptr;
  }

 private:
  const float* data_;
  std::optional<cpu::Scratch> copy_;
  Ref<StorageCacheEntry> cached_;
};

float* float_data(const View& v) { return reinterpret_cast<float*>(v.data); }

bool is_f32(const KernelArgs& k) { return k.in[0].dtype == DType::f32; }

}  // namespace

template <> bool cpu_kernel(const ConvOutput& o, const KernelArgs& k) {
  const View &x = k.in[0], &w = k.in[1], &y = k.out[0];
  if (!is_f32(k) || !kernel::is_dense_channels_last(y)) return false;
  if (k.has(2) && k.in[2].numel > 1 && (*k.in[2].strides)[0] != 1) return false;
  const Weights weights(w);
  const ViewInLayout activations(x, PhysicalLayout::channels_last, ViewInLayout::Copy::cached);
  cpu::conv_forward(o.make_params(*x.shape, *w.shape, *y.shape), activations.as<float>(),
                    weights.data(), k.has(2) ? float_data(k.in[2]) : nullptr, float_data(y),
                    weights.prepacked());
  return true;
}

template <> bool cpu_kernel(const ConvInput& o, const KernelArgs& k) {
  const View &y = k.in[0], &w = k.in[1], &x = k.out[0];
  if (!is_f32(k) || !kernel::is_dense_channels_last(x)) return false;
  const Weights weights(w);
  const ViewInLayout gradient(y, PhysicalLayout::channels_last);
  cpu::conv_backward_data(o.make_params(*x.shape, *w.shape, *y.shape), gradient.as<float>(),
                          weights.data(), float_data(x), weights.prepacked());
  return true;
}

template <> bool cpu_kernel(const ConvTranspose& o, const KernelArgs& k) {
  for (std::size_t d = 0; d + 2 < k.in[1].shape->size(); ++d)
    if (o.surplus(d) != 0) return false;
  if (!cpu_kernel(o.adjoint(*k.out[0].shape), k)) return false;
  if (!k.has(2) || k.out[0].numel == 0) return true;
  const View &bias = k.in[2], &y = k.out[0];
  const std::int64_t channels = bias.numel, step = (*bias.strides)[0];
  const float* b = float_data(bias);
  float* to = float_data(y);
  for (std::int64_t at = 0; at < y.numel; at += channels)
    for (std::int64_t c = 0; c < channels; ++c) to[at + c] += b[c * step];
  return true;
}

template <> bool cpu_kernel(const ConvWeight& o, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.in[1], &w = k.out[0];
  if (!is_f32(k) || !w.shape) return false;
  const ViewInLayout activations(x, PhysicalLayout::channels_last, ViewInLayout::Copy::cached);
  const ViewInLayout gradient(y, PhysicalLayout::channels_last);
  cpu::conv_backward_weights(o.make_params(*x.shape, *w.shape, *y.shape), activations.as<float>(),
                             gradient.as<float>(), float_data(w),
                             k.out[1].shape ? float_data(k.out[1]) : nullptr);
  return true;
}

}  // namespace taper
