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
struct Job {
  std::byte* param;
  std::byte* grad;
  std::array<std::byte*, kMaxStates> state;
  std::int64_t n;
  DType dtype;
  const void* step;
  const ops::StepTensors* tensors;
};

template <class T> Elements<T> part(const Job& job, std::int64_t begin, std::int64_t end) {
  const auto at = [begin](std::byte* data) {
    return data ? reinterpret_cast<T*>(data) + begin : nullptr;
  };
  Elements<T> e{at(job.param), at(job.grad), {}, end - begin};
  for (std::size_t k = 0; k < kMaxStates; ++k) e.state[k] = at(job.state[k]);
  return e;
}

/// Processes 16-bit floats in blocks converted to f32.
template <class T> void run_narrow(const Kernel& kernel, const Elements<T>& e, const void* step) {
  constexpr std::int64_t kBlock = 256;
  float param[kBlock], grad[kBlock], state[kMaxStates][kBlock];
  for (std::int64_t at = 0; at < e.n; at += kBlock) {
    const std::int64_t count = e.n - at < kBlock ? e.n - at : kBlock;
    Elements<float> wide{param, grad, {}, count};
    for (std::int64_t i = 0; i < count; ++i) {
      param[i] = static_cast<float>(e.param[at + i]);
      grad[i] = static_cast<float>(e.grad[at + i]);
    }
    for (std::size_t k = 0; k < kMaxStates; ++k) {
      if (!e.state[k]) continue;
      wide.state[k] = state[k];
      for (std::int64_t i = 0; i < count; ++i) state[k][i] = static_cast<float>(e.state[k][at + i]);
    }
    kernel.f32(wide, step);
    for (std::int64_t i = 0; i < count; ++i) e.param[at + i] = T(param[i]);
    for (std::size_t k = 0; k < kMaxStates; ++k)
      for (std::int64_t i = 0; e.state[k] && i < count; ++i) e.state[k][at + i] = T(state[k][i]);
  }
}

void run_part(const Kernel& kernel, const Job& job, std::int64_t begin, std::int64_t end) {
  if (job.dtype == DType::f32) return kernel.f32(part<float>(job, begin, end), job.step);
  if (job.dtype == DType::f64) return kernel.f64(part<double>(job, begin, end), job.step);
  visit_dtype(job.dtype, [&]<class T>(T) {
    if constexpr (is_narrow_float<T>) run_narrow<T>(kernel, part<T>(job, begin, end), job.step);
  });
}

/// Returns true if a parameter occurs twice, so that its steps must not be concurrent.
bool has_duplicates(std::span<const Job> jobs) {
  std::vector<const std::byte*> params;
  for (const Job& job : jobs) params.push_back(job.param);
  std::sort(params.begin(), params.end());
  return std::adjacent_find(params.begin(), params.end()) != params.end();
}

/// Divides the elements of all parameters evenly among the threads.
void run_jobs(const Kernel& kernel, std::span<const Job> jobs) {
  std::int64_t total = 0;
  for (const Job& job : jobs) total += job.n;
  if (jobs.size() > 1 && total > kGrain && has_duplicates(jobs)) {
    for (std::size_t i = 0; i < jobs.size(); ++i) run_jobs(kernel, jobs.subspan(i, 1));
    return;
  }
  cpu::parallel_for(0, total, kGrain, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t first = 0;  // index of the first element of this job among all elements
    for (const Job& job : jobs) {
      const std::int64_t from = begin > first ? begin - first : 0;
      const std::int64_t to = end - first < job.n ? end - first : job.n;
      if (from < to) run_part(kernel, job, from, to);
      first += job.n;
      if (first >= end) break;
    }
  });
}

void check(std::string_view op, const ops::StepTensors& tensors, bool recorded) {
  check_param(op, *tensors.param, recorded);
  check_fits(op, *tensors.param, *tensors.grad, "the gradient");
  for (const Tensor* state : tensors.state)
    if (state) check_fits(op, *tensors.param, *state, "the state");
}

