#include "core/dtype_table.h"
#include "cpu/threads.h"
#include "ops/optimizer/elements.h"
#include "ops/optimizer/formulas.h"
#include "ops/optimizer/fused.h"
#include "ops/optimizer/sgd_kernel.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/ops/optimizer.h"

namespace taper::ops {
namespace {

using optimizer::Momentum;
using optimizer::SgdCoefficients;

using optimizer::kGrain;
using optimizer::record_exclusive_write;
using optimizer::record_write;
using optimizer::row_major_data;

/// Returns the new value of the parameter and replaces the buffer. Composed of tensor ops, for any
/// device and layout and for recorded steps.
Tensor compute_step(const Tensor& param, const Tensor& grad, Tensor& buffer, const SgdStep& o) {
  Tensor g = optimizer::apply_weight_decay(param, grad, o);
  if (o.momentum != 0) {
    buffer = buffer.defined() ? buffer.mul(o.momentum).add(g, 1 - o.dampening) : g.clone();
    g = o.nesterov ? g.add(buffer, o.momentum) : buffer;
  }
  return o.recorded_lr ? optimizer::apply_update(param, g, o) : param.add(g, -o.lr);
}

void run_composed(const Tensor& param, const Tensor& grad, Tensor& buffer, const SgdStep& o,
                  bool recorded) {
  Tensor next = buffer;
  const Tensor updated = compute_step(param, recorded ? grad : grad.detach(), next, o);
  param.copy_(updated);
  if (buffer.defined() && !recorded)
    buffer.copy_(next);
  else
    buffer = next;
}

template <class T> SgdCoefficients<T> make_coefficients(const SgdStep& o) {
  return {static_cast<T>(-o.lr),
          static_cast<T>(o.momentum),
          static_cast<T>(1 - o.dampening),
          static_cast<T>(o.weight_decay),
          o.nesterov,
          o.maximize};
}

template <class T> void run_kernel(std::byte* param, const std::byte* grad, std::byte* buffer,
                                   std::int64_t n, Momentum m, const SgdStep& o) {
  const SgdCoefficients<T> coefficients = make_coefficients<T>(o);
  T* const p = reinterpret_cast<T*>(param);
  const T* const g = reinterpret_cast<const T*>(grad);
  T* const b = reinterpret_cast<T*>(buffer);
  cpu::parallel_for(0, n, kGrain, [&](std::int64_t begin, std::int64_t end) {
    optimizer::sgd(p + begin, g + begin, b ? b + begin : nullptr, end - begin, m, coefficients);
  });
}

/// Processes 16-bit floats in blocks converted to f32.
template <class T> void run_kernel_16bit(std::byte* param, const std::byte* grad, std::byte* buffer,
                                         std::int64_t n, Momentum m, const SgdStep& o) {
  constexpr std::int64_t kBlock = 256;
  const SgdCoefficients<float> coefficients = make_coefficients<float>(o);
  T* const p = reinterpret_cast<T*>(param);
  const T* const g = reinterpret_cast<const T*>(grad);
  T* const b = reinterpret_cast<T*>(buffer);
  cpu::parallel_for(0, n, kGrain, [&](std::int64_t begin, std::int64_t end) {
    float wide_p[kBlock], wide_g[kBlock], wide_b[kBlock] = {};
    for (std::int64_t at = begin; at < end; at += kBlock) {
      const std::int64_t count = end - at < kBlock ? end - at : kBlock;
      for (std::int64_t i = 0; i < count; ++i) {
        wide_p[i] = static_cast<float>(p[at + i]);
        wide_g[i] = static_cast<float>(g[at + i]);
        if (m == Momentum::next) wide_b[i] = static_cast<float>(b[at + i]);
      }
      optimizer::sgd(wide_p, wide_g, wide_b, count, m, coefficients);
      for (std::int64_t i = 0; i < count; ++i) {
        p[at + i] = T(wide_p[i]);
        if (m != Momentum::none) b[at + i] = T(wide_b[i]);
      }
    }
  });
}

void check_tensors(const SgdTensors& t, const SgdStep& o, bool recorded) {
  optimizer::check_param("sgd", *t.param, recorded);
  optimizer::check_matches_param("sgd", *t.param, *t.grad, "the gradient");
  if (o.momentum != 0 && t.momentum_buffer.defined())
    optimizer::check_matches_param("sgd", *t.param, t.momentum_buffer, "momentum_buffer");
}

/// Updates one parameter, without recording.
void update_param(const Tensor& param, const Tensor& grad, Tensor& buffer, const SgdStep& o) {
  const TensorImpl& p = impl(param);
  const bool uses_buffer = o.momentum != 0, first = uses_buffer && !buffer.defined();
  std::byte *to = nullptr, *from = nullptr, *buffer_data = nullptr;
  Tensor row_major_grad;  // row-major copy: the bits of the step must not depend on the layout
  if (p.device().is_cpu() && (to = row_major_data(p))) {
    from = row_major_data(impl(grad));
    if (!from && p.numel > 0) {
      row_major_grad = grad.contiguous();
      impl(row_major_grad).storage->row_major_buffer();
      from = row_major_data(impl(row_major_grad));
    }
    if (first && from) buffer = empty_like(param);
    if (uses_buffer && buffer.defined()) buffer_data = row_major_data(impl(buffer));
  }
  if (!to || !from || (uses_buffer && !buffer_data)) {
    if (p.numel > 0 || first) run_composed(param, grad, buffer, o, false);
    return;
  }
  const Momentum m = !uses_buffer ? Momentum::none : first ? Momentum::first : Momentum::next;
  visit_dtype(p.dtype, [&]<class T>(T) {
    if constexpr (is_narrow_float<T>)
      run_kernel_16bit<T>(to, from, buffer_data, p.numel, m, o);
    else if constexpr (is_floating_element<T>)
      run_kernel<T>(to, from, buffer_data, p.numel, m, o);
  });
  record_write(p);
  if (uses_buffer) record_exclusive_write(impl(buffer));
}

}  // namespace

void check_sgd_step(std::span<const SgdTensors> tensors, const SgdStep& o) {
  const bool recorded = is_grad_enabled();
  for (const SgdTensors& t : tensors) check_tensors(t, o, recorded);
}

void sgd_step_(std::span<SgdTensors> tensors, const SgdStep& o) {
  check_sgd_step(tensors, o);
  const bool recorded = is_grad_enabled();
  for (SgdTensors& t : tensors)
    if (recorded)
      run_composed(*t.param, *t.grad, t.momentum_buffer, o, true);
    else
      update_param(*t.param, *t.grad, t.momentum_buffer, o);
}

}  // namespace taper::ops
