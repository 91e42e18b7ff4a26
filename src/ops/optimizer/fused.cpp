#include "ops/optimizer/fused.h"

#include <algorithm>
#include <vector>

#include "autograd/history.h"
#include "core/check.h"
#include "core/dtype_table.h"
#include "cpu/threads.h"
#include "ops/optimizer/elements.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/ops/pointwise.h"

namespace taper::optimizer {
namespace {

/// Row-major elements of one parameter and of the tensors of its step.
struct ParamUpdate {
  std::byte* param;
  std::byte* grad;
  std::array<std::byte*, kMaxStates> state;
  std::int64_t n;
  DType dtype;
  const void* step;
  const ops::StepTensors* tensors;
};

template <class T>
Elements<T> elements_in_range(const ParamUpdate& update, std::int64_t begin, std::int64_t end) {
  const auto at = [begin](std::byte* data) {
    return data ? reinterpret_cast<T*>(data) + begin : nullptr;
  };
  Elements<T> e{at(update.param), at(update.grad), {}, end - begin};
  for (std::size_t k = 0; k < kMaxStates; ++k) e.state[k] = at(update.state[k]);
  return e;
}

/// Processes 16-bit floats in blocks converted to f32.
template <class T> void run_16bit(const Kernel& kernel, const Elements<T>& e, const void* step) {
  constexpr std::int64_t kBlock = 256;
  float param[kBlock], grad[kBlock], state[kMaxStates][kBlock];
  for (std::int64_t at = 0; at < e.n; at += kBlock) {
    const std::int64_t count = e.n - at < kBlock ? e.n - at : kBlock;
    Elements<float> block{param, grad, {}, count};
    for (std::int64_t i = 0; i < count; ++i) {
      param[i] = static_cast<float>(e.param[at + i]);
      grad[i] = static_cast<float>(e.grad[at + i]);
    }
    for (std::size_t k = 0; k < kMaxStates; ++k) {
      if (!e.state[k]) continue;
      block.state[k] = state[k];
      for (std::int64_t i = 0; i < count; ++i) state[k][i] = static_cast<float>(e.state[k][at + i]);
    }
    kernel.f32(block, step);
    for (std::int64_t i = 0; i < count; ++i) e.param[at + i] = T(param[i]);
    for (std::size_t k = 0; k < kMaxStates; ++k)
      for (std::int64_t i = 0; e.state[k] && i < count; ++i) e.state[k][at + i] = T(state[k][i]);
  }
}

void run_range(const Kernel& kernel, const ParamUpdate& update, std::int64_t begin,
               std::int64_t end) {
  if (update.dtype == DType::f32)
    return kernel.f32(elements_in_range<float>(update, begin, end), update.step);
  if (update.dtype == DType::f64)
    return kernel.f64(elements_in_range<double>(update, begin, end), update.step);
  visit_dtype(update.dtype, [&]<class T>(T) {
    if constexpr (is_narrow_float<T>)
      run_16bit<T>(kernel, elements_in_range<T>(update, begin, end), update.step);
  });
}

/// Returns true if a parameter occurs twice, so that its steps must not be concurrent.
bool has_duplicates(std::span<const ParamUpdate> updates) {
  std::vector<const std::byte*> params;
  for (const ParamUpdate& update : updates) params.push_back(update.param);
  std::sort(params.begin(), params.end());
  return std::adjacent_find(params.begin(), params.end()) != params.end();
}

/// Divides the elements of all parameters evenly among the threads.
void run_updates(const Kernel& kernel, std::span<const ParamUpdate> updates) {
  std::int64_t total = 0;
  for (const ParamUpdate& update : updates) total += update.n;
  if (updates.size() > 1 && total > kGrain && has_duplicates(updates)) {
    for (std::size_t i = 0; i < updates.size(); ++i) run_updates(kernel, updates.subspan(i, 1));
    return;
  }
  cpu::parallel_for(0, total, kGrain, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t first = 0;  // index of the first element of this update among all elements
    for (const ParamUpdate& update : updates) {
      const std::int64_t from = begin > first ? begin - first : 0;
      const std::int64_t to = end - first < update.n ? end - first : update.n;
      if (from < to) run_range(kernel, update, from, to);
      first += update.n;
      if (first >= end) break;
    }
  });
}

void check_step_tensors(std::string_view op, const ops::StepTensors& tensors, bool recorded) {
  check_param(op, *tensors.param, recorded);
  check_matches_param(op, *tensors.param, *tensors.grad, "the gradient");
  for (const Tensor* state : tensors.state)
    if (state) check_matches_param(op, *tensors.param, *state, "the state");
}

/// Sets the elements of `update`. Returns false if a parameter or state is not stored in row-major
/// order in host memory. A gradient in another layout is copied to `row_major_grads`, because the
/// bits of the step must not depend on its layout.
bool find_elements(const ops::StepTensors& tensors, ParamUpdate& update,
                   std::vector<Tensor>& row_major_grads) {
  const TensorImpl& p = impl(*tensors.param);
  if (!p.device().is_cpu() || !(update.param = row_major_data(p))) return false;
  for (std::size_t k = 0; k < kMaxStates; ++k) {
    update.state[k] = tensors.state[k] ? row_major_data(impl(*tensors.state[k])) : nullptr;
    if (tensors.state[k] && !update.state[k]) return false;
  }
  if (!(update.grad = row_major_data(impl(*tensors.grad)))) {
    row_major_grads.push_back(tensors.grad->contiguous());
    const TensorImpl& row_major_grad = impl(row_major_grads.back());
    row_major_grad.storage->row_major_buffer();
    update.grad = row_major_data(row_major_grad);
  }
  return true;
}

/// Performs a step composed of tensor ops. A recorded step reads clones, because the nodes of the
/// graph save its operands and the tensors themselves are modified.
void run_composed(const Rule& rule, const ops::StepTensors& tensors, const void* step,
                  bool recorded) {
  const auto operand = [recorded](const Tensor& t) { return recorded ? t.clone() : t; };
  States states;
  for (std::size_t k = 0; k < kMaxStates; ++k)
    if (tensors.state[k]) states[k] = operand(*tensors.state[k]);
  const Tensor param = rule.composed(operand(*tensors.param), *tensors.grad, states, step);
  tensors.param->copy_(param);
  for (std::size_t k = 0; k < kMaxStates; ++k)
    if (tensors.state[k]) tensors.state[k]->copy_(states[k]);
}

}  // namespace

