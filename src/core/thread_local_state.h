// ThreadLocalState: per-thread modes (grad mode, autocast, anomaly detection) and observers of ops.
#pragma once
#include <cstdint>
#include <span>

#include "taper/core/tensor.h"

namespace taper {

struct OpDescriptor;
struct OpInput;

/// Receives each op as it runs, for graph capture and profilers.
struct Observer {
  virtual ~Observer() = default;
  virtual void before(const OpDescriptor&, std::span<const OpInput>) {}
  virtual void after(const OpDescriptor&, const void* attributes, std::span<const OpInput> ins,
                     std::span<const Tensor> outs) = 0;
  Observer* outer = nullptr;
};

struct SavedHooks;

struct ThreadLocalState {
  bool grad = true;
  bool inference = false;
  bool autocast = false;
  std::uint8_t anomaly = 0;  ///< 0 off, 1 on, 2 on and checks for NaN
  Observer* observer = nullptr;
  Device default_device{};                                   ///< of factory functions
  const std::shared_ptr<SavedHooks>* saved_hooks = nullptr;  ///< autograd::SavedTensorsHooks
};
inline constinit thread_local ThreadLocalState tls{};

}  // namespace taper
