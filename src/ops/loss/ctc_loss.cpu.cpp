#include "ops/loss/ctc_loss.h"
#include "cpu/threads.h"
#include "ops/loss/ctc_kernel.h"

namespace taper {
namespace {

/// Log-probabilities of one sample.
template <class T> struct SampleReader {
  const T* data;
  std::int64_t step_stride, class_stride;
  T operator()(std::int64_t t, std::int64_t c) const {
    return data[t * step_stride + c * class_stride];
  }
};

template <class T> SampleReader<T> reader_of(const View& x, std::int64_t n) {
  const Shape& strides = *x.strides;
  return {reinterpret_cast<const T*>(x.data) + n * strides[1], strides[0], strides[2]};
}

template <class T> void compute(const CtcLoss& o, const KernelArgs& k) {
  const ctc::Samples s(*k.in[0].shape, k.in[1], k.in[2], k.in[3], o.blank);
  T* const losses = reinterpret_cast<T*>(k.out[0].data);
  T* const alpha = reinterpret_cast<T*>(k.out[1].data);
  cpu::parallel_for(0, s.count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n)
      losses[n] = ctc::forward(s, n, reader_of<T>(k.in[0], n), alpha + n * s.steps * s.states());
  });
}

template <class T> void compute(const CtcLossBackward& o, const KernelArgs& k) {
  const ctc::Samples s(*k.in[1].shape, k.in[2], k.in[3], k.in[4], o.blank);
  const T* const grad = reinterpret_cast<const T*>(k.in[0].data);
  const T* const losses = reinterpret_cast<const T*>(k.in[5].data);
  const T* const alpha = reinterpret_cast<const T*>(k.in[6].data);
  T* const out = reinterpret_cast<T*>(k.out[0].data);
  cpu::parallel_for(0, s.count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n)
      ctc::backward(s, n, losses[n], grad[n], o.zero_infinity, reader_of<T>(k.in[1], n),
                    alpha + n * s.steps * s.states(), [&](std::int64_t t, std::int64_t c, T value) {
                      out[(t * s.count + n) * s.classes + c] = value;
                    });
  });
}

template <class O> bool compute_full_precision(const O& o, const KernelArgs& k, DType dtype) {
  if (dtype == DType::f32)
    compute<float>(o, k);
  else if (dtype == DType::f64)
    compute<double>(o, k);
  else
    return false;
  return true;
}

}  // namespace

template <> bool cpu_kernel(const CtcLoss& o, const KernelArgs& k) {
  if (!is_contiguous(k.out[0]) || !is_contiguous(k.out[1])) return false;
  return compute_full_precision(o, k, k.in[0].dtype);
}

template <> bool cpu_kernel(const CtcLossBackward& o, const KernelArgs& k) {
  for (const View* v : {&k.in[0], &k.in[5], &k.in[6], &k.out[0]})
    if (!is_contiguous(*v)) return false;
  return compute_full_precision(o, k, k.in[1].dtype);
}

}  // namespace taper