void check_param(std::string_view op, const Tensor& param, bool recorded) {
  check_inplace(param, op, recorded);
  if (const DType dtype = impl(param).dtype; !is_floating_point(dtype))
    fail<DTypeError>("{}: parameters must be floating-point tensors: got {}", op, dtype);
}

void check_matches_param(std::string_view op, const Tensor& param, const Tensor& other,
                         const char* name) {
  const TensorImpl &p = impl(param), &t = impl(other);
  if (!(t.shape == p.shape))
    fail<ShapeError>("{}: {} must have the shape of its parameter: got {}, expected {}", op, name,
                     t.shape, p.shape);
  if (t.dtype != p.dtype)
    fail<DTypeError>("{}: {} must have the dtype of its parameter: got {}, expected {}", op, name,
                     t.dtype, p.dtype);
  if (!(t.device() == p.device()))
    fail<DeviceError>("{}: {} must be on the device of its parameter: got {}, expected {}", op,
                      name, t.device(), p.device());
}

void run_steps(const Rule& rule, std::span<const ops::StepTensors> tensors, const void* steps,
               std::size_t step_size) {
  const bool recorded = is_grad_enabled();
  for (const ops::StepTensors& t : tensors) check_step_tensors(rule.name, t, recorded);
  std::vector<ParamUpdate> updates;
  std::vector<Tensor> row_major_grads;
  updates.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorImpl& p = impl(*tensors[i].param);
    const void* const step = static_cast<const std::byte*>(steps) + i * step_size;
    if (p.numel == 0) continue;
    ParamUpdate update{nullptr, nullptr, {}, p.numel, p.dtype, step, &tensors[i]};
    if (recorded || !find_elements(tensors[i], update, row_major_grads))
      run_composed(rule, tensors[i], step, recorded);
    else
      updates.push_back(update);
  }
  if (updates.empty()) return;
  run_updates(rule.kernel, updates);
  for (const ParamUpdate& update : updates) {
    record_write(impl(*update.tensors->param));
    for (const Tensor* state : update.tensors->state)
      if (state) record_exclusive_write(impl(*state));
  }
}

}  // namespace taper::optimizer

namespace taper::ops {

void check_step(std::string_view op, std::span<const StepTensors> tensors) {
  const bool recorded = is_grad_enabled();
  for (const StepTensors& t : tensors) optimizer::check_step_tensors(op, t, recorded);
}

double scalar_value(const Tensor& t) {
  const TensorImpl& i = impl(t);
  const std::byte* const data =
      i.device().is_cpu() && i.numel == 1 ? optimizer::row_major_data(i) : nullptr;
  if (data && i.dtype == DType::f32) return *reinterpret_cast<const float*>(data);
  if (data && i.dtype == DType::f64) return *reinterpret_cast<const double*>(data);
  return t.item().to_double();
}

void set_scalar_(const Tensor& t, double value) {
  const TensorImpl& i = impl(t);
  std::byte* const data =
      i.device().is_cpu() && i.numel == 1 ? optimizer::row_major_data(i) : nullptr;
  if (data && i.dtype == DType::f32) {
    *reinterpret_cast<float*>(data) = static_cast<float>(value);
  } else if (data && i.dtype == DType::f64) {
    *reinterpret_cast<double*>(data) = value;
  } else {
    const NoGrad guard;
    t.fill_(value);
    return;
  }
  optimizer::record_write(i);
}

}  // namespace taper::ops
