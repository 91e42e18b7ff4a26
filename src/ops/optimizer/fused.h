// Driver of the fused optimizer steps.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ops/optimizer/kernels.h"
#include "taper/core/tensor.h"
#include "taper/ops/optimizer_step.h"

namespace taper::optimizer {

using States = std::array<Tensor, kMaxStates>;

/// Update rule of an optimizer: its kernel, and its formula composed of tensor ops, which replaces
/// the states and returns the new value of the parameter.
struct Rule {
  std::string_view name;  ///< name in error messages
  const Kernel& kernel;
  Tensor (*composed)(const Tensor& param, const Tensor& grad, States& states, const void* step);
};

/// Throws an error that names `op` unless a step can modify the parameter in place and its dtype is
/// floating-point.
void check_param(std::string_view op, const Tensor& param, bool recorded);

/// Throws an error that names `op` and `name` unless `other` has the shape, dtype and device of the
/// parameter.
void check_matches_param(std::string_view op, const Tensor& param, const Tensor& other,
                         const char* name);

/// Performs the steps of all parameters. `steps` is an array of coefficients of `step_size` bytes.
void run_steps(const Rule& rule, std::span<const ops::StepTensors> tensors, const void* steps,
               std::size_t step_size);

/// As run_steps above, with coefficients of type Step, which the formula `kComposed` accepts.
template <auto kComposed, class Step> void run_steps(std::string_view name, const Kernel& kernel,
                                                     std::span<const ops::StepTensors> tensors,
                                                     std::span<const Step> steps) {
  const Rule rule{name, kernel, [](const Tensor& p, const Tensor& g, States& s, const void* step) {
                    return kComposed(p, g, s, *static_cast<const Step*>(step));
                  }};
  run_steps(rule, tensors, steps.data(), sizeof(Step));
}

}  // namespace taper::optimizer
