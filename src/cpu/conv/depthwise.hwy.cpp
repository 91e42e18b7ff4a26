// Vector loops of depthwise convolutions: channels are the lanes.
#include "cpu/conv/depthwise.h"

#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/depthwise.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu::conv_depthwise {
namespace HWY_NAMESPACE {
namespace ops = taper::cpu::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;

/// Calls f(load, store, channel) for vectors of channels, the last of which may be partial.
template <class F> HWY_INLINE void for_each_vector(std::int64_t channels, F&& f) {
  const D d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t c = 0;
  for (; c + lanes <= channels; c += lanes)
    f([&](const float* p) HWY_ATTR { return hn::LoadU(d, p + c); },
      [&](hn::Vec<D> v, float* p) HWY_ATTR { hn::StoreU(v, d, p + c); });
  if (c == channels) return;
  const std::size_t rest = static_cast<std::size_t>(channels - c);
  f([&](const float* p) HWY_ATTR { return ops::load_n(d, p + c, rest); },
    [&](hn::Vec<D> v, float* p) HWY_ATTR { ops::store_n(v, d, p + c, rest); });
}

/// Calls f(output pixel, input pixel, kernel position) for all taps.
template <class F> HWY_INLINE void for_each_tap(const Taps& taps, F&& f) {
  for (std::size_t i = 0; i + 1 < taps.first.size(); ++i)
    for (std::int64_t t = taps.first[i]; t < taps.first[i + 1]; ++t)
      f(static_cast<std::int64_t>(i), taps.input[static_cast<std::size_t>(t)],
        taps.tap[static_cast<std::size_t>(t)]);
}

void run_forward(const DepthwiseArgs& a) {
  const Taps& taps = *a.taps;
  for (std::size_t i = 0; i + 1 < taps.first.size(); ++i)
    for_each_vector(a.channels, [&](auto load, auto store) HWY_ATTR {
      auto sum = a.bias != nullptr ? load(a.bias) : hn::Zero(D());
      for (std::int64_t t = taps.first[i]; t < taps.first[i + 1]; ++t) {
        const auto at = static_cast<std::size_t>(t);
        sum = hn::MulAdd(load(a.x + taps.input[at] * a.channels),
                         load(a.weights + taps.tap[at] * a.channels), sum);
      }
      store(sum, a.y + static_cast<std::int64_t>(i) * a.channels);
    });
}

void run_backward_data(const DepthwiseArgs& a) {
  for_each_tap(*a.taps, [&](std::int64_t output, std::int64_t input, std::int64_t tap) HWY_ATTR {
    float* const to = a.dx + input * a.channels;
    for_each_vector(a.channels, [&](auto load, auto store) HWY_ATTR {
      store(hn::MulAdd(load(a.dy + output * a.channels), load(a.weights + tap * a.channels),
                       load(to)),
            to);
    });
  });
}

void run_backward_weights(const DepthwiseArgs& a) {
  for_each_tap(*a.taps, [&](std::int64_t output, std::int64_t input, std::int64_t tap) HWY_ATTR {
    float* const to = a.dw + tap * a.channels;
    for_each_vector(a.channels, [&](auto load, auto store) HWY_ATTR {
      store(hn::MulAdd(load(a.x + input * a.channels), load(a.dy + output * a.channels), load(to)),
            to);
    });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu::conv_depthwise
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu::conv_depthwise {
HWY_EXPORT(run_forward);
HWY_EXPORT(run_backward_data);
HWY_EXPORT(run_backward_weights);
void forward_pixels(const DepthwiseArgs& a) { HWY_DYNAMIC_DISPATCH(run_forward)(a); }
void backward_data_pixels(const DepthwiseArgs& a) { HWY_DYNAMIC_DISPATCH(run_backward_data)(a); }
void backward_weights_pixels(const DepthwiseArgs& a) {
  HWY_DYNAMIC_DISPATCH(run_backward_weights)(a);
}
}  // namespace taper::cpu::conv_depthwise
#endif
