#include "io/pickle/globals/device_name.h"

#include <algorithm>
#include <array>

#include "core/device_ops.h"

namespace taper::io {

std::optional<Device> parse_known_device(std::string_view text) {
  constexpr std::array<std::string_view, 20> kPyTorch = {
      "cpu",    "cuda", "ipu",  "xpu",  "mkldnn", "opengl",       "opencl",
      "ideep",  "hip",  "ve",   "fpga", "maia",   "xla",          "lazy",
      "vulkan", "mps",  "meta", "hpu",  "mtia",   "privateuseone"};
  const std::string_view kind = text.substr(0, text.find(':'));
  const bool known = std::find(kPyTorch.begin(), kPyTorch.end(), kind) != kPyTorch.end();
  if (!known && !kind.empty() && !is_known_kind(kind)) return {};
  return Device(text);
}

}  // namespace taper::io
