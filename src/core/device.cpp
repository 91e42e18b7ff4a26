#include "taper/core/device.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <mutex>

#include "core/check.h"
#include "core/device_ops.h"
#include "core/never_destroyed.h"

namespace taper {
namespace {

struct DeviceTypeRegistry {
  std::mutex mutex;
  std::deque<std::string> names{"cpu", "meta", "cuda"};  // a deque keeps views of names valid
};
DeviceTypeRegistry& device_type_registry() {
  static NeverDestroyed<DeviceTypeRegistry> all;
  return *all;
}

int intern(std::string_view name) {
  // These names avoid the lock, because a checkpoint names a device once per tensor.
  if (name == "cpu") return Device::kCpu;
  if (name == "cuda") return Device::kCuda;
  DeviceTypeRegistry& k = device_type_registry();
  std::lock_guard lock(k.mutex);
  const auto found = std::find(k.names.begin(), k.names.end(), name);
  const auto kind = found - k.names.begin();
  if (found == k.names.end()) k.names.emplace_back(name);
  return static_cast<int>(kind);
}

[[noreturn]] void throw_invalid_device(std::string_view text) {
  fail<DeviceError>(
      "device: Invalid device string: got '{}', expected a name such as 'cpu', 'meta' or 'cuda:1'",
      text);
}

}  // namespace

bool is_known_kind(std::string_view name) {
  DeviceTypeRegistry& k = device_type_registry();
  std::lock_guard lock(k.mutex);
  return std::find(k.names.begin(), k.names.end(), name) != k.names.end();
}

Device::Device(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const bool is_valid_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
  });
  if (!is_valid_name || name.size() > 64) throw_invalid_device(text);
  int index = 0;
  if (colon != std::string_view::npos) {
    const char *begin = text.data() + colon + 1, *end = text.data() + text.size();
    const auto r = std::from_chars(begin, end, index);
    if (r.ec != std::errc() || r.ptr != end || index < 0 || index > 1023)
      throw_invalid_device(text);
  }
  kind_ = static_cast<std::int16_t>(intern(name));
  // CPU and meta have one device each: an index is accepted and ignored, as in PyTorch.
  index_ = static_cast<std::int16_t>(is_cpu() || is_meta() ? 0 : index);
}

std::string_view Device::type() const {
  DeviceTypeRegistry& k = device_type_registry();
  std::lock_guard lock(k.mutex);
  return k.names[static_cast<std::size_t>(kind_)];
}

std::string Device::str() const {
  std::string text(type());
  if (!is_cpu() && !is_meta()) text += ":" + std::to_string(index_);
  return text;
}

}  // namespace taper
