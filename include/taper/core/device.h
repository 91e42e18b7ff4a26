// Where tensors live.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// A device: a kind (cpu, meta, cuda, or what a loaded backend brings) and an index. Kinds are
/// names interned at run time. `meta` tensors have shapes and dtypes but no data. PyTorch:
/// torch.device.
class Device {
 public:
  Device() noexcept = default;  ///< cpu
  /// "cpu", "meta", "cuda", "cuda:1". Throws DeviceError for text that is none.
  Device(std::string_view text);
  Device(const char* text) : Device(std::string_view(text)) {}
  Device(const std::string& text) : Device(std::string_view(text)) {}
  static Device cpu() noexcept { return {}; }
  static Device meta() noexcept { return Device(kMeta, 0); }
  static Device cuda(int index = 0) noexcept { return Device(kCuda, index); }

  std::string_view type() const;  ///< "cpu"
  int index() const noexcept { return index_; }
  int kind() const noexcept { return kind_; }  ///< small number of the kind: 0 cpu, 1 meta, 2 cuda
  bool is_cpu() const noexcept { return kind_ == kCpu; }
  bool is_meta() const noexcept { return kind_ == kMeta; }
  bool is_cuda() const noexcept { return kind_ == kCuda; }
  /// "cpu", "meta", "cuda:0".
  std::string str() const;
  friend bool operator==(Device, Device) noexcept = default;

  static constexpr int kCpu = 0, kMeta = 1, kCuda = 2;

 private:
  Device(int kind, int index) noexcept
      : kind_(static_cast<std::int16_t>(kind)), index_(static_cast<std::int16_t>(index)) {}
  std::int16_t kind_ = kCpu;
  std::int16_t index_ = 0;
};

}  // namespace taper
