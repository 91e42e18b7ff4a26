// ThreadLocalState: per-thread modes (grad mode, autocast, anomaly detection) and observers of ops.
#pragma once
#include <cstdint>
#include <memory>

#include "taper/core/device.h"

namespace taper {

struct Observer;
struct SavedHooks;

struct ThreadLocalState {
  bool grad = true;
  bool inference = false;
  bool autocast = false;
  std::uint8_t anomaly = 0;      ///< 0 off, 1 on, 2 on and checks for NaN
  Observer* observer = nullptr;  ///< innermost observer of ops and scopes
  Device default_device{};       ///< of factory functions
  const std::shared_ptr<SavedHooks>* saved_hooks = nullptr;  ///< autograd::SavedTensorsHooks
};
inline constinit thread_local ThreadLocalState tls{};

}  // namespace taper