/// Sets the elements of `job`. Returns false if a parameter or state is not stored in row-major
/// order in host memory. A gradient in another layout is copied to `plain_grads`, because the bits
/// of the step must not depend on its layout.
bool find_elements(const ops::StepTensors& tensors, Job& job, std::vector<Tensor>& plain_grads) {
  const TensorImpl& p = impl(*tensors.param);
  if (!p.device().is_cpu() || !(job.param = elements(p))) return false;
  for (std::size_t k = 0; k < kMaxStates; ++k) {
    job.state[k] = tensors.state[k] ? elements(impl(*tensors.state[k])) : nullptr;
    if (tensors.state[k] && !job.state[k]) return false;
  }
  if (!(job.grad = elements(impl(*tensors.grad)))) {
    plain_grads.push_back(tensors.grad->contiguous());
    const TensorImpl& plain = impl(plain_grads.back());
    plain.storage->row_major_buffer();
    job.grad = elements(plain);
  }
  return true;
}

/// Performs a step composed of tensor ops. A recorded step reads clones, because the nodes of the
/// graph save its operands and the tensors themselves are modified.
void run_composed(const Rule& rule, const ops::StepTensors& tensors, const void* step,
                  bool recorded) {
  const auto read = [recorded](const Tensor& t) { return recorded ? t.clone() : t; };
  States states;
  for (std::size_t k = 0; k < kMaxStates; ++k)
    if (tensors.state[k]) states[k] = read(*tensors.state[k]);
  const Tensor param = rule.composed(read(*tensors.param), *tensors.grad, states, step);
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

void check_fits(std::string_view op, const Tensor& param, const Tensor& other, const char* name) {
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
  for (const ops::StepTensors& t : tensors) check(rule.name, t, recorded);
  std::vector<Job> jobs;
  std::vector<Tensor> plain_grads;
  jobs.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorImpl& p = impl(*tensors[i].param);
    const void* const step = static_cast<const std::byte*>(steps) + i * step_size;
    if (p.numel == 0) continue;
    Job job{nullptr, nullptr, {}, p.numel, p.dtype, step, &tensors[i]};
    if (recorded || !find_elements(tensors[i], job, plain_grads))
      run_composed(rule, tensors[i], step, recorded);
    else
      jobs.push_back(job);
  }
  if (jobs.empty()) return;
  run_jobs(rule.kernel, jobs);
  for (const Job& job : jobs) {
    written(impl(*job.tensors->param));
    for (const Tensor* state : job.tensors->state)
      if (state) written_alone(impl(*state));
  }
}

}  // namespace taper::optimizer

namespace taper::ops {

void check_step(std::string_view op, std::span<const StepTensors> tensors) {
  const bool recorded = is_grad_enabled();
  for (const StepTensors& t : tensors) optimizer::check(op, t, recorded);
}

double scalar_value(const Tensor& t) {
  const TensorImpl& i = impl(t);
  const std::byte* const data =
      i.device().is_cpu() && i.numel == 1 ? optimizer::elements(i) : nullptr;
  if (data && i.dtype == DType::f32) return *reinterpret_cast<const float*>(data);
  if (data && i.dtype == DType::f64) return *reinterpret_cast<const double*>(data);
  return t.item().to_double();
}

void set_scalar_(const Tensor& t, double value) {
  const TensorImpl& i = impl(t);
  std::byte* const data = i.device().is_cpu() && i.numel == 1 ? optimizer::elements(i) : nullptr;
  if (data && i.dtype == DType::f32) {
    *reinterpret_cast<float*>(data) = static_cast<float>(value);
  } else if (data && i.dtype == DType::f64) {
    *reinterpret_cast<double*>(data) = value;
  } else {
    const NoGrad guard;
    t.fill_(value);
    return;
  }
  optimizer::written(i);
}

}  // namespace taper::ops
