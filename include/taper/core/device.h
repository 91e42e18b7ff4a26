// Device: the type and index of the device that holds a tensor.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Device of a tensor: a type ("cpu", "meta", "cuda", or the type of a loaded backend) and an
/// index. Types are interned at run time. Tensors on `meta` have a shape and a dtype, but no data.
/// PyTorch: torch.device.
class Device {
 public:
  Device() noexcept = default;  ///< cpu
  /// Parses "cpu", "meta", "cuda" or "cuda:1". Throws DeviceError if the string is not a device.
  Device(std::string_view text);
  Device(const char* text) : Device(std::string_view(text)) {}
  Device(const std::string& text) : Device(std::string_view(text)) {}
  /// Returns the device cpu, meta, or cuda with the given index.
  static Device cpu() noexcept { return {}; }
  static Device meta() noexcept { return Device(kMeta, 0); }
  static Device cuda(int index = 0) noexcept { return Device(kCuda, index); }

  /// Returns the type: "cpu".
  std::string_view type() const;
  /// Returns the index; 0 for cpu and meta.
  int index() const noexcept { return index_; }
  /// Returns the interned number of the type: 0 cpu, 1 meta, 2 cuda.
  int kind() const noexcept { return kind_; }
  bool is_cpu() const noexcept { return kind_ == kCpu; }
  bool is_meta() const noexcept { return kind_ == kMeta; }
  bool is_cuda() const noexcept { return kind_ == kCuda; }
  /// Returns the type, with the index of a device that may have several: "cpu", "meta", "cuda:0".
  std::string str() const;
  friend bool operator==(Device, Device) noexcept = default;

  static constexpr int kCpu = 0, kMeta = 1, kCuda = 2;

 private:
  Device(int kind, int index) noexcept
      : kind_(static_cast<std::int16_t>(kind)), index_(static_cast<std::int16_t>(index)) {}
  std::int16_t kind_ = kCpu;
  std::int16_t index_ = 0;
};

/// Returns, or sets for this thread, the device of tensors that factory functions create without
/// the option `device`; cpu by default. Throws DeviceError if the device does not have a backend.
/// PyTorch: torch.get_default_device, torch.set_default_device.
Device get_default_device();
void set_default_device(Device device);

}  // namespace taper
